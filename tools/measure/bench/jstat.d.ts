/** It brings no types of its own; measure.ts gives some to what it uses. */
declare module 'jstat';
