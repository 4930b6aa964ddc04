import { choice, count, flag, seconds, text } from './kinds';

/** Switches of CDRs and recordings (§2.4, §4.3). */
export const RECORDS = {
	cdr_numbers: choice(
		['uri', 'named'],
		'uri',
		'numbers of CDRs are SIP URIs, or as `171 (IVANOVA MA)`, without the name where there is none',
	),
	cdr_number_filter: choice(
		['either', 'exact'],
		'either',
		'number filters on CDRs match the SIP URI or its user part, or only the whole text',
	),
	cdr_max_range_seconds: count(0, 'longer ranges are answered with 400; 0 for no limit'),
	cdr_delay_seconds: seconds(0, 'call time from the end of a leg until its CDR can be read'),
	record_calls: flag(true, 'whether answered calls are recorded'),
	recording_delay_seconds: seconds(
		3,
		'call time from the end of a call until its recording is there',
	),
	recording_in_cdr: choice(
		['at_once', 'when_ready'],
		'at_once',
		'whether a CDR names its recording before it can be fetched',
	),
	recording_name: choice(
		['short', 'dated'],
		'short',
		'name of a recording: `<id>.wav`, or `<date>-<time>-<account>-call_recording_<Call-ID>.mp3` (the bytes are WAV)',
	),
	recording_path: choice(['recordings', 'recorded'], 'recordings', 'last part of REC_LINK'),
	recording_encoding: choice(
		['identity', 'gzip', 'gzip_always'],
		'identity',
		'`gzip` packs recordings where the request’s Accept-Encoding allows it, `gzip_always` in any case; Content-Length is that of the packed body',
	),
	recording_link: text('', 'start of REC_LINK; empty for this server'),
};
