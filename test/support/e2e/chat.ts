import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { WebSocket } from 'undici';
import type { N8nClient, Workflow } from '../../../tools/n8n';
import { EMPLOYEE_HEADERS } from './examples';
import { eventually } from './index';

/** A conversation in n8n's chat, as on its page. */
export interface Conversation {
	executionId: string;
	/** The chat's messages so far: texts, or questions with buttons. */
	messages: Array<string | Question>;
	/** Waits for the next message after `count` others. */
	message(count: number): Promise<string | Question>;
	close(): void;
}

/** A question with buttons that open links. */
export interface Question {
	text: string;
	buttons: Array<{ text: string; link: string }>;
}

/** Sends a message to a published chat. Without an employee's headers, n8n rejects it. */
export async function sendToChat(
	{ rest }: N8nClient,
	{ nodes }: Workflow,
	text: string,
	headers: Record<string, string> = EMPLOYEE_HEADERS,
): Promise<Response> {
	const { webhookId } = nodes.find(({ type }) => type.endsWith('.chatTrigger')) ?? {};
	return await fetch(`${rest.url}/webhook/${webhookId}/chat`, {
		method: 'POST',
		headers: { ...headers, 'content-type': 'application/json' },
		body: JSON.stringify({ action: 'sendMessage', sessionId: randomUUID(), chatInput: text }),
	});
}

/** Starts a conversation as the chat's page does: a message, then a socket for the replies. */
export async function converse(
	n8n: N8nClient,
	workflow: Workflow,
	text: string,
): Promise<Conversation> {
	const started = (await (await sendToChat(n8n, workflow, text)).json()) as IDataObject;
	const executionId = String(started.executionId);
	const query = new URLSearchParams({
		sessionId: randomUUID(),
		executionId,
		isPublic: 'true',
		token: String(started.resumeToken ?? ''),
	});
	const socket = new WebSocket(`${n8n.rest.url.replace('http', 'ws')}/chat?${query.toString()}`);
	const messages: Conversation['messages'] = [];
	socket.addEventListener('message', ({ data }) => {
		if (data === 'n8n|heartbeat') socket.send('n8n|heartbeat-ack');
		else if (data !== 'n8n|continue') messages.push(readMessage(String(data)));
	});
	return {
		executionId,
		messages,
		message: async (count) =>
			await eventually(() => {
				const next = messages[count];
				if (next === undefined) throw new Error(`No message after ${JSON.stringify(messages)}`);
				return next;
			}),
		close: () => socket.close(),
	};
}

function readMessage(text: string): string | Question {
	return text.startsWith('{') ? (JSON.parse(text) as Question) : text;
}

/** Selects a button of a question in the browser. */
export async function select(question: string | Question, label: string): Promise<void> {
	const buttons = typeof question === 'string' ? [] : question.buttons;
	const link = buttons.find(({ text }) => text === label)?.link ?? '';
	await fetch(link, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' } });
}
