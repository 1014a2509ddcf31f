/**
 * The same text as a string of its own. A slice of a string keeps all of it in memory, so whatever outlives a request
 * is detached from it first.
 */
export const detached = (text: string): string => Buffer.from(text).toString();
