// `npm start`: sets up, then runs the demo (tools/demo) in this process.
import { install, pack } from './setup.mjs';
import { runAsCommand } from './setup/failure.mjs';

await runAsCommand(async () => {
	await install();
	await pack();
	await import('tsx');
	// A CommonJS module: Node 20 exposes its exports only as the default export.
	const { default: demo } = await import('./demo/main.ts');
	await demo.runDemo(process.argv);
});

// Kept-alive connections would delay the exit by some seconds.
process.exit();
