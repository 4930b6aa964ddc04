import '../record-trigger.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
