/**
 * Takes e-mail addresses out of what a relay said, for places that outlive a person's data: the log, and the
 * reason why a campaign waits. The ledger keeps the words about a recipient, and loses them with the person.
 */

/** With the brackets around it. The last character is a letter or digit: a full stop ends the sentence. */
const ADDRESS = /<?(?:"[^"]*"|[^\s<>"(),:;[\]@]+)@(?:\[[^\]\s]*\]|[^\s<>"(),:;[\]@]*[\p{L}\p{N}])>?/gu;

/** As in the text, without the brackets. */
export const addressesIn = (words: string): readonly string[] =>
  (words.match(ADDRESS) ?? []).map((found) => found.replace(/^</, "").replace(/>$/, ""));
export const withoutAddresses = (words: string, instead = "<address>"): string =>
  words.replaceAll(ADDRESS, instead);
