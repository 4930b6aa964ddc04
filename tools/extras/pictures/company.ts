/** The number of the sandbox's company. All numbers are fictional (555-01xx). */
export const MAIN_NUMBER = '12125550100';

/** Customers by number. */
export const CUSTOMERS = {
	linda: '12125550142',
	james: '13125550118',
	susan: '14155550173',
	robert: '16175550126',
};

/** A time zone in which it is between 3 and 4 p.m., so that pictures show a working day. */
export const DAYTIME = zoneAt(15);

function zoneAt(hour: number): string {
	const ahead = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
	// In these names, zones ahead of UTC have a minus.
	return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
