import { createHash, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refused, Service } from './service';

interface Upload {
	key: string;
	type: string;
	parts: Buffer[];
}

const BUCKET = 'my-recordings';
const REGION = 'eu-central-1';

/** Simulates the documented API of Amazon S3, as far as the kit uses it. */
export class S3 extends Service {
	/** The valid access key. */
	key = 'AKIDEXAMPLE';
	readonly region = REGION;
	readonly files = new Map<string, { type: string; bytes: Buffer }>();
	/** How often a file was stored whole, overwrites included. */
	stored = 0;
	/** The highest number of parts in an upload. */
	mostParts = 0;
	private readonly uploads = new Map<string, Upload>();

	constructor() {
		super([`${BUCKET}.s3.${REGION}.amazonaws.com`], (request) => this.isSigned(request));
		this.app.removeAllContentTypeParsers();
		this.app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
			done(null, body),
		);
		this.app.get('/', ({ query }, reply) => this.describe(query as Query, reply));
		this.app.get('/*', (request, reply) => {
			const { parts } = this.uploadOf(request);
			const list = parts.map((part, index) => partXml(index + 1, part)).join('');
			return xml(reply, `<ListPartsResult>${list}</ListPartsResult>`);
		});
		this.app.post('/*', (request, reply) => {
			const { uploads, uploadId } = request.query as Query;
			if (uploads === undefined) return this.complete(uploadId ?? '', request, reply);
			const id = randomUUID();
			const type = String(request.headers['content-type']);
			this.uploads.set(id, { key: keyOf(request), type, parts: [] });
			const result = `<UploadId>${id}</UploadId>`;
			return xml(reply, `<InitiateMultipartUploadResult>${result}</InitiateMultipartUploadResult>`);
		});
		this.app.put('/*', (request, reply) => {
			const body = request.body as Buffer;
			const { parts } = this.uploadOf(request);
			if (request.headers['content-md5'] !== md5(body, 'base64'))
				throw refused(400, 'BadDigest', 'The Content-MD5 you specified did not match');
			parts[Number((request.query as Query).partNumber) - 1] = body;
			return reply.header('etag', `"${md5(body, 'hex')}"`).send();
		});
		this.app.delete('/*', (request, reply) => {
			this.uploads.delete((request.query as Query).uploadId ?? '');
			return reply.code(204).send();
		});
	}

	/** Whether a request is signed with the key, for this region, and now. */
	private isSigned({ headers }: FastifyRequest): boolean {
		const date = String(headers['x-amz-date']);
		const scope = `Credential=${this.key}/${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
		const at = Date.parse(
			date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
		);
		const isNow = Math.abs(Date.now() - at) < 900_000;
		const given = String(headers.authorization);
		return (
			isNow && given.startsWith(`AWS4-HMAC-SHA256 ${scope}`) && /Signature=\w{64}$/.test(given)
		);
	}

	private describe({ location, prefix = '', ...query }: Query, reply: FastifyReply) {
		if (location !== undefined)
			return xml(reply, `<LocationConstraint xmlns="${XMLNS}">${REGION}</LocationConstraint>`);
		if (query['list-type'] !== '2') throw refused(400, 'InvalidArgument', 'list-type');
		const found = [...this.files].filter(([key]) => key.startsWith(prefix));
		const list = found.map(
			([key, { bytes }]) => `<Contents><Key>${key}</Key><Size>${bytes.length}</Size></Contents>`,
		);
		return xml(
			reply,
			`<ListBucketResult><IsTruncated>false</IsTruncated>${list.join('')}</ListBucketResult>`,
		);
	}

	private complete(uploadId: string, request: FastifyRequest, reply: FastifyReply) {
		const { key, type, parts } = this.uploadOf(request);
		const named = String(request.body).match(/<ETag>/g) ?? [];
		if (named.length !== parts.length) throw refused(400, 'InvalidPart', 'Parts are missing');
		this.uploads.delete(uploadId);
		this.files.set(key, { type, bytes: Buffer.concat(parts) });
		this.stored += 1;
		this.mostParts = Math.max(this.mostParts, parts.length);
		return xml(
			reply,
			`<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`,
		);
	}

	private uploadOf(request: FastifyRequest): Upload {
		const found = this.uploads.get((request.query as Query).uploadId ?? '');
		if (!found || found.key !== keyOf(request))
			throw refused(404, 'NoSuchUpload', 'The specified upload does not exist');
		return found;
	}
}

type Query = Record<string, string | undefined>;

const XMLNS = 'http://s3.amazonaws.com/doc/2006-03-01/';
const md5 = (bytes: Buffer, encoding: 'base64' | 'hex') =>
	createHash('md5').update(bytes).digest(encoding);
const keyOf = ({ params }: FastifyRequest): string => (params as { '*': string })['*'];
const partXml = (number: number, part: Buffer) =>
	`<Part><PartNumber>${number}</PartNumber><ETag>"${md5(part, 'hex')}"</ETag></Part>`;

const xml = (reply: FastifyReply, text: string) =>
	reply.type('application/xml').send(`<?xml version="1.0" encoding="UTF-8"?>${text}`);

const refused = (status: number, Code: string, Message: string) =>
	new Refused(status, { Error: { Code, Message } });
