import '../operations/cdr.test';
import '../operations/manyCalls.test';
import { testOn } from '../../support/profile';

testOn('kazoo', { local_addresses: 'accept' });
