// `npm start`: sets up, then runs the demo (tools/demo) in this very process.
import { install, pack } from './setup.mjs';
import { runAsCommand } from './setup/failure.mjs';

await runAsCommand(async () => {
	install();
	pack();
	await import('tsx');
	// A CommonJS module: Node 20 shows its exports only as the default one.
	const { default: demo } = await import('./demo/main.ts');
	await demo.runDemo(process.argv);
});

// Connections that are kept alive would hold the process for some seconds.
process.exit();
