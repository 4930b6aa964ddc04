/** A name without the underscore by which a generated client keeps clear of JavaScript's own words. */
type Plain<K> = K extends `_${infer Name}` ? Name : K;

/** A client's type as JSON: dates and enumerations are texts. */
export type Wire<T> = 0 extends T & 1
	? T
	: T extends Date
		? string
		: T extends string
			? `${T}`
			: T extends Array<infer Item>
				? Array<Wire<Item>>
				: T extends object
					? { [K in keyof T as Plain<K>]: Wire<T[K]> }
					: T;

type Text<T> = T extends number
	? `${number}`
	: T extends boolean
		? `${boolean}`
		: T extends Array<infer Item>
			? Text<Item> | Array<Text<Item>>
			: T;

/** A client's parameters as a URL has them: all are texts, and a list of one is no list. */
export type Query<T> = { [K in keyof T]: Text<T[K]> };
