import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { N8N_FOLDER } from './paths.mjs';

const FILE = path.join(N8N_FOLDER, 'setup.pid');

function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}

function take() {
	try {
		writeFileSync(FILE, String(process.pid), { flag: 'wx' });
		return undefined;
	} catch (error) {
		if (error.code !== 'EEXIST') throw error;
		return Number(readFileSync(FILE, 'utf8')) || process.pid;
	}
}

/** Runs `work` while no other set-up of this folder does; waits for one that is under way. */
export async function inTurn(work) {
	mkdirSync(N8N_FOLDER, { recursive: true });
	let owner = take();
	if (owner !== undefined && isAlive(owner))
		console.log(`▸ Waiting for the set-up of process ${owner} …`);
	while (owner !== undefined) {
		if (isAlive(owner)) await sleep(500);
		else rmSync(FILE, { force: true });
		owner = take();
	}
	try {
		return await work();
	} finally {
		rmSync(FILE, { force: true });
	}
}
