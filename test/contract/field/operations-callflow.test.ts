import '../operations/callflow.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
