import '../actions/cdr.test';
import '../actions/manyCalls.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
