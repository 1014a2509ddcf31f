export const title = "Erase";
export const question = (email: string): string => `Erase ${email}?`;
export const affected = "1 person";
export const cannotBeUndone = "This cannot be undone.";
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
    counted(values, number(values), "field value", "field values"),
    counted(lists, number(lists), "membership", "memberships"),
    counted(history, number(history), "history entry", "history entries"),
    counted(results, number(results), "campaign result", "campaign results"),
    counted(refused, number(refused), "refused call", "refused calls"),
  ];
}
export const deletes = (parts: readonly string[]): string =>
  `The address, the names and everything else about the person is deleted: ${parts.join(", ")}.`;
export const numbersStay = "Statistics stay. They contain no personal data.";
export const suppressionStays =
  "The address still gets no mail: a hash of it is kept, so that it cannot be added again by mistake. The address cannot be read from the hash.";
export const canReturn = "The address can be added again, as a new subscriber.";
export const rewrite = (time: string): string =>
  `Remains in the database files are removed the next night: ${time}.`;
export const backups = "Earlier backups still contain the person.";
export const download = "Download everything first";
export const confirm = "Erase this person";
export const cancel = "Cancel";

export const doneTitle = "The person is erased";
export const deleted = (parts: readonly string[]): string => `Deleted: ${parts.join(", ")}.`;
export const kept = "A hash of the address is kept, so that it cannot be added again by mistake.";
export const former = (addresses: string): string =>
  `The person had another address before: ${addresses}. Refused calls and file names may still contain it. Unless it belongs to somebody else now, erase it too: with “mailroll subscriber erase” on the command line, or with the API.`;
export const back = "Subscribers";
