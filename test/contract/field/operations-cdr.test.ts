import '../operations/cdr.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
