import type { Mode } from '../endurance/rig';

/** n8n's engines for expressions; the first is the default one. */
export const ENGINES = ['vm', 'legacy', 'quickjs'] as const;
export type Engine = (typeof ENGINES)[number];

/** The engines in words. */
export const ENGINE_NAMES: Record<Engine, string> = {
	vm: 'Default engine',
	legacy: 'Legacy engine',
	quickjs: 'QuickJS engine',
};

/** The settings of n8n that decide how much it can take. */
export interface Settings {
	mode: Mode;
	engine: Engine;
	/** Sandboxes kept ready (`N8N_EXPRESSION_ENGINE_POOL_SIZE`). */
	pool: number;
	/** Whether successful executions are stored. */
	saved: boolean;
	/** How many executions run at the same time in one n8n (-1: no limit), or in each worker. */
	limit: number;
}

/** Where processor time goes. In one n8n, all is the main process's, and the database is part of it. */
export const PARTS = ['main', 'webhook', 'worker', 'postgres', 'redis'] as const;
export type Part = (typeof PARTS)[number];

/** Milliseconds of processor time for one event or question. */
export type Cost = Record<Part, number>;

/** What was measured of one way to run n8n. */
export interface Measured extends Settings {
	/** Events a second, taken and worked off, as fast as they go. */
	perSecond: number;
	/** The lowest and the highest of several rounds. */
	range?: [lowest: number, highest: number];
	event: Cost;
	question: Cost;
	/** Milliseconds until a question of the routing trigger is answered, one at a time. */
	answer: { p50: number; p99: number };
	/** MiB that one process holds: at rest, and at most. */
	memory: Partial<Record<'main' | 'webhook' | 'worker', { rest: number; peak: number }>>;
	/** Rows that PostgreSQL writes for one event: inserted, updated, and deleted. */
	rows?: number;
}
