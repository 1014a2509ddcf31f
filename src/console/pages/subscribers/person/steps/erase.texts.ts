export const title = "Erase";
export const whatHappens = "This cannot be undone";
export const affected = (email: string): string => `1 person: ${email}`;
export const goes = "Deleted for good: the address, the names, all values";
const counted = (count: number, number: string, one: string, many: string): string =>
  `${number} ${count === 1 ? one : many}`;
export interface Counts {
  readonly values: number;
  readonly lists: number;
  readonly history: number;
  readonly results: number;
  readonly refused: number;
}
export function countsOf(counts: Counts, number: (count: number) => string): readonly string[] {
  const { values, lists, history, results, refused } = counts;
  return [
    counted(values, number(values), "value of a field", "values of fields"),
    counted(lists, number(lists), "membership", "memberships"),
    counted(history, number(history), "entry of the history", "entries of the history"),
    counted(results, number(results), "campaign result", "campaign results"),
    counted(refused, number(refused), "refused call", "refused calls"),
  ];
}
export const deletes = (parts: readonly string[]): string =>
  `The address, the names and everything else about the person are deleted: ${parts.join(", ")}.`;
export const numbersStay = "Counts of past days and of campaigns stay: they name nobody.";
export const suppressionStays =
  "The person is suppressed. That stays in force: a hash of the address is kept, from which the address cannot be read, so that nobody can add it again by mistake.";
export const canReturn = "The address can be added again, as a new subscriber.";
export const rewrite = (time: string): string =>
  `Traces in the files of the database are removed when it is rewritten in the night: ${time}.`;
export const backups = "Backups that were made before still contain the person.";
export const download = "Download everything first";
export const confirm = "Erase this person";
export const cancel = "Cancel";

export const doneTitle = "The person is erased";
export const deleted = (parts: readonly string[]): string => `Deleted: ${parts.join(", ")}.`;
export const kept = "A hash of the address is kept, so that it stays suppressed.";
export const former = (addresses: string): string =>
  `Before, the person had another address: ${addresses}. Refused calls and names of files may still contain it. Unless it belongs to somebody else now, erase it, too: on the command line with “mailroll subscriber erase”, or over the API.`;
export const back = "Subscribers";
