import type { CallView } from '../calls/call';

/** Lays rows out as columns of even width, the first row as the head. */
export function table(rows: string[][]): string {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => (row[column] ?? '').length)),
	);
	return rows
		.map((row) =>
			row
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/** Tells in words what a call is or was. */
export function callText(call: CallView): string {
	const head = ['leg', 'from', 'to', 'device', 'state', 'cause', 'rang', 'talked'];
	const legs = call.legs.map((leg) => [
		leg.direction,
		leg.from,
		leg.to,
		leg.device ?? '-',
		leg.state,
		leg.hangup_cause ?? '-',
		`${leg.ringing_seconds} s`,
		`${leg.billing_seconds} s`,
	]);
	return [
		`Call ${call.id}: ${call.from} -> ${call.to}, ${call.result ?? 'under way'}`,
		...call.steps.map((step) => `  ${step}`),
		table([head, ...legs]),
		...(call.recording === null ? [] : [`Recording: ${call.recording}`]),
	].join('\n');
}
