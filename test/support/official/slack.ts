import type { ChatPostMessageArguments, ChatPostMessageResponse } from '@slack/web-api';

/** n8n's node sends its own option, which Slack doesn't know and ignores. */
interface OwnOption {
	includeLinkToWorkflow?: boolean;
}

/** Slack's exchanges with the types of its official client. */
export interface SlackRoutes {
	'POST /api/chat.postMessage': {
		body: ChatPostMessageArguments & OwnOption;
		response?: ChatPostMessageResponse;
	};
}
