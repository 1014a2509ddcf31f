/** `sender check` against a real name server: what it finds, what it misses, and how it says so. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { after, before, describe, test } from "node:test";
import type { DnsRecord, Finding } from "#domain/sending/finding.ts";
import { Installation } from "../cli/program.ts";
import { type NameServer, startNameServer } from "./name-server.ts";

const DOMAIN = "shop.example";
const home = new Installation({ keepsOpen: true });
const servers: NameServer[] = [];
after(async () => {
  for (const server of servers) await server.stop();
  await home.remove();
});
async function start(...options: readonly string[]): Promise<string> {
  const server = await startNameServer(DOMAIN, options);
  servers.push(server);
  return server.address;
}

interface Created {
  readonly id: number;
  readonly dnsRecords: readonly DnsRecord[];
}
let sender: Created;
before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  sender = await home.json<Created>(
    ...["sender", "create", "--from", `Shop <news@mail.${DOMAIN}>`, "--postal-address", "1 Main Street"],
    ...["--dkim-domain", DOMAIN, "--bounce-domain", `bounces.${DOMAIN}`],
  );
});
const key = (): string => sender.dnsRecords.find(({ subject }) => subject === "dkim")?.value ?? "";

/** As a zone file has it: a TXT record consists of strings of at most 255 bytes. */
const strings = (text: string): string => (text.match(/.{1,255}/g) ?? []).join(",");

interface Checked {
  readonly error?: { readonly code: string; readonly message: string };
  readonly findings: readonly Finding[];
}
async function check(dns: string) {
  const started = performance.now();
  const { code, out } = await home.runHere(["sender", "check", String(sender.id), "--dns", dns, "--json"]);
  const checked = JSON.parse(out) as Checked;
  const states = Object.fromEntries(checked.findings.map(({ subject, state }) => [subject, state]));
  return { code, ...checked, states, seconds: (performance.now() - started) / 1000 };
}
const complete = (): readonly string[] => [
  `--txt-record=bounces.${DOMAIN},v=spf1 include:_spf.example.net ~all`,
  `--txt-record=bounces.${DOMAIN},another text`,
  `--txt-record=mailroll._domainkey.${DOMAIN},${strings(key())}`,
  `--txt-record=_dmarc.${DOMAIN},v=DMARC1; p=none; sp=reject`,
  `--mx-host=bounces.${DOMAIN},mx.${DOMAIN},10`,
];
const outbox = "note";

describe("sender check", () => {
  test("finds every record, a key that is split into strings, and the policy of the domain above", async () => {
    const { code, states, findings } = await check(await start(...complete()));
    assert.equal(code, 0, "a folder as the relay is no failure");
    assert.deepEqual(states, { spf: "ok", dkim: "ok", dmarc: "ok", mx: "ok", relay: outbox });
    const dmarc = findings.find(({ subject }) => subject === "dmarc");
    assert.equal(dmarc?.text, `The policy of ${DOMAIN} is reject, which also counts for mail.${DOMAIN}.`);
    assert.ok(key().length > 255, "the key needs two strings");
  });

  test("follows an alias to the key", async () => {
    const target = `keys.${DOMAIN}`;
    const address = await start(
      ...complete().filter((option) => !option.includes("_domainkey")),
      `--txt-record=${target},${strings(key())}`,
      // The records of an alias, as dnsmasq has no aliases of texts: type 5, in the wire format.
      `--dns-rr=mailroll._domainkey.${DOMAIN},5,${wireName(target)}`,
    );
    assert.equal((await check(address)).states.dkim, "ok");
  });

  test("says which records are missing, each with the record to add, and fails", async () => {
    const { code, states, findings, error } = await check(await start());
    assert.deepEqual([code, error?.code], [1, "ProblemsFound"]);
    assert.deepEqual(states, {
      spf: "missing",
      dkim: "missing",
      dmarc: "missing",
      mx: "missing",
      relay: outbox,
    });
    assert.deepEqual(
      findings.flatMap(({ record }) => (record === null ? [] : [record])),
      sender.dnsRecords,
    );
  });

  test("says what is wrong with records that are there", async () => {
    const address = await start(
      `--txt-record=bounces.${DOMAIN},v=spf1 +all`,
      `--txt-record=mailroll._domainkey.${DOMAIN},v=DKIM1; k=rsa; p=AAAA`,
      `--txt-record=_dmarc.mail.${DOMAIN},v=DMARC1; p=none; adkim=s; aspf=s`,
      `--dns-rr=bounces.${DOMAIN},15,000000`,
    );
    const { code, states } = await check(address);
    assert.equal(code, 1);
    assert.deepEqual(states, { spf: "wrong", dkim: "wrong", dmarc: "wrong", mx: "wrong", relay: outbox });
  });

  test("prints the record to add for people, too", async () => {
    const address = await start();
    const { code, out, err } = await home.runHere(["sender", "check", String(sender.id), "--dns", address]);
    assert.equal(code, 1);
    assert.match(out, /MISSING DKIM: There is no DKIM record at mailroll\._domainkey\.shop\.example/);
    assert.ok(out.includes(`  TXT  mailroll._domainkey.${DOMAIN}\n       ${key()}`), out);
    assert.match(err, /4 of 5 checks failed/);
  });

  test("tells a name server that is away, refuses or is silent from a missing record", async () => {
    const silent = createSocket("udp4");
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
    const refusing = await startNameServer("other.example", []);
    servers.push(refusing);
    try {
      for (const address of ["127.0.0.1:9", refusing.address, `127.0.0.1:${silent.address().port}`]) {
        const { code, states, findings, seconds } = await check(address);
        assert.equal(code, 1);
        assert.deepEqual(states, {
          ...{ spf: "unknown", dkim: "unknown", dmarc: "unknown", mx: "unknown", relay: outbox },
        });
        assert.ok(
          findings.every(({ record }) => record === null),
          "nothing is to be added",
        );
        assert.ok(seconds < 8, `${address}: ${seconds} s`);
      }
    } finally {
      silent.close();
    }
  });
});

/** A domain name in the wire format, as hexadecimal digits. */
function wireName(name: string): string {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]).toString("hex");
}
