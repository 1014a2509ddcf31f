/** What the check of a sender finds, one finding per subject; and the answers of the DNS that it reads. */

/**
 * `missing`: there is no such record. `wrong`: there is one that does not work. `unknown`: the DNS or the
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

/** `values` is empty if there is no such record. `failure`: the DNS could not say, and why. */
export type DnsAnswer<Value> = { readonly values: readonly Value[] } | { readonly failure: string };

export const hasFailed = <Value>(
  answer: DnsAnswer<Value>,
): answer is Extract<DnsAnswer<Value>, { readonly failure: string }> => "failure" in answer;

const MAX_SHOWN = 300;
const cut = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

/** Builds the findings about one wanted record. */
export const findingsAbout = (wanted: DnsRecord) => {
  const finding = (state: FindingState, text: string, found: readonly string[] = []): Finding => ({
    subject: wanted.subject,
    state,
    where: wanted.name,
    text,
    found: found.slice(0, 5).map(cut),
    record: state === "missing" || state === "wrong" ? wanted : null,
  });
  return {
    finding,
    unknown: ({ failure }: { readonly failure: string }): Finding =>
      finding("unknown", `The DNS did not answer for ${wanted.name}: ${failure}. Repeat the check later.`),
  };
};
