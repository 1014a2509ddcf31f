/** MX: whether the domain for bounces can receive them. */
import { type DnsAnswer, type DnsRecord, type Finding, findingsAbout, hasFailed } from "./finding.ts";

export interface MailServer {
  readonly exchange: string;
  readonly priority: number;
}

export function judgeMx(wanted: DnsRecord, servers: DnsAnswer<MailServer>): Finding {
  const { finding, unknown } = findingsAbout(wanted);
  if (hasFailed(servers)) return unknown(servers);
  const found = servers.values.map(
    ({ exchange, priority }) => `${priority} ${exchange === "" ? "." : exchange}`,
  );
  if (found.length === 0)
    return finding(
      "missing",
      `${wanted.name} has no mail server, so bounces are lost. Add an MX record with the name of the server that shall receive them.`,
    );
  // "0 ." says that the domain receives no mail (RFC 7505).
  if (servers.values.every(({ exchange }) => exchange === "" || exchange === "."))
    return finding(
      "wrong",
      `${wanted.name} declares that it receives no mail. Name a mail server instead.`,
      found,
    );
  return finding("ok", `Bounces to ${wanted.name} have a mail server.`, found);
}
