import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
require('../record-trigger.test');
