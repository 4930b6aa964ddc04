/** Runs every sandbox of a test file as live services are, but with both legs of calls. */
import { testOn } from '../profile';

testOn('field', { legs: 'both' });
