import { CliError } from './client';

/**
 * Reads `name=value` pairs; a value that is JSON is taken as such, unless its name stands for a text.
 * Throws a CliError naming the pair that has another form.
 */
export function pairs(
	texts: string[],
	isText: (name: string) => boolean = () => false,
): Record<string, unknown> {
	return Object.fromEntries(
		texts.map((text) => {
			const [, name, value] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
			if (name === undefined || value === undefined) {
				throw new CliError(`"${text}" must have the form name=value.`);
			}
			return [name, isText(name) ? value : valueOf(value)];
		}),
	);
}

function valueOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
