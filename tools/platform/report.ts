import type { Result } from './check';
import type { Verdict } from './finding';

/** Headings, most important first. */
const PARTS: Array<[Verdict, heading: string, ofOne: string, ofMore: string]> = [
	['breaks', 'Breaks', 'breaks', 'break'],
	['differs', 'Differs, but works', 'differs, but works', 'differ, but work'],
	['lacks', 'Not offered', "isn't offered", "aren't offered"],
	['unknown', 'Unknown', 'is unknown', 'are unknown'],
	['works', 'Works', 'works', 'work'],
];

const HOW = { read: 'the login failed', write: 'with --write', receive: 'with --receive-at' };

/** Formats results as one page of Markdown that is readable in a terminal, with problems first. */
export function reportOf(address: string, results: readonly Result[]): string {
	const parts = PARTS.map(([verdict, heading, ofOne, ofMore]) => {
		const found = results.filter((result) => result.verdict === verdict);
		const words = found.length === 1 ? ofOne : ofMore;
		return { heading, words, lines: found.map(lineOf), count: found.length };
	}).filter(({ count }) => count > 0);
	const left = results.filter(({ verdict }) => verdict === undefined);
	return [
		`# n8n-nodes-virtual-pbx on ${address}`,
		`${new Date().toISOString().slice(0, 10)}. Of ${results.length - left.length} features, ${parts
			.map(({ count, words }) => `${count} ${words}`)
			.join('; ')}.`,
		...parts.flatMap(({ heading, lines }) => [`## ${heading}`, lines.join('\n')]),
		...(left.length === 0
			? []
			: ['## Not checked', left.map(({ name, needs }) => `- ${name} (${HOW[needs]})`).join('\n')]),
		'',
	].join('\n\n');
}

function lineOf({ name, usedBy, findings }: Result): string {
	const says = findings.map(({ says }) => says.replace(/\.$/, '')).join('. ');
	return `- **${name}**: ${says}. Used by: ${usedBy}.`;
}
