/** The grade of a rule. */
export interface Grade {
	status: string;
	comment: string;
}

/** The rules of Home Assistant's quality scale: those that transfer to an n8n package, then those that do not. */
export const RULES = [
	...['action-setup', 'appropriate-polling', 'brands', 'common-modules', 'config-flow'],
	...['config-flow-test-coverage', 'dependency-transparency', 'docs-actions', 'docs-triggers'],
	...['docs-high-level-description', 'docs-installation-instructions'],
	...['docs-removal-instructions', 'entity-event-setup', 'runtime-data', 'test-before-configure'],
	...['test-before-setup', 'unique-config-entry', 'action-exceptions', 'config-entry-unloading'],
	...['docs-configuration-parameters', 'docs-installation-parameters', 'integration-owner'],
	...['log-when-unavailable', 'parallel-updates', 'reauthentication-flow', 'test-coverage'],
	...['diagnostics', 'docs-data-update', 'docs-examples', 'docs-known-limitations'],
	...['docs-supported-functions', 'docs-troubleshooting', 'docs-use-cases'],
	...['exception-translations', 'icon-translations', 'reconfiguration-flow', 'repair-issues'],
	...['stale-devices', 'async-dependency', 'inject-websession', 'strict-typing'],
	...['devices', 'discovery', 'discovery-update-info', 'docs-conditions'],
	...['docs-supported-devices', 'dynamic-devices', 'entity-category', 'entity-device-class'],
	...['entity-disabled-by-default', 'entity-translations', 'entity-unavailable'],
	...['entity-unique-id', 'has-entity-name'],
];

/** Reads the three forms in which the file gives a grade: a word, an inline object, or a block. */
export function readGrades(yaml: string): Map<string, Grade> {
	const grades = new Map<string, Grade>();
	const blocks = yaml.matchAll(/^ {2}([\w-]+):(.*)\n((?: {4}.*\n)*)/gm);
	for (const [, rule = '', inline = '', block = ''] of blocks) {
		const text = `${inline}\n${block}`;
		const status = /status: (\w+)/.exec(text)?.[1] ?? inline.trim();
		const comment = /comment: ([^}\n]+)/.exec(text)?.[1]?.trim() ?? '';
		grades.set(rule, { status, comment });
	}
	return grades;
}
