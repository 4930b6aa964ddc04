import { randomUUID } from 'node:crypto';
import { hasToken, Refused, Service } from './service';

/** A file as Drive stores it. Names aren't unique. */
interface DriveFile {
	id: string;
	name: string;
	bytes: Buffer;
}

const UPLOAD = '/upload/drive/v3/files';
const FOLDER = '1FolderOfTheRecordings';

/** The kit's query for a file. */
const QUERY =
	/^name = '([^']+)' and '([^']+)' in parents and mimeType != 'application\/vnd\.google-apps\.folder' and trashed = false$/;

/** Simulates the documented Google Drive API, as far as the kit uses it. Tokens expire. */
export class GoogleDrive extends Service {
	override readonly official = 'googleDrive';
	readonly folder = FOLDER;
	readonly files: DriveFile[] = [];
	/** The valid access token. {@link expire} replaces it. */
	private token = ACCESS_TOKEN;
	private readonly uploads = new Map<string, DriveFile>();

	constructor() {
		super(
			['www.googleapis.com', 'oauth2.googleapis.com'],
			// An upload's address carries its own permission.
			(request) => /^\/token$|upload_id=/.test(request.url) || hasToken(request, this.token),
		);
		// Where n8n gets the next access token.
		this.on<Buffer>('POST', '/token', ({ body }) => {
			const { grant_type, refresh_token } = Object.fromEntries(new URLSearchParams(String(body)));
			if (grant_type !== 'refresh_token' || refresh_token !== REFRESH_TOKEN)
				throw new Refused(400, { error: 'invalid_grant' });
			return { access_token: this.token, token_type: 'Bearer', expires_in: 3599 };
		});
		this.on('GET', '/drive/v3/files', ({ query: { q = '' } }) => {
			const [, wanted, folder] = QUERY.exec(q) ?? [];
			if (!wanted || !folder) throw refused(400, `Invalid Value: ${q}`);
			if (folder !== FOLDER) throw refused(404, `File not found: ${folder}`);
			const found = this.files.filter(({ name }) => name === wanted);
			return { files: found.map(({ id, name }) => ({ id, name })) };
		});
		this.on<{ name: string; parents: string[] }>(
			'POST',
			UPLOAD,
			({ body: { name, parents } }, reply) => {
				if (!name || parents[0] !== FOLDER) throw refused(404, 'File not found');
				const id = randomUUID();
				this.uploads.set(id, { id, name, bytes: Buffer.alloc(0) });
				const query = `uploadType=resumable&upload_id=${id}`;
				return reply.header('location', `https://www.googleapis.com${UPLOAD}?${query}`).send();
			},
		);
		this.on<Buffer>('PUT', UPLOAD, ({ query: { upload_id = '' }, body, headers }, reply) => {
			const upload = this.uploads.get(upload_id);
			if (!upload) throw refused(404, 'There is no such upload');
			upload.bytes = Buffer.concat([upload.bytes, body]);
			const [, last, total] =
				/^bytes \d+-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
			if (Number(last) + 1 !== upload.bytes.length) throw refused(400, 'Invalid Content-Range');
			if (upload.bytes.length < Number(total)) return reply.code(308).send();
			this.uploads.delete(upload_id);
			this.files.push(upload);
			return { kind: 'drive#file', id: upload.id, name: upload.name };
		});
		this.on('PATCH', '/drive/v3/files/:id', ({ params }) => {
			const file = this.files.find(({ id }) => id === params.id);
			if (!file) throw refused(404, 'File not found');
			return { kind: 'drive#file', id: file.id, name: file.name };
		});
	}

	/** Expires the access token: n8n has to get a new one. */
	expire(): void {
		this.token = 'access-2';
	}

	credential() {
		return googleCredential('drive');
	}
}

/** The first access token of a signed-in credential. */
export const ACCESS_TOKEN = 'access-1';
const REFRESH_TOKEN = 'refresh-token';

/** Returns the data of a signed-in n8n credential with permission for a scope. */
export const googleCredential = (scope: string) => ({
	clientId: 'client',
	clientSecret: 'secret',
	oauthTokenData: {
		...{ access_token: ACCESS_TOKEN, refresh_token: REFRESH_TOKEN, token_type: 'Bearer' },
		...{ expires_in: 3599, scope: `https://www.googleapis.com/auth/${scope}` },
	},
});

function refused(code: number, message: string): Refused {
	return new Refused(code, { error: { code, message, errors: [{ message }] } });
}
