import { searchCallflows, searchWebhooks } from './listSearch';

/** What the editor calls while a node is being set up, shared by all nodes. */
export const methods = { listSearch: { searchCallflows, searchWebhooks } };
