import path from 'node:path';
import ts from 'typescript';
import type { Recording } from './routes';

/** Never written: it exists only while it is checked. */
const FILE = path.join(__dirname, 'exchanges.ts');

const OPTIONS: ts.CompilerOptions = {
	...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, types: [] },
	...{ module: ts.ModuleKind.Preserve, target: ts.ScriptTarget.ES2022 },
};

/** Fits no type: a check that doesn't find it checks nothing. */
const CANARY = {
	...{ official: 'slack', route: 'POST /api/chat.postMessage' },
	body: { channel: 'C', text: 'A', attachments: [{ text: 1 }] },
} as const;

/** Checks what services exchanged by the types of their official clients. Returns what doesn't fit, with the text around. */
export function misfits(recordings: Recording[]): string[] {
	const exchanged = recordings.flatMap(({ official, exchanges }) =>
		official ? [...exchanges.values()].map((exchange) => ({ official, ...exchange })) : [],
	);
	const idle = recordings.flatMap(({ official, exchanges: { size } }) =>
		official && size === 0 ? [`${official}: nothing was exchanged`] : [],
	);
	if (exchanged.length === 0) return idle;
	const all = [...exchanged, CANARY];
	const lines = all.map(({ official, route, ...rest }, index) => {
		const type = `OfficialRoutes['${official}']['${route}']`;
		return `export const exchange${index}: ${type} = ${JSON.stringify(rest)};`;
	});
	const source = ["import type { OfficialRoutes } from './routes';", ...lines].join('\n');
	const found = diagnose(source).map(({ file, start = 0, messageText }) => {
		const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
		const around = source.slice(Math.max(0, start - 60), start + 60).replace(/\d+/g, '0');
		const words = ts.flattenDiagnosticMessageText(messageText, ' ');
		return {
			text: `${all[line - 1]?.route}, …${around}…: ${words}`,
			isCanary: line === all.length,
		};
	});
	if (!found.some(({ isCanary }) => isCanary)) throw new Error('The official types find no fault');
	const others = found.filter(({ isCanary }) => !isCanary).map(({ text }) => text);
	return [...new Set([...idle, ...others])];
}

function diagnose(text: string): readonly ts.Diagnostic[] {
	const host = ts.createCompilerHost(OPTIONS);
	const source = ts.createSourceFile(FILE, text, ts.ScriptTarget.ES2022, true);
	const read = host.getSourceFile.bind(host);
	host.getSourceFile = (name, ...more) => (name === FILE ? source : read(name, ...more));
	const program = ts.createProgram([FILE], OPTIONS, host);
	return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
}
