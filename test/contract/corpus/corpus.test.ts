import { KINDS, readCorpus } from '../../support/corpus';
import type { Entry } from '../../support/corpus';

const PUBLIC = [
	'2600hz/kazoo',
	'2600hz/kazoo (3.22)',
	'webasyst/crm',
	'salesplatform/salesplatform-vtigercrm',
	'KozlovB2B/KozlovB2B.github.io',
	'the contract',
];

/** Hosts that nobody has, and addresses that lead nowhere. */
const INVENTED_HOST = /(?:^|[.])(?:example|invalid)$|^10\.20\.0\.\d+$/;

describe.each(KINDS)('the corpus of %s', (kind) => {
	const content = readCorpus<Entry[] | { attempts: Entry[] }>(kind);
	const entries = Array.isArray(content) ? content : content.attempts;
	const text = JSON.stringify(content);

	it('names the public source of each shape', () => {
		const unnamed = entries.filter(({ source }) => {
			const [repository = '', place = ''] = source.split(': ');
			return !PUBLIC.includes(repository) || !/^(?:[\w.-]+\/)*[\w.-]+\.\w+$|^§/.test(place);
		});
		expect(unnamed).toEqual([]);
	});

	it('says of each shape what it is, each once', () => {
		const titles = entries.map(({ what }) => what);
		expect(titles.filter((title, index) => !title || titles.indexOf(title) !== index)).toEqual([]);
	});

	it('has invented numbers and hosts only', () => {
		const numbers = [...text.matchAll(/(?<![\w.-])\+?(7\d{10}|8\d{10})(?!\d)/g)].map(
			([, number = '']) => number,
		);
		const hosts = [...text.matchAll(/(?:https?:\/\/|@)((?:[\w-]+\.)+[\w-]+)/g)].map(
			([, host = '']) => host.replace(/\.(?:mp3)$/, ''),
		);
		expect(numbers.filter((number) => !/^7(495|999)000/.test(number))).toEqual([]);
		expect(hosts.filter((host) => !INVENTED_HOST.test(host))).toEqual([]);
	});
});
