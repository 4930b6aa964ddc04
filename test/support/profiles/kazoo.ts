/** Runs every sandbox of a test file as a stock Kazoo. */
import { testOn } from '../profile';

testOn('kazoo', { local_addresses: 'accept' });
