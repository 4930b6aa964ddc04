import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
require('../operations/callflow.test');
