import path from 'node:path';

import { linksOf, readPages } from './markdown';

const PAGES = new Map(readPages().map((page) => [page.file, page]));

/** Returns the fewest clicks from the README to a page. */
function clicksTo(file: string): number {
	let reached = new Set(['README.md']);
	for (let clicks = 0; clicks < 5; clicks++) {
		if (reached.has(file)) return clicks;
		const next = [...reached].flatMap((from) => {
			const page = PAGES.get(from);
			const targets = page ? linksOf(page).map((link) => link.split('#')[0] ?? '') : [];
			return targets.map((target) => path.posix.join(path.posix.dirname(from), target));
		});
		reached = new Set([...reached, ...next]);
	}
	return Infinity;
}

const FAQ = 'docs/faq.md';

/** Questions as people type them, and the sentence that answers each. */
const QUESTIONS: Array<[question: string, page: string, answer: string]> = [
	[
		'does it work with 3cx / asterisk / freepbx',
		'README.md',
		'3CX, Asterisk, FreePBX, FusionPBX | No',
	],
	['n8n cloud', 'README.md', "You can't install it on n8n Cloud yet"],
	['try without a pbx', 'README.md', 'Turn on **Sample Events**, and select **Execute step**'],
	[
		'log every call in hubspot',
		'docs/guides/crm-hubspot.md',
		'logs each call once on the matching HubSpot contact',
	],
	['recordings 401 in crm', FAQ, 'Their URL requires the PBX login, so the CRM gets 401'],
	['trigger stopped after restart', FAQ, 'Open the workflow and publish it again'],
	['callback missed after hours', FAQ, "has last night's callers in the morning"],
	['round robin routing', FAQ, 'Another calls employees in turn'],
	[
		'sms on missed call',
		'docs/guides/missed-calls.md',
		'Missed callers get a text message (SMS) through Twilio',
	],
	['sms abroad', FAQ, 'if your Twilio account is allowed to send to that country'],
	[
		'sms in the us: landlines',
		'docs/guides/missed-calls.md',
		'In the US and Canada, leave it empty',
	],
	['self signed certificate', FAQ, 'Turn on **Ignore SSL Issues** in the credential'],
	['which permissions', FAQ, 'To log calls, reading call records is enough'],
	[
		'transferred calls counted twice',
		FAQ,
		'A call is one item and counts once, however often it is transferred',
	],
	['time zone wrong by 3 hours', FAQ, 'Times in items are in UTC'],
	['gdpr delete', 'docs/privacy.md', '## Erase a caller'],
	['where do i find the extension', FAQ, '**Employee > Get Many** lists extensions, names'],
	['click to call', FAQ, '**Call > Start** rings the employee first'],
	[
		'queue mode',
		'docs/run-at-scale.md',
		'In queue mode, `n8n webhook` processes receive what the PBX sends',
	],
	[
		'export last year of calls to a sheet',
		FAQ,
		'Use **Call > Get Many** with **Period** set to **Range**',
	],
	[
		'ai agent answers about calls',
		'docs/guides/assistants.md',
		'Choose your PBX credential in the four tools',
	],
	['voicemail to text', 'docs/guides/recordings.md', "A voicemail message isn't a recording"],
	['block a spam number', 'docs/guides/route-calls.md', '`blocked` or `important` in `rule`'],
	['behind a firewall', FAQ, 'the Call Record Trigger needs outgoing connections only'],
	['which trigger', 'docs/guides/which-trigger.md', 'To log calls, use the Call Record Trigger'],
	['call logged twice', FAQ, 'several events are selected, or the trigger runs once per phone'],
	['who called back', FAQ, 'returns `calledBackBy` and `calledBackAt`'],
	['are calls lost while n8n is down', FAQ, 'The Call Record Trigger catches up'],
	['how many calls per hour', FAQ, "About 400 an hour with n8n's defaults"],
	['what does it cost', FAQ, 'The package is free under the MIT license'],
];

it.each(QUESTIONS)('“%s” is answered within two clicks from the README', (_, page, answer) => {
	expect(clicksTo(page)).toBeLessThanOrEqual(2);
	expect(PAGES.get(page)?.text.replace(/\s+/g, ' ')).toContain(answer);
});
