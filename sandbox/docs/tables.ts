import type { TSchema } from '@sinclair/typebox';
import { callSchema } from '../calls/params';
import { PROFILES } from '../model/profiles';
import { settingRows, type Settings } from '../model/settings';
import { table } from './markdown';

const callRows = (): string[][] =>
	Object.entries<TSchema>(callSchema.properties).map(([name, schema]) => [
		`\`${name}\``,
		schema.default === undefined ? '' : `\`${String(schema.default)}\``,
		[
			String(schema.description),
			...(schema.enum ? [`(${schema.enum.map(String).join(', ')})`] : []),
		].join(' '),
	]);

/** The tables within the sandbox's manuals that are made from the code, by the name of their marker. */
export const tables = (): Record<string, string> => ({
	calls: table([['Field', 'Default', 'Meaning'], ...callRows()]),
	profile: table([
		['Setting', '`contract`', '`field`'],
		...settingRows()
			.filter(({ name }) => name in PROFILES.field)
			.map(({ name, fallback }) => [
				`\`${name}\``,
				`\`${fallback}\``,
				`\`${JSON.stringify(PROFILES.field[name as keyof Settings])}\``,
			]),
	]),
});

/** Puts the tables between their markers (`<!-- calls -->` ... `<!-- /calls -->`) of a text. */
export const fillTables = (text: string): string =>
	Object.entries(tables()).reduce(
		(filled, [name, content]) =>
			filled.replace(
				new RegExp(`(<!-- ${name} -->)[^]*?(<!-- /${name} -->)`),
				(_all, start: string, end: string) => `${start}\n\n${content}\n\n${end}`,
			),
		text,
	);
