import './environment';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	IHttpRequestOptions,
	INodeCredentialsDetails,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { VirtualPbxApi } from '../../../credentials/VirtualPbxApi.credentials';

type Data = ICredentialDataDecryptedObject;
type PreAuthenticationArguments = Parameters<ICredentialsHelper['preAuthentication']>;

/** The only type of credentials. */
export const CREDENTIAL_TYPE = new VirtualPbxApi();
const [TOKEN = ''] = CREDENTIAL_TYPE.properties
	.filter(({ type, typeOptions }) => type === 'hidden' && typeOptions?.expirable === true)
	.map(({ name }) => name);

/** The "table" of credentials: one per test file, since jest gives each file its own modules. */
const stored = new Map<string, StoredCredential>();

/** A credential as n8n's database would hold it, including what a login stored in it. */
export class StoredCredential {
	readonly name = 'Test credential';
	readonly type = CREDENTIAL_TYPE;

	constructor(
		readonly id: string,
		private data: Data,
	) {}

	/** The entry for a node's `credentials`. */
	get reference(): { [type: string]: INodeCredentialsDetails } {
		return { [CREDENTIAL_TYPE.name]: { id: this.id, name: this.name } };
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

/** Stores a credential for use by nodes under test: the fields that a user would fill in. */
export async function storeCredential(data: Data): Promise<StoredCredential> {
	const credential = new StoredCredential(`credential-${stored.size + 1}`, structuredClone(data));
	stored.set(credential.id, credential);
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
		_type: string,
		...[, , raw]: unknown[]
	): Promise<Data> {
		const data = find(details).read();
		return raw === true ? data : withDefaults(data);
	}

	getCredentialsProperties() {
		return CREDENTIAL_TYPE.properties;
	}

	async authenticate(
		credentials: Data,
		_type: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		return await CREDENTIAL_TYPE.authenticate(credentials, options as IHttpRequestOptions);
	}

	async preAuthentication(
		...[helpers, credentials, type, node, expired]: PreAuthenticationArguments
	): Promise<Data | undefined> {
		const isTest = node.parameters.temp === '' && node.type === 'n8n-nodes-base.noOp';
		if (credentials[TOKEN] !== '' && !expired && !isTest) return undefined;

		const output = await CREDENTIAL_TYPE.preAuthentication.call(helpers, credentials);
		find(node.credentials?.[type]).write(output);
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(): Promise<Data | undefined> {
		return undefined;
	}

	async updateCredentials(details: INodeCredentialsDetails, _type: string, data: Data) {
		find(details).write(data);
	}

	async updateCredentialsOauthTokenData(): Promise<void> {}
}

/** Adds the type's defaults to the data, and drops fields that the type doesn't declare. */
export function withDefaults(data: Data): Data {
	const { properties } = CREDENTIAL_TYPE;
	return NodeHelpers.getNodeParameters(properties, data as never, true, false, null, null) as Data;
}

function find(details: INodeCredentialsDetails | undefined): StoredCredential {
	const credential = stored.get(details?.id ?? '');
	if (!credential) throw new Error(`No stored credential ${details?.id}: use storeCredential()`);
	return credential;
}
