import { readCountryChoice } from '../../fields/country';
import type { ItemContext } from '../../fields/inputs';
import { readOption } from '../../fields/options';
import type { Pbx } from '../../transport/pbx';

/**
 * Reads in which country's form numbers come: the option Country, or that of the credential.
 *
 * @returns an ISO code; undefined to keep numbers as they are
 * @throws NodeOperationError that names the option, for a country that is not known
 */
export function readChosenCountry(
	{ context, itemIndex }: ItemContext,
	pbx: Pick<Pbx, 'country'>,
): string | undefined {
	const choice = readCountryChoice(context, readOption(context, itemIndex, 'country'));
	return choice === 'credential' ? pbx.country : choice.code;
}
