/**
 * Questions to the DNS, with one deadline for all of them. A name server that does not answer is
 * not mistaken for a record that does not exist. Answers are not judged here.
 */
import { Resolver } from "node:dns/promises";
import { type DnsAnswer, hasFailed } from "../../domain/sending/dns/finding.ts";
import type { MailServer } from "../../domain/sending/dns/mx.ts";

const DEADLINE_MS = 5000;
/** For the first attempt with a name server; c-ares waits longer for the second. */
const ATTEMPT_MS = 1500;
const MAX_ALIASES = 5;

/** There is no such name, or it has no record of the type. */
const absent = ["ENOTFOUND", "ENODATA"];
const failures: Readonly<Record<string, string>> = {
  ECANCELLED: "it took too long",
  ECONNREFUSED: "no name server accepts questions",
  EREFUSED: "the name server refuses to answer",
  ESERVFAIL: "the name server cannot find out",
  ETIMEOUT: "it took too long",
};

/** Texts that are split into several strings are joined. */
export interface DnsLookup {
  readonly texts: (name: string) => Promise<DnsAnswer<string>>;
  readonly mailServers: (name: string) => Promise<DnsAnswer<MailServer>>;
}

async function answerOf<Value>(question: Promise<readonly Value[]>): Promise<DnsAnswer<Value>> {
  try {
    return { values: await question };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (absent.includes(code)) return { values: [] };
    return { failure: failures[code] ?? `${code === "" ? message : code}` };
  }
}

/** `nameServers`: null for those of the system. `ask` must not use the lookup after it has resolved. */
export async function withDns<Result>(
  nameServers: readonly string[] | null,
  ask: (lookup: DnsLookup) => Promise<Result>,
): Promise<Result> {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 });
  if (nameServers !== null) resolver.setServers(nameServers);
  let isOver = false;
  const deadline = setTimeout(() => {
    isOver = true;
    resolver.cancel();
  }, DEADLINE_MS);
  const question = <Value>(start: () => Promise<readonly Value[]>): Promise<DnsAnswer<Value>> =>
    isOver ? Promise.resolve({ failure: "it took too long" }) : answerOf(start());
  /** Most name servers follow aliases themselves; one that does not returns the alias alone. */
  async function texts(name: string, aliases = 0): Promise<DnsAnswer<string>> {
    const answer = await question(async () =>
      (await resolver.resolveTxt(name)).map((parts) => parts.join("")),
    );
    if (hasFailed(answer) || answer.values.length > 0 || aliases === MAX_ALIASES) return answer;
    const alias = await question(() => resolver.resolveCname(name));
    if (hasFailed(alias)) return alias;
    const [target] = alias.values;
    return target === undefined ? answer : texts(target, aliases + 1);
  }
  try {
    return await ask({ texts, mailServers: (name) => question(() => resolver.resolveMx(name)) });
  } finally {
    clearTimeout(deadline);
    resolver.cancel();
  }
}
