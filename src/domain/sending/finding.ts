/** What the check of a sender finds: about its DNS records, its relays and their providers. */
/**
 * `missing`: there is no such record. `wrong`: there is one, and it does not work. `unknown`: the DNS or the
 * relay did not answer, so nothing is known. `note`: it works, and there is something to know about it.
 */
export const findingStates = ["ok", "note", "missing", "wrong", "unknown"] as const;
export type FindingState = (typeof findingStates)[number];

export const checkedSubjects = ["spf", "dkim", "dmarc", "mx", "relay"] as const;
export type CheckedSubject = (typeof checkedSubjects)[number];

/** A record to add, as the forms of DNS providers ask for it. */
export interface DnsRecord {
  readonly subject: CheckedSubject;
  readonly type: "TXT" | "MX";
  readonly name: string;
  readonly value: string;
}

export interface Finding {
  readonly subject: CheckedSubject;
  readonly state: FindingState;
  /** Where was looked: the name of a record, or the address of a relay without its password. */
  readonly where: string;
  /** What it means, and what to do; a whole sentence or two. */
  readonly text: string;
  /** What is there, cut to a bearable length. */
  readonly found: readonly string[];
  /** To be added, or put in the place of what is there; null: nothing to do. */
  readonly record: DnsRecord | null;
}

/** Whether there is nothing to do about it. */
export const isFine = ({ state }: Pick<Finding, "state">): boolean => state === "ok" || state === "note";
