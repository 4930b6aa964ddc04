import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { gregorianNow } from '../../sandbox/model/time';
import { Editor } from '../../tools/browser/editor';
import { launchBrowser } from '../../tools/browser/launch';
import { ROOT } from '../../tools/n8n';
import type { N8nClient, N8nProcess, Workflow } from '../../tools/n8n';
import { eventually, later, SHORT } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { enter, importKit, runKit, settle } from '../support/e2e/kits';
import { GoogleDrive } from '../support/services/googleDrive';
import { startAmong } from '../support/e2e/own';
import { spreadCalls } from '../support/history/calls';
import type { PastCall } from '../support/history/calls';
import { countCalls, seenIn } from '../support/history/figures';
import type { Figures, Grouping } from '../support/history/figures';
import { recordCalls } from '../support/history/records';
import { IS_RELEASE } from '../support/release';
import { Hubspot } from '../support/services/hubspot';
import { startMail } from '../support/services/mail';
import type { MailServer } from '../support/services/mail';
import { Pipedrive } from '../support/services/pipedrive';
import { S3 } from '../support/services/s3';
import { Slack } from '../support/services/slack';
import { Telegram } from '../support/services/telegram';
import { Zendesk } from '../support/services/zendesk';

const MISSED = { ring_seconds: 5, outcome: 'cancelled' } as const;
/** Records tell no parts of a second, and quickened calls are dated by their own, slower clock. */
const SECOND_MS = 1500;
const COMPANY = '12125550100';
const ANNA = '+12125550123';
const NEWCOMER = '+16465550101';
const TWICE = '+16465550102';
const EARLIER = '+16465550109';
const LATE = '+16465550103';
const HOSTILE = '+16465550108';

const telegram = new Telegram();
const slack = new Slack();
const drive = new GoogleDrive();
const s3 = new S3();
const services = [telegram, slack, drive, s3];
const hubspot = new Hubspot();
const crms = [hubspot, new Pipedrive(), new Zendesk()];

let mail: MailServer;
let main: N8nProcess;
let n8n: N8nClient;
let pbx: TestPbx;
let kits: Record<string, Workflow>;

const counts = () => ({
	...{ telegram: telegram.messages.length, slack: slack.messages.length },
	...{ drive: drive.files.length, s3: s3.files.size, storedInS3: s3.stored },
});

const kitOf = (name: string): Workflow => {
	const kit = kits[name];
	if (!kit) throw new Error(`There is no kit ${name}`);
	return kit;
};

const incoming = async (from: string, more: object = {}) =>
	await pbx.client.call({ ...SHORT, from: from.replace('+', ''), to: COMPANY, ...more });

/** Runs a kit from one of its nodes; gives what went wrong, if anything. */
const run = async (name: string, trigger: string) => await runKit(n8n, kitOf(name), trigger);

/** How many executions of a kit have failed. */
const errorsOf = async (name: string): Promise<number> =>
	(await n8n.listExecutions({ workflowId: kitOf(name).id, status: 'error' })).length;

/** Runs by hand look at once for messages that are missing, where the schedule gives the event some minutes. */
async function lookAtOnce({ id, nodes, connections }: Workflow): Promise<void> {
	const own = structuredClone(nodes);
	for (const { parameters } of own.filter(({ name }) => name === 'Missed Calls'))
		parameters.before = '={{ $now }}';
	await n8n.updateWorkflow(id, { nodes: own, connections });
}

/** Looks after missed messages. */
const catchUp = () =>
	['telegram', 'slack'].map(async (name) => await run(name, 'Every 10 Minutes'));

beforeAll(async () => {
	const bed = await startAmong([...services, ...crms], { country: 'US', hasEditor: true });
	({ main, n8n, pbx } = bed);
	mail = await startMail(bed.internet.tls);
	later(mail.close);
	const credentials = await Promise.all([
		bed.credential,
		n8n.createCredential('telegramApi', 'Telegram', {
			...{ accessToken: telegram.token, baseUrl: 'https://api.telegram.org' },
		}),
		n8n.createCredential('slackApi', 'Slack', { accessToken: slack.token }),
		n8n.createCredential('smtp', 'Mail', mail.credential),
		n8n.createCredential('googleDriveOAuth2Api', 'Google', drive.credential()),
		n8n.createCredential('aws', 'AWS', {
			...{ region: s3.region, accessKeyId: s3.key, secretAccessKey: 'aws-secret' },
		}),
	]);
	const folder = `https://drive.google.com/drive/folders/${drive.folder}?usp=sharing`;
	const own = { credentials, settings: {} };
	kits = {
		telegram: await importKit(n8n, 'services/telegram.json', own),
		slack: await importKit(n8n, 'services/slack.json', own),
		report: await importKit(n8n, 'services/daily-report-email.json', own),
		month: await importKit(n8n, 'services/last-month-spreadsheet.json', own),
		week: await importKit(n8n, 'services/week-in-figures.json', own),
		drive: await importKit(n8n, 'services/recordings-to-google-drive.json', {
			...{ credentials, settings: { folder } },
		}),
		s3: await importKit(n8n, 'services/recordings-to-s3.json', own),
	};
	await incoming(EARLIER, MISSED);
	for (const name of ['telegram', 'slack', 's3'])
		expect([name, await run(name, 'Set Up')]).toEqual([name, undefined]);
	for (const { id } of Object.values(kits)) await n8n.activate(id);
	await lookAtOnce(kitOf('telegram'));
	await lookAtOnce(kitOf('slack'));
});

it('tell, store and file each call once, also where the service first refuses', async () => {
	drive.expire();
	services.forEach((service) => service.fail(429, { times: 1, headers: { 'retry-after': '1' } }));
	drive.loseAnswer('/upload', 'PUT');
	await incoming(ANNA);
	await incoming(NEWCOMER, MISSED);
	await incoming(TWICE, MISSED);
	await incoming(TWICE, MISSED);
	await incoming('anonymous', MISSED);
	await pbx.client.call({ ...SHORT, from: '100', to: ANNA });
	await pbx.client.call({ ...SHORT, from: '100', to: '101' });
	await sleep(SECOND_MS);
	await pbx.client.call({ ...SHORT, from: '100', to: NEWCOMER });
	await eventually(() => {
		expect(counts()).toMatchObject({ telegram: 3, slack: 3, drive: 4, s3: 4 });
	}, 120_000);
	await settle(n8n);
	expect(await Promise.all(catchUp())).toEqual([undefined, undefined]);
	expect(counts()).toMatchObject({ telegram: 4, slack: 4, drive: 4, s3: 4 });
});

it('say who called, when, how long it rang, and what to call', () => {
	// The message that the service refused is sent later, by the call record, which doesn't say it.
	const when = /\w{3} \d+ \w{3}, \d\d:\d\d(, rang for \d+ s)?, called \+12125550100$/;
	const inTelegram = telegram.messages.map(({ text }) => text.split('\n'));
	const inSlack = slack.messages.map(({ text }) => text.split('\n'));

	expect(inTelegram.map(([who]) => who).sort()).toEqual([
		`<b>Missed call</b> from ${NEWCOMER}`,
		...[TWICE, TWICE].map((number) => `<b>Missed call</b> from ${number}`),
		'<b>Missed call</b> from anonymous caller',
	]);
	expect(inSlack.map(([who]) => who)).toContain(`*Missed call* from <tel:${NEWCOMER}|${NEWCOMER}>`);
	const lines = [...inTelegram, ...inSlack].map(([, line]) => line);
	lines.forEach((line) => expect(line).toMatch(when));
	expect(lines.filter((line) => line?.includes('rang for'))).toHaveLength(6);
});

it('list those who still wait for a call back', async () => {
	await run('telegram', 'Every Working Hour');
	await run('slack', 'Every Working Hour');
	const [inTelegram, inSlack] = [telegram.messages.at(-1)?.text, slack.messages.at(-1)?.text];

	expect(inTelegram).toMatch(/^<b>Not called back yet: 2<\/b>\n• /);
	expect(inTelegram).toMatch(/• \+16465550102: missed 2 times, last \w{3} \d+ \w{3}, \d\d:\d\d$/m);
	expect(inTelegram).not.toContain('anonymous caller');
	expect(inTelegram).not.toContain(NEWCOMER);
	expect(inSlack).toMatch(/• <tel:\+16465550102\|\+16465550102>: missed 2 times/);
});

it('put each recording under its own name', () => {
	const calls = pbx.sandbox.exchange.list();
	const recorded = [...s3.files.keys()].map((key) => key.replace('recordings/', '')).sort();

	expect(calls.length).toBeGreaterThan(recorded.length);
	expect(drive.files.map(({ name }) => name).sort()).toEqual(recorded);
	expect(recorded.every((name) => name.endsWith('.wav'))).toBe(true);
});

it('change nothing when they run again for the same calls', async () => {
	await settle(n8n);
	const before = counts();
	const night = ['drive', 's3'].map(async (name) => await run(name, 'Every Night'));
	const ended = await Promise.all([...night, ...catchUp()]);

	expect(ended.filter(Boolean)).toEqual([]);
	expect(counts()).toEqual(before);
});

it('show what a caller calls themselves as text', async () => {
	await pbx.client.addRecords([hostileCall()]);
	expect(await Promise.all(catchUp())).toEqual([undefined, undefined]);
	const [first] = telegram.messages.at(-1)?.text.split('\n') ?? [];
	expect(first).toBe(`<b>Missed call</b> from &lt;b&gt;*[x](//evil)&lt;!channel&gt;, ${HOSTILE}`);
	const [line] = slack.messages.at(-1)?.text.split('\n') ?? [];
	expect(line).toBe(`*Missed call* from bx(evil)channel, <tel:${HOSTILE}|${HOSTILE}>`);
});

// It waits for the nodes' own retries.
if (IS_RELEASE)
	it('lose no call while the services are down, and show that they are', async () => {
		const before = counts();
		const names = ['telegram', 'slack', 'drive', 's3'];
		const earlier = await Promise.all(names.map(errorsOf));
		services.forEach((service) => service.fail(503));
		const { token } = slack;
		slack.token = 'another one, as the old one was revoked';
		await incoming(LATE, MISSED);
		await pbx.client.addRecording({ bytes: 12_000_000 });
		await pbx.client.addRecords([lostCall()]);
		const failed = names.map(async (name, index) => {
			await eventually(async () => {
				expect(await errorsOf(name)).toBeGreaterThan(earlier[index] ?? 0);
			}, 120_000);
		});
		const [inVain] = await Promise.all([Promise.all(catchUp()), ...failed]);
		services.forEach((service) => service.recover());
		slack.token = token;
		await settle(n8n);
		expect([inVain.every(Boolean), counts()]).toEqual([true, before]);

		const night = ['drive', 's3'].map(async (name) => await run(name, 'Every Night'));
		const ended = await Promise.all([...night, ...catchUp()]);
		expect(ended.filter(Boolean)).toEqual([]);
		expect(counts()).toEqual({
			// The call with the large recording reached no person, so it is missed, too.
			...{ telegram: before.telegram + 3, slack: before.slack + 3 },
			...{ drive: before.drive + 1, s3: before.s3 + 1, storedInS3: before.storedInS3 + 1 },
		});
		const sizes = [drive.files.at(-1)?.bytes.length, [...s3.files.values()].at(-1)?.bytes.length];
		expect(sizes).toEqual([12_000_000, 12_000_000]);
		expect(s3.mostParts).toBe(3);
		const told = telegram.messages.slice(-3).map(({ text }) => text.split('\n')[0]);
		expect(told.sort()).toEqual(
			[
				`<b>Missed call</b> from ${LATE}`,
				`<b>Missed call</b> from ${ANNA}`,
				'<b>Missed call</b> from Tom &amp; &lt;Jerry&gt;, +16465550104',
			].sort(),
		);
	});

it('send the report and the calls of a month by email, also where the server first refuses', async () => {
	const month = await n8n.rest
		.request<{ timezone: string }>('GET', 'settings')
		.then(({ timezone: timeZone }) => new Intl.DateTimeFormat('sv', { timeZone }).format());
	await enter(n8n, kitOf('month'), 'month', month.slice(0, 7));
	mail.fail(2);
	const ended = await Promise.all([run('report', 'Every Evening'), run('month', 'Every Month')]);
	const [first, second] = [...mail.mails].sort((one) => (one.html.includes('<h1') ? -1 : 1));
	const [name, bytes] = Object.entries(second?.files ?? {})[0] ?? [];

	expect([ended, mail.mails.length]).toEqual([[undefined, undefined], 2]);
	expect(first?.subject).toMatch(/^Calls of \d+ \w+ \d{4}: \d answered, \d missed$/);
	expect(first?.html).toContain(`<a href="tel:${TWICE}">${TWICE}</a>`);
	expect(first?.html).not.toContain(`tel:${NEWCOMER}`);
	expect(first?.html).not.toContain('anonymous caller');
	expect(first?.html).toContain('&lt;b&gt;*[x](//evil)&lt;!channel&gt;');
	expect(second?.html).toMatch(/\d+ calls, of them \d missed\./);
	expect(name).toBe(`Calls ${month.slice(0, 7)}.xlsx`);
	expect(bytes?.subarray(0, 2).toString()).toBe('PK');
	expect(bytes?.includes('<f>')).toBe(false);
	[ANNA, NEWCOMER, TWICE, 'anonymous', 'Dialed Number'].forEach((text) =>
		expect(bytes?.includes(text)).toBe(true),
	);
});

it('send the figures of last week by email, as counted from what happened', async () => {
	const { timezone: timeZone } = await n8n.rest.request<{ timezone: string }>('GET', 'settings');
	const { span, isLast, isBefore } = weeksIn(timeZone);
	const calls = spreadCalls(100, span.from, span.to);
	recordCalls(pbx, calls);
	mail.mails.length = 0;
	expect(await run('week', 'Every Monday')).toBeUndefined();
	const [sent] = mail.mails;

	const counted = (groupBy: Grouping[], counts = isLast) =>
		countCalls(calls, { groupBy, timeZone, from: 0, to: Infinity, counts });
	const both = [...counted([]), ...counted([], isBefore)];
	const of = (name: keyof Figures) => both.map((week) => week[name]);
	const shown = sent?.html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
	const [answered, missed] = [of('answered')[0], of('missed')[0]];
	expect(sent?.subject).toContain(`: ${answered} answered, ${missed} missed`);
	expect(shown).toContain(`Calls ${of('calls').join(' ')} Answered`);
	expect(shown).toContain(`Of them, called back ${of('calledBack').join(' ')} Median`);
	for (const day of counted(['weekday']))
		expect(shown).toContain(`${day.weekday} ${day.answered} of ${day.calls} `);
	for (const one of counted(['employee']).filter(({ employee }) => employee !== null))
		expect(shown).toContain(`${one.employee} ${one.calls} ${one.answered} ${one.missed} `);
	const mondays = counted(['weekday', 'hour']).filter(({ weekday }) => weekday === 'Monday');
	const hours = mondays.sort((a, b) => Number(a.hour) - Number(b.hour)).map((hour) => hour.calls);
	expect(shown).toMatch(new RegExp(` Monday ${hours.join(' ')} Tuesday [\\d ]+ Wednesday `));
});

describe('credentials of CRMs', () => {
	it.each(crms)("pass n8n's test of a credential: $title", async (crm) => {
		const test = async (data: ICredentialDataDecryptedObject) => {
			const credential = await n8n.createCredential(crm.credentialType, crm.title, data);
			return (await n8n.testCredential(credential, data)).status;
		};
		const data = crm.credential();
		const [secret = ''] = Object.keys(data).filter((name) => /token$/i.test(name));
		expect([await test(data), await test({ ...data, [secret]: 'wrong' })]).toEqual(['OK', 'Error']);
	});

	it("are in each node of a workflow imported in the editor, by n8n's names, so that nothing is left to choose", async () => {
		const create = async (type: string, name: string, data: ICredentialDataDecryptedObject) =>
			(await n8n.createCredential(type, name, data)).id;
		const mine = {
			virtualPbxApi: await create('virtualPbxApi', 'Virtual PBX account', pbx.account),
			hubspotAppToken: await create(
				...(['hubspotAppToken', 'HubSpot Service Key account', hubspot.credential()] as const),
			),
		};
		const browser = await launchBrowser();
		later(async () => await browser.close());
		const editor = await Editor.open(browser, main.url);
		const id = await editor.importFile(path.join(ROOT, 'examples/crm/hubspot.json'));
		await eventually(async () => {
			const { nodes } = await n8n.getWorkflow(id);
			const chosen = nodes.flatMap(({ credentials = {} }) => Object.entries(credentials));
			expect(chosen).toHaveLength(10);
			for (const [type, { id: one }] of chosen) expect(one).toBe(Reflect.get(mine, type));
			const open = nodes.filter(
				({ parameters: { workflowId } }) => (workflowId as IDataObject | undefined)?.value === '',
			);
			expect(open.map(({ name }) => name)).toEqual([]);
		});
	});
});

/** The last two weeks in a time zone: a span around them, and in which of them a call ended. */
function weeksIn(timeZone: string) {
	const seen = seenIn(timeZone);
	const today = Date.parse(seen(Date.now() / 1000).day);
	const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS;
	const weekAt = (start: number) => {
		const [from, to] = [start, start + 7 * DAY_MS].map((day) => new Date(day).toISOString());
		const inWeek = (day: string) =>
			day >= String(from?.slice(0, 10)) && day < String(to?.slice(0, 10));
		return (call: PastCall) => inWeek(seen(call.at).day);
	};
	const [from, to] = [monday - 15 * DAY_MS, monday].map((time) => time / 1000);
	return {
		span: { from: Number(from), to: Number(to) },
		isLast: weekAt(monday - 7 * DAY_MS),
		isBefore: weekAt(monday - 14 * DAY_MS),
	};
}

const DAY_MS = 86_400_000;

/** The record of a missed call of a minute ago whose event never came. */
const lostCall = () => ({
	TIMESTAMP: String(gregorianNow() - 60),
	CALLER_ID_NUMBER: '16465550104 (Tom & <Jerry>)',
	HANGUP_CAUSE: 'NO_ANSWER',
});

/** The record of a missed call whose caller has chosen a name that is markup. */
const hostileCall = () => ({
	TIMESTAMP: String(gregorianNow() - 40),
	CALLER_ID_NUMBER: `"<b>*[x](//evil)<!channel>" <sip:${HOSTILE}@evil>`,
	HANGUP_CAUSE: 'NO_ANSWER',
});
