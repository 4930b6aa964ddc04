import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
require('../trigger-deliveries.test');
