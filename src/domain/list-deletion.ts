/** The rule by which a membership ends when its list is deleted. The subscriber stays in the account. */
import type { List } from "./list.ts";
import type { SubscriberChange } from "./subscriber/change.ts";
import { type Cause, historyEntry } from "./subscriber/history.ts";
import type { Known } from "./subscriber/subscriber.ts";
import { isCounted, type MembershipStatus } from "./subscriber/subscriber.ts";

export const decideListDeletion = (
  { suppressions }: Known,
  status: MembershipStatus,
  { id, name }: Pick<List, "id" | "name">,
  cause: Cause,
): readonly SubscriberChange[] => [
  { kind: "leave", list: id, at: cause.at, counted: isCounted(suppressions, status) },
  {
    kind: "add-history",
    entry: historyEntry("left", cause, { list: id, detail: `the list "${name}" was deleted` }),
  },
];
