import '../actions/health.test';
import { testOn } from '../../support/profile';

testOn('kazoo', { local_addresses: 'accept' });
