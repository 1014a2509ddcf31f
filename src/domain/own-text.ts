/**
 * The same text as a string of its own, for what is kept: in V8 a slice keeps the whole text alive that it was cut
 * from, such as a message of some MiB or a long header.
 */
export const ownText = (text: string): string => Buffer.from(text).toString();
