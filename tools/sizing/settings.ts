import { UNSAVED } from '../bench/flow';
import type { Settings } from './measured';

/** n8n's own value for "no limit" of executions at the same time. */
export const UNLIMITED = -1;

const REGULAR: Settings = {
	mode: 'regular',
	engine: 'vm',
	pool: 1,
	saved: true,
	limit: UNLIMITED,
};
const QUEUE: Settings = { ...REGULAR, mode: 'queue', limit: 10 };

/** What is measured beside each other: each setting by itself, from n8n's defaults, and what helps together. */
export const ROWS: readonly Settings[] = [...variantsOf(REGULAR, 10), ...variantsOf(QUEUE, 5)];

function variantsOf(base: Settings, limit: number): Settings[] {
	const legacy = { ...base, engine: 'legacy' } as const;
	return [
		base,
		{ ...base, pool: 4 },
		{ ...base, pool: 8 },
		{ ...base, saved: false },
		{ ...base, limit },
		legacy,
		{ ...legacy, saved: false },
		{ ...base, engine: 'quickjs' },
	];
}

/** The environment that gives n8n these settings. */
export const environmentOf = ({ mode, engine, pool, limit }: Settings): Record<string, string> => ({
	N8N_EXPRESSION_ENGINE: engine,
	N8N_EXPRESSION_ENGINE_POOL_SIZE: String(pool),
	...(mode === 'regular' && { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(limit) }),
	N8N_LOG_LEVEL: 'error',
});

/** The workflow settings that store successful executions, or none. */
export const workflowSettingsOf = ({ saved }: Settings) =>
	saved ? { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' } : UNSAVED;
