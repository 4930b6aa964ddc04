import '../actions/cdr.test';
import '../actions/manyCalls.test';
import { testOn } from '../../support/profile';

testOn('kazoo', { local_addresses: 'accept' });
