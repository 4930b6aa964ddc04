/** How long to wait for the PBX, in milliseconds, unless a deadline comes first. Only tests change it. */
export const TIMEOUTS = {
	/** For a login, including its whole response. */
	login: 30_000,
	/** Until a response begins. */
	response: 60_000,
	/** Between two pieces of a response. */
	idle: 60_000,
	/** For all of a response, and for all of a recording, in both cases while n8n waits for the PBX. */
	body: 10 * 60_000,
	recording: 60 * 60_000,
	/** After a write, so that others who read the callflow earlier have finished writing. */
	settling: 300,
};

const MIB = 2 ** 20;

/** How much to take from the PBX: more than any real one sends, less than what ends n8n. Only tests change it. */
export const LIMITS = {
	/** Bytes of a response, and of all pages of a list. 100,000 call records have some 150 MiB. */
	listBytes: 256 * MIB,
	listRows: 250_000,
	/** Bytes of a recording: eighteen hours of uncompressed sound. */
	recordingBytes: 1024 * MIB,
	/** Bytes of an error response or of a login's. */
	wordsBytes: 65_536,
};
