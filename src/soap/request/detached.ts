/**
 * A copy of the text. A slice of a string retains the whole string in memory, so text that outlives a request
 * is copied first.
 */
export const detached = (text: string): string => Buffer.from(text).toString();
