import '../operations/webhook.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
