import { IS_RELEASE } from '../support/release';
import { runMatrix, SECTIONS } from './matrix';

let complaints: Map<string, string[]>;
beforeAll(async () => void (complaints = await runMatrix(IS_RELEASE)), 480_000);

it.each(SECTIONS)(
	'%s: says what to do, shows no secret, loses nothing, does nothing twice, and recovers from what passes',
	(section) => expect(complaints.get(section)).toEqual([]),
);
