import type { BatchResponsePublicDefaultAssociation } from '@hubspot/api-client/lib/codegen/crm/associations/v4/models/BatchResponsePublicDefaultAssociation';
import type { BatchInputSimplePublicObjectBatchInputUpsert } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchInputSimplePublicObjectBatchInputUpsert';
import type { BatchReadInputSimplePublicObjectId } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchReadInputSimplePublicObjectId';
import type { BatchResponseSimplePublicObjectWithErrors } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchResponseSimplePublicObjectWithErrors';
import type { BatchResponseSimplePublicUpsertObject } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchResponseSimplePublicUpsertObject';
import type { BatchResponseSimplePublicUpsertObjectWithErrors } from '@hubspot/api-client/lib/codegen/crm/objects/models/BatchResponseSimplePublicUpsertObjectWithErrors';
import type { CollectionResponseWithTotalSimplePublicObjectForwardPaging } from '@hubspot/api-client/lib/codegen/crm/objects/models/CollectionResponseWithTotalSimplePublicObjectForwardPaging';
import type { PublicObjectSearchRequest } from '@hubspot/api-client/lib/codegen/crm/objects/models/PublicObjectSearchRequest';
import type { SimplePublicObject } from '@hubspot/api-client/lib/codegen/crm/objects/models/SimplePublicObject';
import type { SimplePublicObjectInput } from '@hubspot/api-client/lib/codegen/crm/objects/models/SimplePublicObjectInput';
import type { CollectionResponsePublicOwnerForwardPaging } from '@hubspot/api-client/lib/codegen/crm/owners/models/CollectionResponsePublicOwnerForwardPaging';
import type { OwnersApiGetPageRequest } from '@hubspot/api-client/lib/codegen/crm/owners/types/ObjectParamAPI';
import type { Property } from '@hubspot/api-client/lib/codegen/crm/properties/models/Property';
import type { PropertyCreate } from '@hubspot/api-client/lib/codegen/crm/properties/models/PropertyCreate';
import type { PropertyGroup } from '@hubspot/api-client/lib/codegen/crm/properties/models/PropertyGroup';
import type { PropertyGroupCreate } from '@hubspot/api-client/lib/codegen/crm/properties/models/PropertyGroupCreate';
import type { Query, Wire } from './wire';

/** The client has only texts in `sorts`. HubSpot's search guide shows objects. */
type Search = Omit<PublicObjectSearchRequest, 'sorts'> & {
	sorts?: Array<{ propertyName: string; direction: 'ASCENDING' | 'DESCENDING' }>;
};

/** HubSpot's exchanges with the types of its official client, whose version 3 has the same types as 2026-03. */
export interface HubspotRoutes {
	'POST /crm/objects/2026-03/contacts/search': {
		body: Wire<Search>;
		response?: Wire<CollectionResponseWithTotalSimplePublicObjectForwardPaging>;
	};
	'POST /crm/objects/2026-03/:kind(contacts|calls|tasks)/batch/read': {
		body: Wire<BatchReadInputSimplePublicObjectId>;
		response?: Wire<BatchResponseSimplePublicObjectWithErrors>;
	};
	'POST /crm/objects/2026-03/:kind(contacts|calls|tasks)/batch/upsert': {
		body: Wire<BatchInputSimplePublicObjectBatchInputUpsert>;
		response?: Wire<
			BatchResponseSimplePublicUpsertObject &
				Pick<BatchResponseSimplePublicUpsertObjectWithErrors, 'errors' | 'numErrors'>
		>;
	};
	'GET /crm/objects/2026-03/:kind(contacts|calls|tasks)/:id': {
		response?: Wire<SimplePublicObject>;
	};
	'PATCH /crm/objects/2026-03/:kind(contacts|calls|tasks)/:id': {
		body: Wire<SimplePublicObjectInput>;
		response?: Wire<SimplePublicObject>;
	};
	'PUT /crm/objects/2026-03/:kind(contacts|calls|tasks)/:id/associations/default/contacts/:contactId': {
		response?: Wire<BatchResponsePublicDefaultAssociation>;
	};
	'POST /crm/properties/2026-03/:kind(contacts|calls|tasks)': {
		body: Wire<PropertyCreate>;
		response?: Wire<Property>;
	};
	'POST /crm/properties/2026-03/:kind(contacts|calls|tasks)/groups': {
		body: Wire<PropertyGroupCreate>;
		response?: Wire<PropertyGroup>;
	};
	/** The client doesn't have it. */
	'GET /account-info/v3/details': { response?: Record<string, unknown> };
	'GET /crm/v3/owners': {
		query?: Query<OwnersApiGetPageRequest>;
		response?: Wire<CollectionResponsePublicOwnerForwardPaging>;
	};
}
