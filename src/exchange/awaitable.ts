/** A value now, or a promise of it: what a port may answer, so that the ones that know at once cost no promise. */
export type Awaitable<T> = T | Promise<T>;
