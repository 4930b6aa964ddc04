/** How to call npm: the very npm that runs us where there is one, since Windows cannot spawn `npm`. */
export function npm(...args) {
	const own = process.env.npm_execpath;
	if (own?.endsWith('.js'))
		return { command: process.execPath, args: [own, ...args], shell: false };
	return { command: 'npm', args, shell: process.platform === 'win32' };
}
