import type { User } from '../../model/types';
import type { Call } from '../call';
import { textIn, type CallflowModule, type Next } from './module';

/** Module `play`: answers and plays an uploaded file (§2.3 rule 5). With `answer: false`, as early media. */
export const play: CallflowModule = async (call, node) => {
	const named = textIn(node, 'filename') ?? textIn(node, 'id') ?? '';
	const file = call.account.soundFile(named) ?? named;
	const seconds = call.account.sounds.get(file);
	if (seconds === undefined) {
		call.note(`sound file ${file} does not exist`);
		return 'child';
	}
	if (node.data.answer !== false) {
		call.stay();
		call.answer(call.first);
	}
	call.note(`plays ${file}`);
	const stays = await call.pause(seconds);
	call.result = 'played';
	return stays ? 'child' : 'done';
};

/** Whether the caller leaves a message when a mailbox answers. */
const leavesMessage = ({ order }: Call): boolean =>
	order.outcome === 'voicemail' || order.outcome === 'answered';

/** Answers with a mailbox and takes a message (§2.3 rule 4). */
export async function takeMessage(call: Call, owner: User): Promise<Next> {
	if (!owner.mailbox) {
		call.note(`employee ${owner.extension} has no mailbox`);
		return 'child';
	}
	if (!leavesMessage(call)) {
		call.note(`caller hangs up instead of leaving a message for ${owner.extension}`);
		call.hangUp();
		return 'done';
	}
	call.note(`mailbox of ${owner.extension} takes a message`);
	call.stay();
	call.answer(call.first);
	await call.pause(call.order.talk_seconds);
	call.result = 'voicemail';
	return 'done';
}

/** Module `voicemail`: the mailbox of the node's employee. */
export const voicemail: CallflowModule = async (call, node) => {
	const owner = call.account.mailboxOwner(String(node.data.id));
	if (owner) return await takeMessage(call, owner);
	call.note(`mailbox of ${String(node.data.id)} does not exist`);
	return 'child';
};
