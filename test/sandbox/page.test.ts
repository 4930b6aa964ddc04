import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openPage } from '../../tools/browser/launch';
import { eventually } from '../support/eventually';
import { Listening } from './support/listening';
import { json, Receiver } from './support/receiver';

describe('the page, in a real browser', () => {
	const pbx = new Listening();
	const service = new Receiver();
	const complaints: string[] = [];
	let browser: Browser;
	let page: Page;

	beforeAll(async () => {
		await pbx.open({ recording_delay_seconds: 0 });
		await service.open();
		browser = await launchBrowser();
		page = await openPage(browser, { viewport: { width: 1280, height: 900 } });
		page.on('request', (request) => {
			if (!request.url().startsWith(pbx.sandbox.url)) complaints.push(`asked ${request.url()}`);
		});
		page.on('pageerror', ({ message }) => complaints.push(message));
		page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
		await page.goto(pbx.sandbox.url);
		await page.waitForSelector('#live.on');
		await page.waitForSelector('#account option', { state: 'attached' });
	});
	afterAll(async () => {
		await browser.close();
		await pbx.close();
		await service.close();
	});

	const text = async (selector: string) => (await page.textContent(selector)) ?? '';

	/** Places a call by the form that rings, and is then answered, until someone hangs up. */
	const place = async (ringSeconds: number) => {
		await page.fill('[name=to]', '101');
		await page.fill('[name=ring_seconds]', String(ringSeconds));
		await page.fill('[name=talk_seconds]', '10000');
		await page.click('button.primary');
	};

	test('calls are placed by the form, their legs move live, and they can be hung up', async () => {
		await place(1);
		await page.waitForSelector('.leg.answered');
		await page.click('text=Hang up');
		await page.waitForSelector('.call.ended');
		expect(await text('.call.ended')).toContain('LOSE_RACE');
		await place(10_000);
		await page.waitForSelector('.leg.ringing');
		await page.click('text=Hang up');
		await page.locator('.call.ended').nth(1).waitFor();
	});

	test('deliveries show their answers, and the event when opened', async () => {
		await page.waitForSelector('#panel-deliveries .pill.good');
		await page.click('#panel-deliveries summary');
		expect(await text('#panel-deliveries .row[open]')).toContain('"Answer-State"');
	});

	test('a routing question shows its answer and the rule that it breaks', async () => {
		const callflow = pbx.account.callflows.match('12125550102');
		const url = `{dflow}&callflow_id=${callflow?.id}&webserver=${service.host}/route`;
		if (callflow) callflow.flow.data.voice_url = url;
		service.respond = json({ operations: [{ type: 'fax' }] });
		await pbx.call({ to: '12125550102' });
		await page.click('#tab-routing');
		await page.waitForSelector('#panel-routing .row');
		expect(await text('#panel-routing .row')).toContain('§2.3 type is known');
	});

	test('a recording is played', async () => {
		await page.click('#calls > li:last-child >> text=/Recording|Not ready/');
		await page.waitForSelector('audio');
		await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0);
		const seconds = await page.evaluate(() => document.querySelector('audio')?.duration);
		expect(seconds).toBeGreaterThan(0);
	});

	test('a fault is switched on and off', async () => {
		const box = page.locator('#switches li', { hasText: '503' }).locator('input');
		const faults = () => pbx.sandbox.pbx.faults.list();
		await box.click();
		await eventually(() => expect(faults()).toMatchObject([{ kind: 'status', status: 503 }]));
		await page.waitForSelector('#switches input:checked');
		await box.click();
		await eventually(() => expect(faults()).toEqual([]));
	});

	test('webhooks show how they are, and are switched off and on', async () => {
		const [first] = pbx.account.webhooks.all();
		const row = page.locator('#webhooks li').first();
		await row.locator('.pill', { hasText: /^(ok|failing)$/ }).waitFor();
		await row.locator('button', { hasText: 'Disable' }).click();
		await row.locator('.pill', { hasText: 'switched off' }).waitFor();
		expect(pbx.account.webhooks.get(first?.id ?? '')?.enabled).toBe(false);
		await row.locator('button', { hasText: 'Enable' }).click();
		await row.locator('.pill', { hasText: /^(ok|failing)$/ }).waitFor();
		expect(pbx.account.webhooks.get(first?.id ?? '')?.enabled).toBe(true);
	});

	test('a call taken by a fax or a conference is no failure', async () => {
		for (const machine of ['fax', 'conference'] as const) {
			await pbx.call({ to: '12125550100', taken_by: machine });
			await page.locator('.call-head .pill.good', { hasText: machine }).waitFor();
		}
	});

	test('a reset empties the page', async () => {
		await page.click('#reset');
		await page.waitForFunction(() => document.querySelectorAll('.call').length === 0);
	});

	test('the browser complained of nothing, and asked no other host', async () => {
		expect(complaints).toEqual([]);
	});
});
