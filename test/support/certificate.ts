import { generate } from 'selfsigned';

/** A certificate and its key, as PEM. */
export interface Tls {
	key: string;
	cert: string;
}

/** Creates a certificate for hosts, which is its own authority. */
export async function makeCertificate(hosts: string[]): Promise<Tls> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'Stand-ins' }], {
		keySize: 2048,
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2, value })) },
		],
	});
	return { key, cert };
}
