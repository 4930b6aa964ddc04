import type { TSchema } from '@sinclair/typebox';
import { callSchema } from '../calls/params';
import { FAULT_KINDS } from '../faults/schema';
import { PROFILES } from '../model/profiles';
import { settingRows, type Settings } from '../model/settings';
import { RULES } from '../routing/answer';
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

/** The tables within docs/sandbox.md that are made from the code, by the name of their marker. */
export const tables = (): Record<string, string> => ({
	calls: table([['field', 'default', 'meaning'], ...callRows()]),
	settings: table([
		['setting', 'default', 'meaning'],
		...settingRows().map(({ name, fallback, description }) => [
			`\`${name}\``,
			`\`${fallback}\``,
			description,
		]),
	]),
	profile: table([
		['setting', 'with `contract`', 'with `field`'],
		...settingRows()
			.filter(({ name }) => name in PROFILES.field)
			.map(({ name, fallback }) => [
				`\`${name}\``,
				`\`${fallback}\``,
				`\`${JSON.stringify(PROFILES.field[name as keyof Settings])}\``,
			]),
	]),
	faults: table([
		['kind', 'what it does'],
		...Object.entries(FAULT_KINDS).map(([kind, meaning]) => [`\`${kind}\``, meaning]),
	]),
	rules: table([
		['type', 'rules'],
		...Object.entries(RULES).map(([type, rules]) => [
			`\`${type}\``,
			rules.map(({ rule }) => rule).join('; '),
		]),
	]),
});

/** Puts the tables between their markers (`<!-- settings -->` ... `<!-- /settings -->`) of a text. */
export const fillTables = (text: string): string =>
	Object.entries(tables()).reduce(
		(filled, [name, content]) =>
			filled.replace(
				new RegExp(`(<!-- ${name} -->)[^]*?(<!-- /${name} -->)`),
				(_all, start: string, end: string) => `${start}\n\n${content}\n\n${end}`,
			),
		text,
	);
