/** The package has no types. measure.ts types what it uses. */
declare module 'jstat';
