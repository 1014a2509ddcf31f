/**
 * Copies a text before it is stored: in V8 a slice keeps the whole original text in memory, such as a message
 * of some MiB or a long header.
 */
export const ownText = (text: string): string => Buffer.from(text).toString();
