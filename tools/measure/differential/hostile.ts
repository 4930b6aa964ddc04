import type { Delivery } from '../engine/exchange';
import type { Random } from './random';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

/** Returns a body that no PBX would send, based on an event. Some are intact. */
export function hostile(random: Random, event: string, secret: string): [string, Delivery] {
	const raws = [
		...[
			'',
			'[]',
			'{}',
			'null',
			'5',
			'"x"',
			'true',
			'{"data":null}',
			'[[]]',
			'[null,5]',
			'x=1',
			'&&=',
			'%',
			'a[b][c]=1&a[b]=2',
		],
		...[
			`[${event},${event}]`,
			`{"data":${event},"data":[]}`,
			`${'['.repeat(70)}${secret}${']'.repeat(70)}`,
		],
		...[
			`{"__proto__":${secret},"name":"CHANNEL_CREATE"}`,
			`{"args":${secret},"name":"CHANNEL_CREATE"}`,
		],
		...[`{"name":"channel_bridge","custom_data":${secret}}`, secret, `{"n8n_virtual_pbx":"probe"}`],
		...[`[${Array(102).fill(event).join()}]`, `{"name":["CHANNEL_CREATE"],"args":${event}}`],
		event.slice(0, -random.whole(1, 300)),
		random.chance(0.03) ? `{"a":"${'x'.repeat(1_100_000)}","custom_data":${secret}}` : event,
	];
	const raw = random.pick(raws);
	const isJson = raw === '' || isParsed(raw);
	const types = [FORM, 'text/plain', '', ...(isJson ? [JSON_TYPE, JSON_TYPE, JSON_TYPE] : [])];
	return ['hostile', { raw, contentType: random.pick(types) }];
}

function isParsed(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
