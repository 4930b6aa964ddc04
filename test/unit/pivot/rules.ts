/**
 * An independent check of an answer against §2.3, written from the contract alone.
 *
 * @returns what is wrong; empty for a valid answer
 */
export function faultsOf(answer: unknown): string[] {
	if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return ['no object'];
	if (!('operations' in answer)) {
		const { type } = answer as { type?: unknown };
		return type === 'extension' || type === 'id'
			? faultsOfOperation(answer)
			: ['bare, and no user operation'];
	}
	const { operations } = answer;
	if (!Array.isArray(operations) || operations.length === 0)
		return ['operations is no list with entries'];
	return operations.flatMap(faultsOfOperation);
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isCount = (value: unknown) =>
	typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isStrategy = (value: unknown) => value === 'simultaneous' || value === 'single';

type Rule = (value: unknown) => boolean;

const RINGING: Record<string, Rule> = { timeout: isCount, delay: isCount, strategy: isStrategy };

const REQUIRED: Record<string, Record<string, Rule>> = {
	extension: { extension: (value) => isText(value) || isCount(value) },
	id: { id: isText },
	device: { id: isText },
	voicemail: { extension: isText },
	callflow: { extension: isText },
	play: { filename: isText },
};

function faultsOfOperation(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return ['no object'];
	const operation = value as Record<string, unknown>;
	const type = String(operation.type);
	const required = Object.hasOwn(REQUIRED, type) ? REQUIRED[type] : undefined;
	if (!required) return ['type'];
	const rings = ['extension', 'id', 'device'].includes(type);
	const optional = Object.entries(rings ? RINGING : {}).filter(([field]) => field in operation);
	return [...Object.entries(required), ...optional]
		.filter(([field, rule]) => !rule(operation[field]))
		.map(([field]) => field);
}
