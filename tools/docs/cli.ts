// `npm run docs`: generates everything in the docs and schemas that is derived from the code.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { makeReference } from './reference';
import { ROOT } from './registered';
import { outputSchemas } from './schemas';

function write(file: string, text: string): void {
	mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
	writeFileSync(path.join(ROOT, file), text);
	console.log(`Wrote ${file}`);
}

void makeReference().then((pages) => {
	for (const [file, text] of pages) write(file, text);
	for (const [file, schema] of outputSchemas()) write(file, schema);
});
