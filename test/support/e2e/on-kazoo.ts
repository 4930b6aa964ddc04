/** Runs every sandbox of an end-to-end test as a stock Kazoo. */
import { testOn } from '../profile';

testOn('kazoo', { local_addresses: 'accept' });
