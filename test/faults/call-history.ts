/**
 * The possible histories of one address, as far as its only caller can know: all that agree with the answers
 * so far. An unanswered call may have taken effect or not, so it doubles them. An answer keeps those that
 * would have produced it.
 */

export type Call =
  | { readonly kind: "add"; readonly list: number }
  | { readonly kind: "add-named"; readonly list: number; readonly name: string }
  | { readonly kind: "remove"; readonly list: number }
  | { readonly kind: "unsubscribe" };

/**
 * `byte`: acknowledged. `unknown`: Unavailable, or the connection was lost. `not-taken`: it cannot have had
 * an effect.
 */
export type Answer = { readonly byte: number } | "unknown" | "not-taken";

export interface CallHistory {
  /** The history entries, oldest first: `joined 1`, `left 1`, `changed` (another name), `unsubscribed`. */
  readonly history: readonly string[];
  readonly name: string;
  /** Refused adds; the service records them. */
  readonly refused: number;
  /** Removes of addresses that were not on the list. Only the account has a counter for them. */
  readonly notOnList: number;
}

const nothing: CallHistory = { history: [], name: "", refused: 0, notOnList: 0 };
const DONE = 0;
const NOT_ON_LIST = 202;
const UNSUBSCRIBED = 206;

export const isOut = ({ history }: CallHistory): boolean => history.includes("unsubscribed");
export function isOnList({ history }: CallHistory, list: number): boolean {
  return history.lastIndexOf(`joined ${list}`) > history.lastIndexOf(`left ${list}`);
}

function after(past: CallHistory, call: Call): { readonly byte: number; readonly past: CallHistory } {
  const happened = (what: readonly string[], more: Partial<CallHistory> = {}) => ({
    byte: DONE,
    past: { ...past, ...more, history: [...past.history, ...what] },
  });
  const isOn = "list" in call && isOnList(past, call.list);
  switch (call.kind) {
    case "add":
    case "add-named": {
      if (isOut(past)) return { byte: UNSUBSCRIBED, past: { ...past, refused: past.refused + 1 } };
      const name = call.kind === "add-named" ? call.name : past.name;
      const isReplaced = past.name !== "" && past.name !== name;
      return happened([...(isReplaced ? ["changed"] : []), ...(isOn ? [] : [`joined ${call.list}`])], {
        name,
      });
    }
    case "remove":
      return isOn
        ? happened([`left ${call.list}`])
        : { byte: NOT_ON_LIST, past: { ...past, notOnList: past.notOnList + 1 } };
    case "unsubscribe":
      return isOut(past) ? { byte: DONE, past } : happened(["unsubscribed"]);
  }
}

export class Person {
  readonly address: string;
  #pasts: readonly CallHistory[] = [nothing];

  constructor(address: string) {
    this.address = address;
  }

  get pasts(): readonly CallHistory[] {
    return this.#pasts;
  }

  /** Throws if no possible history explains the answer. */
  note(call: Call, answer: Answer): void {
    if (answer === "not-taken") return;
    const followed = this.#pasts.map((past) => after(past, call));
    if (answer === "unknown") this.#keep([...this.#pasts, ...followed.map(({ past }) => past)]);
    else
      this.#keep(
        followed.filter(({ byte }) => byte === answer.byte).map(({ past }) => past),
        `${JSON.stringify(call)} was answered with ${answer.byte}`,
      );
  }

  /** Compares with the state found in the database; throws if it matches no possible history. */
  found(seen: Omit<CallHistory, "notOnList">): void {
    this.#keep(
      this.#pasts.filter(
        ({ history, name, refused }) =>
          name === seen.name && refused === seen.refused && String(history) === String(seen.history),
      ),
      `the database has ${JSON.stringify(seen)}`,
    );
  }

  #keep(pasts: readonly CallHistory[], because = ""): void {
    if (pasts.length === 0)
      throw new Error(
        `${this.address}: ${because}, which follows from none of ${JSON.stringify(this.#pasts)}`,
      );
    this.#pasts =
      pasts.length === 1
        ? pasts
        : [...new Map(pasts.map((past) => [JSON.stringify(past), past] as const)).values()];
  }
}
