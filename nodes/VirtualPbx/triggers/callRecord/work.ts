import type { IPollFunctions } from 'n8n-workflow';

import type { Pbx } from '../../transport/pbx';
import type { Settings } from './settings';
import type { Span } from './span';

/** What a poll works with. */
export interface Work {
	context: IPollFunctions;
	/** For lists; its requests end with the poll. */
	pbx: Pbx;
	/** For recordings, whose downloads may outlive the poll. */
	files: Pbx;
	settings: Settings;
	span: Span;
	/** Identifies the node and what it asks for in this process. */
	place: string;
	/** Waits so many milliseconds. */
	wait: (milliseconds: number) => Promise<void>;
}
