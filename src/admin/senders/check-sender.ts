/** The check of a sender: its DNS records, looked up concurrently and judged by the rules of the domain. */
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import {
  type DnsAnswer,
  hasFailed,
  judgeDkim,
  judgeDmarc,
  judgeMx,
  judgeSpf,
  type MailServer,
  wantedDkim,
  wantedMx,
  wantedSpf,
} from "#domain/sending/dns.ts";
import { domainOf, withParents } from "#domain/sending/domains.ts";
import type { Finding } from "#domain/sending/finding.ts";
import { takeBounces } from "#domain/sending/providers.ts";
import {
  DEMO_SENDS_NOTHING,
  parseRelayUrl,
  type Relay,
  usedRelays,
  withoutPassword,
} from "#domain/sending/relay.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import { sentence } from "../error-texts.ts";
import type { MailTools } from "../kit/mail-tools.ts";

/**
 * DNS queries with one deadline for all of them. A missing or truncated response is not taken for a missing
 * record. Records are not judged here.
 */
const DEADLINE_MS = 5000;
/** For the first attempt with a name server; c-ares waits longer for the second. */
const ATTEMPT_MS = 1500;
/** Until a question of our own, which may have been lost, is repeated. */
const REPEAT_MS = 500;
const MAX_ALIASES = 5;

/** RFC 1035 */
const types = { CNAME: 5, MX: 15, TXT: 16 };
type RecordType = keyof typeof types;
const [NO_ERROR, NO_SUCH_NAME] = [0, 3];

/** There is no such name, or it has no record of the type. */
const absent = ["ENOTFOUND", "ENODATA"];
const failures: Readonly<Record<string, string>> = {
  ECANCELLED: "it took too long",
  ECONNREFUSED: "no name server accepts queries",
  EBADRESP: "the response is malformed",
  EFORMERR: "the name server calls the query malformed (FORMERR)",
  ENOTIMP: "the name server does not support the query (NOTIMP)",
  EREFUSED: "the name server refuses to answer",
  ESERVFAIL: "the name server cannot find out",
  ETIMEOUT: "it took too long",
};

/** Texts that are split into several strings are joined. */
interface DnsLookup {
  readonly texts: (name: string) => Promise<DnsAnswer<string>>;
  readonly mailServers: (name: string) => Promise<DnsAnswer<MailServer>>;
}

function reasonOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return failures[code] ?? (code === "" ? message : code);
}

async function answerOf<Value>(question: Promise<readonly Value[]>): Promise<DnsAnswer<Value>> {
  try {
    return { values: await question };
  } catch (error) {
    if (absent.includes((error as NodeJS.ErrnoException).code ?? "")) return { values: [] };
    return { failure: reasonOf(error) };
  }
}

/**
 * Whether there really is no such record. The resolver also says so if a response over UDP was truncated and
 * the one over TCP is empty, and for response codes that it does not know. So the query is sent once more,
 * and the header of its response is read. Throws why nothing is known.
 */
async function confirmAbsence(
  server: string,
  { name, type, signal }: { readonly name: string; readonly type: RecordType; readonly signal: AbortSignal },
): Promise<void> {
  // 192.0.2.1, 192.0.2.1:53, 2001:db8::1 or [2001:db8::1]:53
  const at = isIP(server) === 0 ? server.lastIndexOf(":") : server.length;
  const host = server.slice(0, at).replace("[", "").replace("]", "");
  const port = Number(server.slice(at + 1) || 53);
  const labels = domainToASCII(name)
    .split(".")
    .filter((label) => label !== "");
  const id = randomBytes(2);
  // A question that asks for recursion; then its name, type and class.
  const question = Buffer.concat([
    ...[id, Buffer.from([1, 0, 0, 1, 0, 0, 0, 0, 0, 0])],
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.from([0, 0, types[type], 0, 1]),
  ]);
  const socket = createSocket({ type: isIP(host) === 6 ? "udp6" : "udp4", signal });
  let repeat: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      socket.on("error", reject).once("close", () => reject(new Error(failures.ETIMEOUT)));
      socket.on("message", (message) => {
        if (message.length >= 12 && message.subarray(0, 2).equals(id)) resolve(message);
      });
      socket.connect(port, host, () => {
        socket.send(question);
        repeat = setInterval(() => socket.send(question), REPEAT_MS);
      });
    });
    const flags = answer.readUInt16BE(2);
    const code = flags & 0xf;
    if ((flags & 0x200) !== 0) throw new Error("the response was truncated");
    if (code !== NO_ERROR && code !== NO_SUCH_NAME)
      throw new Error(`the name server responded with the code ${code}`);
  } finally {
    clearInterval(repeat);
    if (!signal.aborted) socket.close();
  }
}

/** `nameServers`: null for the system's own. `ask` must not use the lookup after it has resolved. */
async function withDns<Result>(
  nameServers: readonly string[] | null,
  ask: (lookup: DnsLookup) => Promise<Result>,
): Promise<Result> {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 });
  if (nameServers !== null) resolver.setServers(nameServers);
  const over = new AbortController();
  const { signal } = over;
  const deadline = setTimeout(() => {
    over.abort();
    resolver.cancel();
  }, DEADLINE_MS);
  async function question<Value>(
    name: string,
    type: RecordType,
    start: () => Promise<readonly Value[]>,
  ): Promise<DnsAnswer<Value>> {
    const answer = signal.aborted ? { failure: "it took too long" } : await answerOf(start());
    if (hasFailed(answer) || answer.values.length > 0) return answer;
    const asked = resolver.getServers().map((server) => confirmAbsence(server, { name, type, signal }));
    return Promise.any(asked).then(
      () => answer,
      ({ errors: [error] }: AggregateError) => ({ failure: reasonOf(error) }),
    );
  }
  /** Most name servers follow aliases themselves; a name server that does not returns the alias alone. */
  async function texts(name: string, aliases = 0): Promise<DnsAnswer<string>> {
    const answer = await question(name, "TXT", async () =>
      (await resolver.resolveTxt(name)).map((parts) => parts.join("")),
    );
    if (hasFailed(answer) || answer.values.length > 0 || aliases === MAX_ALIASES) return answer;
    const alias = await question(name, "CNAME", () => resolver.resolveCname(name));
    if (hasFailed(alias)) return alias;
    const [target] = alias.values;
    return target === undefined ? answer : texts(target, aliases + 1);
  }
  try {
    const mailServers = (name: string) => question(name, "MX", () => resolver.resolveMx(name));
    return await ask({ texts, mailServers });
  } finally {
    clearTimeout(deadline);
    over.abort();
    resolver.cancel();
  }
}

/** Receivers look no further either. */
const MAX_LEVELS = 8;

export const checkDns = (
  sender: Sender & SenderSecrets,
  relays: readonly string[],
  nameServers: readonly string[] | null,
): Promise<readonly Finding[]> =>
  withDns(nameServers, async (lookup) =>
    (
      await Promise.all([
        spf(lookup, sender, relays),
        dkim(lookup, sender),
        dmarc(lookup, sender),
        mx(lookup, sender),
      ])
    ).filter((finding) => finding !== null),
  );

async function spf({ texts }: DnsLookup, sender: Sender, relays: readonly string[]): Promise<Finding> {
  if (takeBounces(relays)) {
    const text =
      "Bounces go to the provider of the relay, so its own SPF record counts. Its pages say which records your domain needs.";
    return {
      subject: "spf",
      where: domainOf(sender.fromAddress),
      state: "ok",
      text,
      found: [],
      record: null,
    };
  }
  const wanted = wantedSpf(sender, relays);
  return judgeSpf(wanted, await texts(wanted.name));
}

async function dkim({ texts }: DnsLookup, sender: Sender & SenderSecrets): Promise<Finding> {
  const wanted = wantedDkim(sender);
  if (wanted !== null) return judgeDkim(wanted, await texts(wanted.name));
  const where = domainOf(sender.fromAddress);
  const nothing = { subject: "dkim", where, found: [], record: null } as const;
  return sender.signing === "relay"
    ? {
        ...nothing,
        state: "ok",
        text: "The relay signs the messages. Its provider says which DNS records that needs.",
      }
    : {
        ...nothing,
        state: "wrong",
        text: "Nobody signs the messages, so no campaign is sent. Have Mailroll or the relay sign them.",
      };
}

async function dmarc({ texts }: DnsLookup, sender: Sender): Promise<Finding> {
  const domains = withParents(domainOf(sender.fromAddress));
  // The name itself, and the nearest of the top.
  const levels =
    domains.length <= MAX_LEVELS ? domains : [...domains.slice(0, 1), ...domains.slice(1 - MAX_LEVELS)];
  return judgeDmarc(
    sender,
    await Promise.all(levels.map(async (domain) => ({ domain, texts: await texts(`_dmarc.${domain}`) }))),
  );
}

async function mx({ mailServers }: DnsLookup, sender: Sender): Promise<Finding | null> {
  const wanted = wantedMx(sender);
  return wanted === null ? null : judgeMx(wanted, await mailServers(wanted.name));
}

/**
 * Tries the relays of a sender. The address of the installation's relay is not shown: it is not the
 * account's.
 */
const INSTALLATION = "the relay of the installation";

export const checkRelays = ({ relays }: SenderSecrets, mail: MailTools): Promise<readonly Finding[]> =>
  Promise.all(
    usedRelays(relays, mail).map((one) =>
      checkRelay(one, mail.isDemo || relays.length === 0 ? INSTALLATION : withoutPassword(one.url), mail),
    ),
  );

async function checkRelay(relay: Relay, where: string, { isDemo, tryRelay }: MailTools): Promise<Finding> {
  const about = { subject: "relay", where, found: [], record: null } as const;
  const address = parseRelayUrl(relay.url);
  if ("kind" in address && address.kind === "folder")
    return {
      ...about,
      state: "note",
      text: isDemo
        ? sentence(DEMO_SENDS_NOTHING)
        : "Messages are written to a folder, and nobody gets them: that is for trying out. For real mail, give the sender an SMTP server as its relay, or have the setting MAILROLL_SMTP changed.",
    };
  const problem = await tryRelay(relay);
  return problem === null
    ? { ...about, state: "ok", text: `The connection to ${where} works.` }
    : {
        ...about,
        state: "wrong",
        text: `Messages cannot be handed over to ${where}. Check its address, the user and the password.`,
        found: [problem],
      };
}
