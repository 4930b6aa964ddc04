import { CODES_OF_COUNTRIES, makeRules } from './rules';

/** The generated files, by their place in the repository. */
export function phoneFiles(): Map<string, string> {
	const home = 'nodes/VirtualPbx/values/phone';
	return new Map([
		[`${home}/rules.ts`, rulesFile()],
		[`${home}/countries.ts`, countriesFile()],
	]);
}

function rulesFile(): string {
	return `// Made by \`npm run docs\` from the metadata of libphonenumber-js.

/** Calling codes with countries and numbers, for toE164.ts. */
export const RULES = \`
${filled(makeRules(), ' ')}
\`;
`;
}

function countriesFile(): string {
	const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
	const rows = CODES_OF_COUNTRIES.map((code) => `${code} ${names.of(code) ?? code}`);
	return `// Made by \`npm run docs\` from the metadata of libphonenumber-js.

/** The countries that have rules: ISO codes and English names. */
export const COUNTRIES = \`
${filled(rows, '; ')}
\`;
`;
}

/** Fills lines of a usual width; a longer entry has lines of its own, which go on after a tab. */
function filled(entries: readonly string[], separator: string): string {
	const lines: string[] = [];
	for (const entry of entries) {
		const line = lines.at(-1);
		if (line !== undefined && line.length + entry.length < 220)
			lines[lines.length - 1] = `${line}${separator}${entry}`;
		else lines.push(entry.replace(/.{970}[^|]*\|/g, '$&\n\t'));
	}
	return lines.join('\n');
}
