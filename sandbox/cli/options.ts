import { CliError, jsonOrText } from './client';

/**
 * Reads `name=value` pairs. A value that is JSON is parsed, unless its field is text. Throws a
 * CliError naming a malformed pair.
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
			return [name, isText(name) ? value : jsonOrText(value)];
		}),
	);
}
