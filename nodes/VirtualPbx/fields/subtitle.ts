/**
 * The expression for a node's subtitle on the canvas: the names of what is chosen, as the editor shows them.
 *
 * @param names by value
 * @param chosen an expression that gives one value or a list of them
 */
export function subtitleOf(names: Readonly<Record<string, string>>, chosen: string): string {
	return `={{ [${chosen}].flat().map((one) => (${JSON.stringify(names)})[one] ?? one).join(", ") }}`;
}
