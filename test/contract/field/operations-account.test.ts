import '../operations/account.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
