import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { Tls } from '../certificate';

export type MailServer = Awaited<ReturnType<typeof startMail>>;

const FROM = 'calls@example.com';
const LOGIN = { user: 'calls', password: 'mail-password' };

/** Starts a typical company mail server on a free port of `localhost`: TLS, a login, and sometimes busy. */
export async function startMail(tls: Tls) {
	const mails: Array<ReturnType<typeof read>> = [];
	let refusals = 0;
	const server = new SMTPServer({
		...tls,
		secure: true,
		onAuth: ({ username, password }, _session, done) => {
			if (username === LOGIN.user && password === LOGIN.password) done(null, { user: username });
			else done(Object.assign(new Error('Invalid login'), { responseCode: 535 }));
		},
		onMailFrom: ({ address }, _session, done) => {
			if (refusals-- > 0) done(Object.assign(new Error('Try later'), { responseCode: 450 }));
			else if (address === FROM) done();
			else done(Object.assign(new Error('Not your address'), { responseCode: 553 }));
		},
		onData: (stream, _session, done) => {
			void buffer(stream).then((bytes) => {
				mails.push(read(bytes.toString('latin1')));
				done();
			});
		},
	});
	server.on('error', () => undefined);
	server.listen(0, '127.0.0.1');
	await once(server.server, 'listening');
	const { port } = server.server.address() as AddressInfo;
	return {
		/** The data of an n8n credential for it. */
		credential: { host: 'localhost', port, secure: true, ...LOGIN },
		mails,
		/** Rejects the next mails for now (450). */
		fail: (times: number) => void (refusals = times),
		close: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
	};
}

/** Reads a mail as n8n composes it: one HTML part, alone or with attachments. */
function read(text: string) {
	const { headers, body } = split(text);
	const boundary = /boundary="([^"]+)"/.exec(headers)?.[1];
	const parts = boundary === undefined ? [text] : body.split(`--${boundary}`).slice(1, -1);
	const subject = /^Subject: (.*)$/im.exec(headers)?.[1] ?? '';
	// The attached files by name.
	const mail = { subject, html: '', files: {} as Record<string, Buffer> };
	for (const part of parts.map(split)) {
		const file = /filename="?([^"\r\n]+)/.exec(part.headers)?.[1];
		const content = decode(part);
		if (file === undefined) mail.html = content.toString();
		else mail.files[file] = content;
	}
	return mail;
}

function split(text: string) {
	const [headers = '', ...rest] = text.replace(/^\r\n/, '').split('\r\n\r\n');
	return { headers: headers.replace(/\r\n[ \t]+/g, ' '), body: rest.join('\r\n\r\n') };
}

function decode({ headers, body }: ReturnType<typeof split>): Buffer {
	if (/^Content-Transfer-Encoding: base64/im.test(headers)) return Buffer.from(body, 'base64');
	if (!/^Content-Transfer-Encoding: quoted-printable/im.test(headers)) return Buffer.from(body);
	const text = body
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_match, code: string) => String.fromCharCode(parseInt(code, 16)));
	return Buffer.from(text, 'latin1');
}
