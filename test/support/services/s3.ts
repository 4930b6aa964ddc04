import { createHash, randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Refused, Service } from './service';

interface Upload {
	key: string;
	parts: Buffer[];
}

const BUCKET = 'my-recordings';
const REGION = 'eu-central-1';
const KEY = 'AKIDEXAMPLE';

/** Simulates the documented API of Amazon S3, as far as the kit uses it. */
export class S3 extends Service {
	readonly region = REGION;
	readonly key = KEY;
	readonly files = new Map<string, { bytes: Buffer }>();
	/** How often a file was stored whole, overwrites included. */
	stored = 0;
	/** The highest number of parts in an upload. */
	mostParts = 0;
	/** The parts of the pending uploads, by ID. */
	private readonly uploads = new Map<string, Upload>();

	constructor() {
		super([`${BUCKET}.s3.${REGION}.amazonaws.com`], ({ headers }) => {
			const signed = new RegExp(`^AWS4-HMAC-SHA256 Credential=${KEY}/\\d{8}/${REGION}/s3/`);
			return signed.test(headers.authorization ?? '');
		});
		this.app.removeContentTypeParser(['application/json', 'text/plain']);
		this.on('GET', '/', (_, reply) =>
			xml(reply, `<LocationConstraint xmlns="${XMLNS}">${REGION}</LocationConstraint>`),
		);
		this.on('GET', '/*', (request, reply) => {
			const list = this.uploadOf(request).parts.map((part, index) => {
				const tag = `<ETag>"${createHash('md5').update(part).digest('hex')}"</ETag>`;
				return `<Part><PartNumber>${index + 1}</PartNumber>${tag}</Part>`;
			});
			return xml(reply, `<ListPartsResult>${list.join('')}</ListPartsResult>`);
		});
		this.on<Buffer>('POST', '/*', (request, reply) => {
			const { uploads, uploadId = '' } = request.query;
			if (uploads === undefined) {
				const { key } = this.complete(uploadId, this.uploadOf(request), String(request.body));
				const result = `<Key>${key}</Key>`;
				return xml(
					reply,
					`<CompleteMultipartUploadResult>${result}</CompleteMultipartUploadResult>`,
				);
			}
			const id = randomUUID();
			this.uploads.set(id, { key: String(request.params['*']), parts: [] });
			const result = `<UploadId>${id}</UploadId>`;
			return xml(reply, `<InitiateMultipartUploadResult>${result}</InitiateMultipartUploadResult>`);
		});
		this.on<Buffer>('PUT', '/*', (request, reply) => {
			this.uploadOf(request).parts[Number(request.query.partNumber) - 1] = request.body;
			return reply.send();
		});
	}

	private complete(id: string, upload: Upload, body: string): Upload {
		const { key, parts } = upload;
		const named = body.match(/<ETag>/g) ?? [];
		if (named.length !== parts.length) throw refused(400, 'InvalidPart', 'Parts are missing');
		this.uploads.delete(id);
		this.files.set(key, { bytes: Buffer.concat(parts) });
		this.stored += 1;
		this.mostParts = Math.max(this.mostParts, parts.length);
		return upload;
	}

	private uploadOf({ query, params }: Record<'query' | 'params', Record<string, string>>) {
		const found = this.uploads.get(query.uploadId ?? '');
		if (found?.key !== params['*'] || !found)
			throw refused(404, 'NoSuchUpload', 'The specified upload does not exist');
		return found;
	}
}

const XMLNS = 'http://s3.amazonaws.com/doc/2006-03-01/';

const xml = (reply: FastifyReply, text: string) =>
	reply.type('application/xml').send(`<?xml version="1.0" encoding="UTF-8"?>${text}`);

const refused = (status: number, Code: string, Message: string) =>
	new Refused(status, { Error: { Code, Message } });
