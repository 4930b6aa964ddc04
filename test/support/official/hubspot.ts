import type { BatchInputSimplePublicObjectBatchInput } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchInputSimplePublicObjectBatchInput';
import type { BatchResponseSimplePublicObject } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchResponseSimplePublicObject';
import type { BatchResponseSimplePublicObjectWithErrors } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchResponseSimplePublicObjectWithErrors';
import type { CollectionResponseWithTotalSimplePublicObjectForwardPaging } from '@hubspot/api-client/lib/codegen/crm/objects/models/CollectionResponseWithTotalSimplePublicObjectForwardPaging';
import type { PublicObjectSearchRequest } from '@hubspot/api-client/lib/codegen/crm/objects/models/PublicObjectSearchRequest';
import type { SimplePublicObject } from '@hubspot/api-client/lib/codegen/crm/objects/models/SimplePublicObject';
import type { SimplePublicObjectInput } from '@hubspot/api-client/lib/codegen/crm/objects/models/SimplePublicObjectInput';
import type { SimplePublicObjectInputForCreate } from '@hubspot/api-client/lib/codegen/crm/objects/models/SimplePublicObjectInputForCreate';
import type { CollectionResponsePublicOwnerForwardPaging } from '@hubspot/api-client/lib/codegen/crm/owners/models/CollectionResponsePublicOwnerForwardPaging';
import type { OwnersApiGetPageRequest } from '@hubspot/api-client/lib/codegen/crm/owners/types/ObjectParamAPI';
import type { ModelFile as File } from '@hubspot/api-client/lib/codegen/files/models/ModelFile';
import type { Query, Wire } from './wire';

/** The client has only texts in `sorts`. HubSpot's search guide shows objects. */
type Search = Omit<PublicObjectSearchRequest, 'sorts'> & {
	sorts?: Array<{ propertyName: string; direction: 'ASCENDING' | 'DESCENDING' }>;
};

/** HubSpot's exchanges with the types of its official client, whose version 3 has the same types as 2026-03. */
export interface HubspotRoutes {
	'POST /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)/search': {
		body: Wire<Search>;
		response?: Wire<CollectionResponseWithTotalSimplePublicObjectForwardPaging>;
	};
	'POST /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)': {
		body: Wire<SimplePublicObjectInputForCreate>;
		response?: Wire<SimplePublicObject>;
	};
	'POST /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)/batch/update': {
		body: Wire<BatchInputSimplePublicObjectBatchInput>;
		response?: Wire<
			BatchResponseSimplePublicObject &
				Pick<BatchResponseSimplePublicObjectWithErrors, 'errors' | 'numErrors'>
		>;
	};
	'POST /files/v3/files': { response?: Wire<File> };
	'PATCH /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)/:id': {
		body: Wire<SimplePublicObjectInput>;
		response?: Wire<SimplePublicObject>;
	};
	/** The client doesn't have it. */
	'GET /account-info/v3/details': { response?: Record<string, unknown> };
	'GET /crm/v3/owners': {
		query?: Query<OwnersApiGetPageRequest>;
		response?: Wire<CollectionResponsePublicOwnerForwardPaging>;
	};
}
