import { choice, count, seconds } from './kinds';

/** Settings of CDRs and recordings (§2.4, §4.3). */
export const RECORDS = {
	cdr_form: choice(
		['contract', 'kazoo'],
		'contract',
		'CDRs with the fields of §2.4, or with those of a stock Kazoo: `timestamp` is the start of the call, filters compare fields as they are stored, and the envelope comes last',
	),
	cdr_numbers: choice(
		['uri', 'named'],
		'uri',
		'form of numbers in CDRs: SIP URIs, or `171 (IVANOVA MA)`, without the name if there is none',
	),
	cdr_number_filter: choice(
		['either', 'exact'],
		'either',
		'number filters of CDRs match the SIP URI or its user part, or only the whole text',
	),
	cdr_max_range_seconds: count(0, 'longer ranges get a 400; 0 for no limit'),
	recording_delay_seconds: seconds(
		3,
		'call time from the end of a call until its recording is available',
	),
	recording_name: choice(
		['short', 'dated', 'call'],
		'short',
		'file name of a recording: `<id>.wav`, `<date>-<time>-<account>-call_recording_<Call-ID>.mp3` (the bytes are WAV), or that without date, time, and account',
	),
	recording_ids: choice(
		['none', 'served', 'stopped', 'empty'],
		'none',
		'with all but `none`, CDRs hold IDs of recordings instead of addresses, as on a stock Kazoo. GET `recordings/<id>?accept=audio/mpeg` of an account returns the file, a 404 without a body, as if `cb_recordings` were stopped, or an empty file',
	),
	recording_path: choice(['recordings', 'recorded'], 'recordings', 'last part of REC_LINK'),
};
