/** Lets every sandbox of an end-to-end test behave like a stock Kazoo, which n8n on this machine may listen to. */
import { testOn } from '../profile';

testOn('kazoo', { local_addresses: 'accept' });
