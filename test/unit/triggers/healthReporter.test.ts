import type { ITriggerFunctions } from 'n8n-workflow';
import { HealthReporter } from '../../../nodes/VirtualPbx/triggers/runtime/healthReporter';

it.each(['a.example refuses the connection', 'a.example refuses the connection.'])(
	'a problem, "%s", and what to do about it are two sentences in the log',
	(message) => {
		const warn = jest.fn();
		const context = {
			logger: { warn },
			getNode: () => ({ name: 'N' }),
			getWorkflow: () => ({ name: 'W' }),
		} as unknown as ITriggerFunctions;
		const remedy = "Check 'Base URL' in the Virtual PBX credential.";
		new HealthReporter(context, 'Trigger', () => false).report({
			subject: 's',
			key: 'k',
			message,
			remedy,
		});
		expect(warn).toHaveBeenCalledWith(
			`Trigger "N" in "W": a.example refuses the connection. ${remedy}`,
		);
	},
);
