/** Seconds from year 0 to the Unix epoch (§8). */
export const GREGORIAN_OFFSET = 62_167_219_200;

/** Converts Unix milliseconds into whole Gregorian seconds, UTC (§4.3 rule 1). */
export const toGregorian = (unixMs: number): number => Math.floor(unixMs / 1000) + GREGORIAN_OFFSET;

export const gregorianNow = (): number => toGregorian(Date.now());
