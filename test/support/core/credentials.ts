import './environment';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialType,
	IHttpRequestOptions,
	INodeCredentialsDetails,
	INodeProperties,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { loadCredentialType } from './types';

type Data = ICredentialDataDecryptedObject;
type PreAuthenticationArguments = Parameters<ICredentialsHelper['preAuthentication']>;

/** The "table" of credentials: one per test file, since jest gives each file its own modules. */
const stored = new Map<string, StoredCredential>();

/** A credential as n8n's database would hold it, including what a login stored in it. */
export class StoredCredential {
	constructor(
		readonly id: string,
		readonly name: string,
		readonly type: ICredentialType,
		private data: Data,
	) {}

	/** The entry for a node's `credentials`. */
	get reference(): { [type: string]: INodeCredentialsDetails } {
		return { [this.type.name]: { id: this.id, name: this.name } };
	}

	/** A copy of the stored data without defaults, hidden token included. */
	read(): Data {
		return structuredClone(this.data);
	}

	/** Changes some fields, as an edit in the dialog or an outdated token would. */
	write(fields: Data): void {
		this.data = structuredClone({ ...this.data, ...fields });
	}
}

/**
 * Stores a credential for use by nodes under test.
 *
 * @param data the fields that a user would fill in. The rest get their defaults
 * @param type the credential type's name, or the test's own type
 */
export async function storeCredential(
	data: Data,
	type: string | ICredentialType = 'virtualPbxApi',
): Promise<StoredCredential> {
	const credentialType = typeof type === 'string' ? await loadCredentialType(type) : type;
	const id = `credential-${stored.size + 1}`;
	const credential = new StoredCredential(
		id,
		`Test ${credentialType.name}`,
		credentialType,
		structuredClone(data),
	);
	stored.set(id, credential);
	return credential;
}

/** n8n's own CredentialsHelper, on the table above. Expressions in fields stay unresolved. */
export class TestCredentialsHelper extends ICredentialsHelper {
	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('Encrypted credentials are not supported in contract tests');
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		details: INodeCredentialsDetails,
		type: string,
		...rest: unknown[]
	): Promise<Data> {
		const credential = find(details, type);
		const data = credential.read();
		const raw = rest[2] === true;
		return raw ? data : withDefaults(credential.type, data);
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return typeNamed(type).properties;
	}

	async authenticate(
		credentials: Data,
		typeName: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = typeNamed(typeName);
		if (typeof authenticate !== 'function') {
			throw new Error(`${typeName}: these tests support only a function as \`authenticate\``);
		}
		return await authenticate(credentials, options as IHttpRequestOptions);
	}

	async preAuthentication(
		...[helpers, credentials, typeName, node, expired]: PreAuthenticationArguments
	): Promise<Data | undefined> {
		const type = typeNamed(typeName);
		const token = type.properties.find(
			({ type: kind, typeOptions }) => kind === 'hidden' && typeOptions?.expirable === true,
		)?.name;
		if (token === undefined || !type.preAuthentication) return undefined;
		const isTest = node.parameters.temp === '' && node.type === 'n8n-nodes-base.noOp';
		if (credentials[token] !== '' && !expired && !isTest) return undefined;

		const credential = find(node.credentials?.[typeName], typeName);
		const output = (await type.preAuthentication.call(helpers, credentials)) as Data;
		if (output[token] === undefined) return undefined;
		credential.write(output);
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(): Promise<Data | undefined> {
		return undefined;
	}

	async updateCredentials(details: INodeCredentialsDetails, type: string, data: Data) {
		find(details, type).write(data);
	}

	async updateCredentialsOauthTokenData(): Promise<void> {}
}

/** Adds the type's defaults to the data, and drops fields that the type doesn't declare. */
export function withDefaults(type: ICredentialType, data: Data): Data {
	const values = NodeHelpers.getNodeParameters(
		type.properties,
		data as Parameters<typeof NodeHelpers.getNodeParameters>[1],
		true,
		false,
		null,
		null,
	);
	return values as Data;
}

function find(details: INodeCredentialsDetails | undefined, type: string): StoredCredential {
	const credential = stored.get(details?.id ?? '');
	if (credential?.type.name !== type) {
		throw new Error(`No stored credential ${details?.id} of type ${type}: use storeCredential()`);
	}
	return credential;
}

function typeNamed(name: string): ICredentialType {
	const credential = [...stored.values()].find(({ type }) => type.name === name);
	if (!credential)
		throw new Error(`No credential of type ${name} is stored: use storeCredential()`);
	return credential.type;
}
