import type { Dialect } from '../types';

/** The contract's interface (docs/internals/interface.md). */
export const contract: Dialect = {
	name: 'this PBX',
	platformName: (entered) => entered || 'pbx',
	basePath: (platform) => `/v1/${encodeURIComponent(platform)}`,
	pastedPaths: (platform) => [`/v1/${platform}`, '/v1'],
	needsRealm: true,
	loginData: ({ login, password, realm }) => ({ login, password, realm }),
	fields: {
		address: "'Base URL' and 'API Path Segment'",
		login: "'Login', 'Password', and 'Realm'",
	},
	whenGone: "If it's a Kazoo, set 'API' to 'Kazoo (/v2)'.",
	longList: {},
	createsOutsideAccount: true,
	/** The platform's name. A platform such as `kazoos` has the family's one format (seen in the field). */
	responseFormat: (platform) => (/^kazoo/i.test(platform) ? 'kazoo' : platform),
	stampsBegin: false,
	/** The contract shows no list of fields, so any other is sent as it is. */
	cdrFilter: (field) => ({ filter: field === 'direction' ? 'call_direction' : field }),
	recordingById: undefined,
	usualPivot: { method: 'GET', req_timeout: '5' },
	serviceOf: ({ webserver }) => webserver,
	pivotData: ({ webserver, method, timeout, format }, callflowId) => ({
		...(method === undefined ? {} : { method }),
		...(timeout === undefined ? {} : { req_timeout: timeout }),
		...(format === undefined ? {} : { req_format: format }),
		voice_url: `{dflow}&callflow_id=${callflowId}&webserver=${webserver}`,
	}),
	rejectedAddress:
		"This PBX doesn't know {dflow}, so it might be a Kazoo. If so, set 'API' to 'Kazoo (/v2)' in the Virtual PBX credential.",
	clickToCall: {
		methods: ['GET'],
		query: ({ callerId, autoAnswer }) => ({
			...(callerId === undefined ? {} : { 'cid-number': callerId }),
			...(autoAnswer ? { auto_answer: true } : {}),
		}),
	},
	rungBy: undefined,
	answerEncoder: undefined,
};
