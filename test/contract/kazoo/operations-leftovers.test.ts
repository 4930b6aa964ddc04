import '../actions/leftovers.test';
import { testOn } from '../../support/profile';

testOn('kazoo', { local_addresses: 'accept' });
