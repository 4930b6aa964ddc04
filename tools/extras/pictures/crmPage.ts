import type { Hubspot } from '../../../test/support/services/hubspot';

/** Returns the page of a contact as a CRM shows it: the calls that are logged in the stand-in. */
export function contactPage({ records, files, users }: Hubspot, name: string): string {
	const contact = records.contacts.find(({ properties }) => properties.lastname === name);
	if (!contact) throw new Error(`There is no contact ${name}`);
	const { phone = '', hubspot_owner_id: owner = '' } = contact.properties;
	const calls = records.calls.filter(({ contacts }) => contacts.includes(contact.id));
	const entries = calls.map(({ properties }) => {
		const time = new Date(properties.hs_timestamp ?? '').toLocaleString('en-US', {
			...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
		});
		const who = users.get(properties.hubspot_owner_id ?? '');
		return `<article><b>☎</b><div><strong>${properties.hs_call_title}</strong>
			<p>${[who, time].filter(Boolean).join(' · ')}</p>
			${playerOf(files.get(properties.hs_attachment_ids ?? ''))}</div></article>`;
	});
	return `<!doctype html><meta charset="utf-8"><title>${name}</title><style>${STYLE}</style>
		<aside><i>${name.replace(/[^A-Z]/g, '')}</i><h1>${name}</h1>
			<dl><dt>Phone</dt><dd>${phone}</dd><dt>Owner</dt><dd>${users.get(owner) ?? ''}</dd></dl></aside>
		<main><h2>Timeline</h2>${entries.join('')}</main>`;
}

/** Returns a player of the recording in an upload. */
function playerOf(upload = ''): string {
	const start = upload.indexOf('RIFF');
	if (start < 0) return '';
	const audio = Buffer.from(upload.slice(start), 'latin1').toString('base64');
	return `<audio controls src="data:audio/wav;base64,${audio}"></audio>`;
}

const STYLE = `
	* { box-sizing: border-box; margin: 0 }
	body { display: flex; height: 100vh; overflow: hidden; background: #eef1f6; color: #1d2740;
		font: 14px/1.4 system-ui, sans-serif }
	aside { width: 170px; padding: 12px 14px; background: white; border-right: 1px solid #d9dfe9 }
	aside i { display: grid; place-items: center; width: 40px; height: 40px; border-radius: 50%; background: #4453c8;
		color: white; font: 600 17px system-ui, sans-serif }
	h1 { margin: 4px 0 6px; font-size: 18px }
	dt { color: #67728a; font-size: 13px }
	dd { margin: 0 0 4px }
	main { flex: 1; padding: 12px 14px }
	h2 { margin-bottom: 8px; font-size: 15px }
	article { display: flex; gap: 12px; padding: 10px 14px; background: white; border: 1px solid #d9dfe9;
		border-radius: 8px }
	article b { display: grid; place-items: center; flex: none; width: 30px; height: 30px; border-radius: 50%;
		background: #e4e8fb; color: #4453c8; font-size: 16px }
	article div { flex: 1 }
	p { color: #67728a; font-size: 13px }
	audio { width: 100%; height: 40px; margin-top: 6px }`;
