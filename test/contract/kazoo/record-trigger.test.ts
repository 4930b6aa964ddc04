import '../record-trigger.test';
import { testOn } from '../../support/profile';

testOn('kazoo', { local_addresses: 'accept' });
