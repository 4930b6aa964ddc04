import type { IDataObject } from 'n8n-workflow';

import { Cdr } from '../../nodes/VirtualPbx/pbx/cdrs/cdr';

/** Reads records as the client does. */
export const cdrsIn = (records: readonly IDataObject[]): Cdr[] =>
	records.map((record) => new Cdr(record));
