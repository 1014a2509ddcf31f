/**
 * Dry run of an import: changes nothing and reports what the import would do. The rules are applied to the
 * stored state and the effect of the preceding rows. Of that effect, one small number per address is kept;
 * values are kept only for the current batch of rows, because only one row of a file sets the values of an
 * address.
 */
import type { ImportId } from "#domain/access/origin.ts";
import type { Address } from "#domain/address.ts";
import type { FieldId } from "#domain/field/field.ts";
import { noBasics, type StoredValue, type StoredValues } from "#domain/field/value-rules.ts";
import { PLANNED_LIST } from "#domain/import/job.ts";
import { decideImport, type Imported, type ImportedPerson, type ImportState } from "#domain/import/rules.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { activeBy, type SubscriberChange } from "#domain/subscriber/change.ts";
import type { MembershipStatus } from "#domain/subscriber/subscriber.ts";
import { bySuppression, noSuppressions, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import type { Target } from "../table/source.ts";

/** Of the values that a dry run sets; no import has it. */
const NO_IMPORT: ImportId = 0;

const KNOWN = 1;
const MEMBER = 2;
const PENDING = 4;
const bitOf = bySuppression((kind) => 8 << suppressionKinds.indexOf(kind));

const memberBits = (status: MembershipStatus | null): number =>
  status === null ? 0 : MEMBER | (status === "pending" ? PENDING : 0);

export class DryRun {
  readonly #store: Pick<Store, "imports" | "blocks">;
  readonly #target: Target;
  readonly #left = new Map<string, number>();
  readonly #patterns = new Set<string>();
  #blocks: ReadonlySet<string> | null = null;
  #subscribersAdded = 0;
  #lastFieldId: FieldId = 0n;

  constructor(store: Pick<Store, "imports" | "blocks">, target: Target) {
    this.#store = store;
    this.#target = target;
  }

  /** Of a field that the import would create. */
  fieldId(): FieldId {
    this.#lastFieldId -= 1n;
    return this.#lastFieldId;
  }

  /** Whether the block would be new. */
  async block(pattern: string): Promise<boolean> {
    const { account } = this.#target;
    this.#blocks ??= new Set(
      (await collect(this.#store.blocks.all.pages({ account }))).map((one) => one.pattern),
    );
    const isNew = !this.#blocks.has(pattern) && !this.#patterns.has(pattern);
    this.#patterns.add(pattern);
    return isNew;
  }

  async take(people: readonly ImportedPerson[]): Promise<readonly Imported[]> {
    const { account, list, now: at } = this.#target;
    const addresses = people.map(({ address }) => address);
    const given = new Map<string, StoredValues>();
    const { states, subscribers, subscriberLimit } = await this.#store.imports.states({
      account,
      // A list that does not exist yet has no members.
      list: list === PLANNED_LIST ? null : list,
      addresses,
    });
    return people.map((person, index) => {
      const stored = states[index];
      if (stored === undefined) throw new Error("the store returned no state for an address");
      const { key } = person.address;
      const state = this.#after({ ...stored, stored: given.get(key) ?? stored.stored }, person.address);
      const room = { subscribers: subscribers + this.#subscribersAdded, subscriberLimit };
      const cause = { at, origin: { kind: "import", batch: null } } as const;
      const { changes, ...imported } = decideImport(person, this.#target, cause, state, room);
      if (changes.length > 0) {
        this.#leave(person.address, state, changes);
        given.set(key, afterChanges(state.stored, changes));
      }
      return imported;
    });
  }

  /** The stored state with the effect of the preceding rows. */
  #after(stored: ImportState, { key, domain }: Address): ImportState {
    const isBlocked = this.#patterns.has(key) || this.#patterns.has(`@${domain}`);
    const blockedAt = stored.blockedAt ?? (isBlocked ? this.#target.now : null);
    const left = this.#left.get(key);
    if (left === undefined) return { ...stored, blockedAt };
    const held = bySuppression((kind) => ((left & bitOf[kind]) === 0 ? null : this.#target.now));
    return {
      ...stored,
      blockedAt,
      known: { since: this.#target.now, suppressions: held },
      membership: (left & MEMBER) === 0 ? null : (left & PENDING) === 0 ? "active" : "pending",
    };
  }

  #leave({ key }: Address, state: ImportState, changes: readonly SubscriberChange[]): void {
    const held = state.known?.suppressions ?? noSuppressions;
    let left = KNOWN | memberBits(state.membership);
    for (const suppression of suppressionKinds) if (held[suppression] !== null) left |= bitOf[suppression];
    for (const change of changes) {
      if (change.kind === "set-suppression") left |= bitOf[change.suppression];
      else if (change.kind === "join") left |= memberBits(change.status);
      else if (change.kind === "leave") left &= ~(MEMBER | PENDING);
      else if (change.kind === "change-state") this.#subscribersAdded += activeBy(change.from, change.to);
      else if (change.kind === "create-subscriber") {
        if (change.blockedAt === null) this.#subscribersAdded += 1;
        else left |= bitOf.blocked;
      }
    }
    this.#left.set(key, left);
  }
}

/** The stored values with the effect of the changes. */
function afterChanges(stored: StoredValues | null, changes: readonly SubscriberChange[]): StoredValues {
  let basics = stored?.basics ?? noBasics;
  const values = new Map<FieldId, StoredValue>();
  for (const change of changes) {
    if (change.kind === "describe") basics = { ...basics, ...change.data, imported: change.imported };
    if (change.kind === "set-value") values.set(change.field, { value: change.value, batch: NO_IMPORT });
  }
  return { basics, values: { get: (field) => values.get(field) ?? stored?.values.get(field) } };
}
