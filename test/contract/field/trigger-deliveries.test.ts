import '../trigger-deliveries.test';
import { testOn } from '../../support/profile';

testOn('field', { legs: 'both' });
