/** Creates an element with classes (`tag.class.class`), properties if an object comes first, and children, if any. */
export function h(name, ...parts) {
	const [tag, ...classes] = name.split('.');
	const element = document.createElement(tag);
	element.classList.add(...classes);
	const isNamed = parts[0]?.constructor === Object;
	for (const [key, value] of Object.entries(isNamed ? parts.shift() : {})) {
		if (key in element) element[key] = value;
		else element.setAttribute(key, value);
	}
	element.append(...parts.filter(Boolean));
	return element;
}

export const byId = (id) => document.getElementById(id);

/** Shows a time of day, to the second. */
export const time = (iso) => h('time', new Date(iso).toLocaleTimeString([], { hour12: false }));

/** Creates a small colored label. */
export const pill = (text, kind) => h(`span.pill.${kind}`, text);

export const soft = (text) => h('span.soft', text);
export const address = (text) => h('span.address', text);
