import '../trigger-lifecycle.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
