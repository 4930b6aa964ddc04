/** Creates an element: properties first, then children; texts stay texts. */
export function h(tag, properties = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else if (name in element && name !== 'list') element[name] = value;
		else element.setAttribute(name, value);
	}
	element.append(...children.filter((child) => child !== null && child !== undefined));
	return element;
}

export const byId = (id) => document.getElementById(id);

/** Time of day of a moment, to the second. */
export const clock = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });

/** A small coloured word. */
export const pill = (text, kind) => h('span', { className: `pill ${kind}` }, text);

/** JSON to read; a long text stays within its box. */
export const code = (value) =>
	h('pre', {}, typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** A number with its word: "1 webhook", "0 webhooks". */
export const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
