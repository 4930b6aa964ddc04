// The documentation as a searchable site: `npm run site` builds it into build/site, and fails at a dead link.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const REPOSITORY = 'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx';

/** Returns the address in the repository of a link that leaves docs/, or that isn't a page; otherwise, undefined. */
function inRepository(link: string, page: string): string | undefined {
	if (/^(?:[a-z]+:|#)/i.test(link)) return undefined;
	const [file = '', anchor] = link.split('#');
	const target = path.posix.join('docs', path.posix.dirname(page), file);
	if (target.startsWith('docs/') && target.endsWith('.md')) return undefined;
	return `${REPOSITORY}/blob/main/${target}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Lists pages of docs/ by their titles. */
function pages(...names: string[]) {
	return names.map((name) => {
		const [, text = name] = /^# (.*)$/m.exec(readFileSync(`docs/${name}.md`, 'utf8')) ?? [];
		return { text, link: `/${name}` };
	});
}

/** Lists the pages of a folder of docs/ in alphabetical order. */
function pagesOf(folder: string) {
	const names = readdirSync(path.join('docs', folder)).filter(
		(file) => file.endsWith('.md') && file !== 'README.md',
	);
	return pages(...names.map((file) => path.posix.join(folder, path.parse(file).name))).sort(
		(one, other) => one.text.localeCompare(other.text, 'en'),
	);
}

export default {
	title: 'Virtual PBX for n8n',
	description: 'Log calls, call back missed callers, and route live calls from n8n',
	outDir: '../build/site',
	cacheDir: '../build/site-cache',
	cleanUrls: true,
	rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
	markdown: {
		config(md) {
			md.core.ruler.push('links-and-code', ({ tokens, env }) => {
				const { relativePath = '' } = env as { relativePath?: string };
				for (const token of tokens.flatMap(({ children }) => children ?? [])) {
					// n8n's expressions have the same brackets as Vue's.
					if (token.type === 'code_inline') token.attrSet('v-pre', '');
					const target = token.type === 'link_open' ? token.attrGet('href') : null;
					const address = target === null ? undefined : inRepository(target, relativePath);
					if (address !== undefined) token.attrSet('href', address);
				}
			});
		},
	},
	themeConfig: {
		search: {
			provider: 'local',
			options: {
				miniSearch: {
					searchOptions: {
						// Pages for users come before those for contributors.
						boostDocument: (id: string) => (id.includes('/internals/') ? 0.3 : 1),
					},
				},
			},
		},
		socialLinks: [{ icon: 'github', link: REPOSITORY }],
		sidebar: [
			{
				text: 'Get started',
				items: pages(
					'install',
					'credential',
					'guides/first-workflow',
					'guides/which-trigger',
					'sandbox',
					'faq',
				),
			},
			{
				text: 'Guides',
				items: pages(
					'guides/log-calls',
					'guides/crm-hubspot',
					'guides/crm-pipedrive',
					'guides/crm-amocrm',
					'guides/crm-bitrix24',
					'guides/crm-zendesk',
					'guides/crm-google-sheets',
					'guides/missed-calls',
					'guides/who-is-calling',
					'guides/recordings',
					'guides/talk-review',
					'guides/assistants',
					'guides/route-calls',
					'guides/live-board',
					'guides/daily-report',
					'guides/call-watch',
				),
			},
			{
				text: 'Reference',
				items: pages('events', 'records', 'routing', 'glossary'),
			},
			{
				text: 'Inputs and outputs',
				link: '/reference/',
				collapsed: true,
				items: pagesOf('reference'),
			},
			{
				text: 'Run it',
				items: pages(
					'troubleshooting',
					'run-at-scale',
					'compatibility',
					'security-model',
					'privacy',
					'why-not-http-request',
					'providers',
				),
			},
			{ text: 'Internals', link: '/internals/', collapsed: true, items: pagesOf('internals') },
		],
	},
};
