import { isObject } from '../../util/json';

const QUOTE = 34;
const COMMA = 44;
const [OPEN_ARRAY, OPEN_OBJECT] = [91, 123];
const [CLOSE_ARRAY, CLOSE_OBJECT] = [93, 125];
const BEGINNING = 200;

/** Text that can precede a list's entries: nothing, or an envelope's plain fields. */
const HEAD = /^\s*(?:\{(?:[^{}[\]]*,)?\s*"data"\s*:\s*)?\[/;
/** A beginning that can still become a head, unless it's longer than this. */
const PART_OF_HEAD = /^\s*\{?[^{}[\]]*$/;
const MAX_HEAD_LENGTH = 65_536;

/**
 * Parses JSON as it arrives: the entries of its list (`data`, or a bare array; §2.1) piece by piece, so that neither
 * the text nor a second copy is ever fully in memory. The rest, or a response without a list, is parsed at the end. The
 * result equals that of `JSON.parse`.
 */
export class JsonParser {
	/** The first characters, to tell a web page from JSON that was cut off. */
	beginning = '';

	private text = '';
	private at = 0;
	private depth = 0;
	private state: 'head' | 'list' | 'tail' | 'whole' = 'head';
	private head = '';
	private readonly entries: unknown[] = [];

	/** Adds the next piece of text. Throws SyntaxError if an entry isn't JSON. */
	feed(piece: string): void {
		if (this.beginning.length < BEGINNING) this.beginning += piece.slice(0, BEGINNING);
		this.text += piece;
		if (this.state === 'head') this.readHead();
		if (this.state === 'list') this.readList();
	}

	/** Ends the text and returns its value. Throws SyntaxError if it isn't JSON, or is cut off. */
	end(): unknown {
		if (this.state === 'list') throw new SyntaxError('The list is cut off');
		if (this.state !== 'tail') return JSON.parse(this.text) as unknown;
		const frame = JSON.parse(`${this.head}]${this.text}`) as unknown;
		return Array.isArray(frame) ? this.entries : { ...(frame as object), data: this.entries };
	}

	/** Looks for the beginning of the list. Keeps the text until it's found. */
	private readHead(): void {
		const [head] = HEAD.exec(this.text) ?? [];
		if (head !== undefined) {
			this.head = head;
			this.text = this.text.slice(head.length);
			this.state = 'list';
		} else if (this.text.length > MAX_HEAD_LENGTH || !PART_OF_HEAD.test(this.text)) {
			this.state = 'whole';
		}
	}

	/** Parses all complete entries at once. The rest of the text waits for the next piece. */
	private readList(): void {
		let lastComma = -1;
		for (; this.at < this.text.length; this.at++) {
			const sign = this.text.charCodeAt(this.at);
			if (sign === QUOTE) {
				const end = this.endOfString();
				if (end < 0) break;
				this.at = end;
			} else if (sign === OPEN_ARRAY || sign === OPEN_OBJECT) {
				this.depth++;
			} else if ((sign === CLOSE_ARRAY || sign === CLOSE_OBJECT) && this.depth-- === 0) {
				this.endList(this.text.slice(0, this.at));
				return;
			} else if (sign === COMMA && this.depth === 0) {
				lastComma = this.at;
			}
		}
		if (lastComma < 0) return;
		this.addEntries(this.text.slice(0, lastComma));
		this.text = this.text.slice(lastComma + 1);
		this.at -= lastComma + 1;
	}

	private endList(last: string): void {
		if (this.entries.length > 0 || last.trim() !== '') this.addEntries(last);
		this.text = this.text.slice(this.at + 1);
		this.state = 'tail';
	}

	private addEntries(text: string): void {
		const parsed = JSON.parse(`[${text}]`) as unknown[];
		if (parsed.length === 0) throw new SyntaxError('An entry is missing');
		for (const entry of parsed) {
			shareTexts(entry, this.entries.at(-1));
			this.entries.push(entry);
		}
	}

	/** Returns where the string that begins here ends; -1 if the rest of it hasn't arrived. */
	private endOfString(): number {
		for (
			let end = this.text.indexOf('"', this.at + 1);
			end >= 0;
			end = this.text.indexOf('"', end + 1)
		) {
			let slashes = 0;
			while (this.text.charCodeAt(end - 1 - slashes) === 92) slashes++;
			if (slashes % 2 === 0) return end;
		}
		return -1;
	}
}

/** Reuses equal texts of the previous entry, so that account IDs and the like are in memory only once. */
function shareTexts(entry: unknown, before: unknown): void {
	if (!isObject(entry) || !isObject(before)) return;
	for (const name in entry) {
		const text = before[name];
		if (typeof text === 'string' && text === entry[name]) entry[name] = text;
	}
}
