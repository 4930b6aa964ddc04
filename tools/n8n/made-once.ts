import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';

/**
 * Makes a folder once for all who need it: beside its place, so that nobody sees it before it is whole.
 *
 * @param make fills the new folder that it is given
 * @param part what of it to keep; all by default
 * @returns the folder
 */
export async function madeOnce(
	folder: string,
	make: (making: string) => Promise<unknown>,
	part = (making: string) => making,
): Promise<string> {
	if (existsSync(folder)) return folder;
	const making = await mkdtemp(`${folder}-`);
	try {
		await make(making);
		await rename(part(making), folder).catch((error: unknown) => {
			// Another process may have been quicker.
			if (!existsSync(folder)) throw error;
		});
		return folder;
	} finally {
		await rm(making, { recursive: true, force: true });
	}
}
