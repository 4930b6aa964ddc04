/** Creates an element with properties and children. Strings become text nodes. */
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

/** Formats the time of day, to the second. */
export const clock = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });

/** Creates a small colored label. */
export const pill = (text, kind) => h('span', { className: `pill ${kind}` }, text);

/** Formats JSON for reading. */
export const code = (value) =>
	h('pre', {}, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
