import { randomUUID } from 'node:crypto';
import { GoogleService } from './google';
import { Refused } from './service';

/** A file as Drive stores it. Names aren't unique. */
export interface DriveFile {
	id: string;
	name: string;
	parents: string[];
	mimeType: string;
	bytes: Buffer;
}

interface Metadata {
	name: string;
	parents: string[];
}

const UPLOAD = '/upload/drive/v3/files';

/** The kit's query for a file. */
const QUERY =
	/^name = '([^']+)' and '([^']+)' in parents and mimeType != 'application\/vnd\.google-apps\.folder' and trashed = false$/;

/** Simulates the documented Google Drive API, as far as the kit uses it. Tokens expire. */
export class GoogleDrive extends GoogleService {
	override readonly official = 'googleDrive';
	readonly folder = '1FolderOfTheRecordings';
	readonly files: DriveFile[] = [];
	/** Pending uploads, by ID. */
	private readonly uploads = new Map<string, DriveFile>();

	constructor() {
		super('www.googleapis.com', (path) => path.includes('upload_id='));
		this.app.addContentTypeParser(
			['application/octet-stream', '*'],
			{ parseAs: 'buffer' },
			(_request, body, done) => done(null, body),
		);
		this.app.get('/drive/v3/files', ({ query }) => ({ files: this.find(query as { q: string }) }));
		this.app.post(UPLOAD, ({ query, body, headers }, reply) => {
			const { uploadType } = query as { uploadType?: string };
			if (uploadType !== 'resumable') throw refused(400, 'The stand-in takes resumable uploads');
			const location = this.begin(body as Metadata, String(headers['x-upload-content-type']));
			return reply.header('location', location).send();
		});
		this.app.put(UPLOAD, ({ query, body, headers }, reply) => {
			const { upload_id = '' } = query as { upload_id?: string };
			const upload = this.uploads.get(upload_id);
			if (!upload) throw refused(404, 'There is no such upload');
			upload.bytes = Buffer.concat([upload.bytes, body as Buffer]);
			const [, last, total] =
				/^bytes \d+-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
			if (Number(last) + 1 !== upload.bytes.length) throw refused(400, 'Invalid Content-Range');
			if (upload.bytes.length < Number(total)) return reply.code(308).send();
			this.uploads.delete(upload_id);
			this.files.push(upload);
			return reply.send({ kind: 'drive#file', id: upload.id, name: upload.name });
		});
		this.app.patch('/drive/v3/files/:id', ({ params }) => {
			const file = this.files.find(({ id }) => id === (params as { id: string }).id);
			if (!file) throw refused(404, 'File not found');
			return { kind: 'drive#file', id: file.id, name: file.name };
		});
	}

	private find({ q }: { q: string }): object[] {
		const [, wanted, folder] = QUERY.exec(q) ?? [];
		if (!wanted || !folder) throw refused(400, `Invalid Value: ${q}`);
		if (folder !== this.folder) throw refused(404, `File not found: ${folder}`);
		const found = this.files.filter(
			({ name, parents }) => name === wanted && parents.includes(folder),
		);
		return found.map(({ id, name }) => ({ id, name }));
	}

	private begin({ name, parents, ...more }: Metadata, mimeType: string): string {
		if (Object.keys(more).length > 0) throw refused(400, 'Invalid JSON payload');
		if (!name || parents[0] !== this.folder) throw refused(404, 'File not found');
		const id = randomUUID();
		this.uploads.set(id, { id, name, parents, mimeType, bytes: Buffer.alloc(0) });
		return `https://www.googleapis.com${UPLOAD}?uploadType=resumable&upload_id=${id}`;
	}
}

function refused(code: number, message: string): Refused {
	return new Refused(code, { error: { code, message, errors: [{ message }] } });
}
