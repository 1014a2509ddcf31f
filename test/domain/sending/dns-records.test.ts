/** What the check of a sender concludes from the answers of the DNS. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  judgeDkim,
  judgeDmarc,
  judgeMx,
  judgeSpf,
  wantedDkim,
  wantedMx,
  wantedRecords,
  wantedSpf,
} from "#domain/sending/dns.ts";
import type { Finding } from "#domain/sending/finding.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import { newDkimKey, publicKeyOf } from "#domain/sending/sender.ts";
import { senderValues } from "../../store/sender-values.ts";

const dkimKey = await newDkimKey();
const publicKey = publicKeyOf(dkimKey);
const sender: Sender & SenderSecrets = { ...senderValues, dkimKey, id: 1, createdAt: 1 };
const RELAYS = [
  "smtp://a:b@mail.example.net:587",
  "smtps://[2001:db8::1]",
  "smtp://192.0.2.1",
  "smtp://127.0.0.1",
];
const values = <Value>(...all: readonly Value[]) => ({ values: all });
const failure = { failure: "it took too long" };
const isState = (finding: Finding, state: Finding["state"], text: RegExp): void => {
  assert.equal(finding.state, state, finding.text);
  assert.match(finding.text, text);
  assert.equal(finding.record !== null, state === "missing" || state === "wrong");
};

test("the records that a sender needs name its public relays and its key", () => {
  assert.deepEqual(
    wantedRecords(sender, RELAYS).map(({ type, name, value }) => [type, name, value]),
    [
      ["TXT", "bounces.example.org", "v=spf1 a:mail.example.net ip6:2001:db8::1 ip4:192.0.2.1 ~all"],
      ["TXT", "mailroll._domainkey.example.org", `v=DKIM1; k=rsa; p=${publicKey}`],
      ["TXT", "_dmarc.example.org", "v=DMARC1; p=none"],
      ["MX", "bounces.example.org", "10 mail.bounces.example.org"],
    ],
  );
  const plain = { ...sender, bounceDomain: null, signing: "relay", dkimKey: null } as const;
  assert.deepEqual(
    wantedRecords(plain, []).map(({ name, value }) => [name, value]),
    [
      ["example.org", "v=spf1 mx ~all"],
      ["_dmarc.example.org", "v=DMARC1; p=none"],
    ],
  );
});

test("SPF needs exactly one record that names servers and does not let everybody send", () => {
  const judge = (...texts: readonly string[]) => judgeSpf(wantedSpf(sender, RELAYS), values(...texts));
  isState(judge(), "missing", /bounces\.example\.org has no SPF record/);
  isState(judge("v=spf10 mx ~all", "google-site-verification=x"), "missing", /no SPF record/);
  isState(judge("v=spf1 mx -all", "V=SPF1 a -all"), "wrong", /2 SPF records/);
  for (const all of ["+all", "all", "+ALL"]) isState(judge(`v=spf1 mx ${all}`), "wrong", /everybody/);
  for (const empty of ["v=spf1", "v=spf1 -all", "v=spf1 exp=x.example.org ~all"])
    isState(judge(empty), "wrong", /names no server/);
  for (const good of [
    "v=spf1 include:x.example.net ~all",
    "v=spf1 redirect=_spf.example.net",
    "v=spf1 ip4:192.0.2.1/24 ?all",
    "v=spf1 mx -all",
  ])
    isState(judge("other", good), "ok", /has an SPF record/);
  isState(judgeSpf(wantedSpf(sender, []), failure), "unknown", /did not answer.*it took too long/);
});

test("DKIM needs our key, however the record is written", () => {
  const wanted = wantedDkim(sender) ?? assert.fail();
  const judge = (...texts: readonly string[]) => judgeDkim(wanted, values(...texts));
  const half = publicKey.length / 2;
  for (const good of [
    wanted.value,
    `p=${publicKey}`,
    `v=DKIM1;k=rsa;h=sha1:sha256;s=email;n=note;p=${publicKey.slice(0, half)} ${publicKey.slice(half)};`,
  ])
    isState(judge(good), "ok", /is that of this sender/);
  isState(judge(), "missing", /no DKIM record at mailroll\._domainkey\.example\.org/);
  isState(judge(wanted.value, wanted.value), "wrong", /2 records/);
  const bad: readonly (readonly [string, RegExp])[] = [
    ["v=DKIM1; k=rsa; p=AAAA", /another key/],
    ["v=DKIM1; p=", /revokes/],
    ["v=DKIM1; k=rsa", /has no key/],
    ["nonsense", /not a list of tags/],
    [`v=DKIM2; p=${publicKey}`, /v=DKIM1/],
    [`v=DKIM1; k=ed25519; p=${publicKey}`, /RSA/],
    [`v=DKIM1; h=sha1; p=${publicKey}`, /SHA-256/],
    [`v=DKIM1; s=other; p=${publicKey}`, /not for e-mail/],
  ];
  for (const [record, problem] of bad) isState(judge(record), "wrong", problem);
  isState(judgeDkim(wanted, failure), "unknown", /did not answer/);
});

test("DMARC is that of the From domain, or of the nearest domain above it", () => {
  const from = { ...sender, fromAddress: "news@mail.example.org", dkimDomain: "mail.example.org" };
  const judge = (own: readonly string[], above: readonly string[], of: Sender = from) =>
    judgeDmarc(of, [
      { domain: "mail.example.org", texts: values(...own) },
      { domain: "example.org", texts: values(...above) },
    ]);
  isState(judge([], ["other"]), "missing", /Neither mail\.example\.org nor a domain above/);
  isState(
    judge(["v=DMARC1; p=reject"], ["v=DMARC1; p=none"]),
    "ok",
    /policy of mail\.example\.org is reject/,
  );
  isState(judge([], ["v=DMARC1;p=none;sp=quarantine"]), "ok", /is quarantine, which also counts for/);
  isState(judge(["v=DMARC1; p=none", "v=DMARC1; p=none"], []), "wrong", /2 DMARC records/);
  isState(judge(["v=DMARC1; p=perhaps"], []), "wrong", /no policy/);
  isState(judge(["v=DMARC1; rua=mailto:x@example.org"], []), "wrong", /no policy/);
});

test("DMARC compares the domains of signature and envelope, strictly if it says so", () => {
  const strict = "v=DMARC1; p=none; adkim=s; aspf=s";
  const judge = (of: Partial<Sender>, record: string) =>
    judgeDmarc({ ...sender, fromAddress: "news@mail.example.org", ...of }, [
      { domain: "mail.example.org", texts: values() },
      { domain: "example.org", texts: values(record) },
    ]);
  assert.equal(judge({ dkimDomain: "mail.example.org" }, strict).state, "ok");
  const wrong = judge({ dkimDomain: "example.org" }, strict);
  assert.match(
    wrong.text,
    /demands that the signature is of mail\.example\.org itself.*DKIM domain is example\.org/,
  );
  assert.deepEqual([wrong.state, wrong.record], ["wrong", null]);
  assert.equal(judge({ dkimDomain: "example.org", bounceDomain: "mail.example.org" }, strict).state, "ok");
  assert.equal(judge({ dkimDomain: "example.org" }, "v=DMARC1; p=none").state, "ok");
  const nobody = { signing: "none", dkimDomain: null } as const;
  assert.equal(judge(nobody, "v=DMARC1; p=none").state, "ok", "the sibling belongs to the same organisation");
  assert.match(judge(nobody, strict).text, /nobody signs/);
  assert.equal(judge({ signing: "relay", dkimDomain: null }, strict).state, "ok");
});

test("DMARC is unknown if the nearest answer is missing, and not if a further one is", () => {
  const policy = values("v=DMARC1; p=none");
  const judge = (own: Parameters<typeof judgeDmarc>[1][number]["texts"], above: typeof own) =>
    judgeDmarc({ ...sender, fromAddress: "news@mail.example.org" }, [
      { domain: "mail.example.org", texts: own },
      { domain: "example.org", texts: above },
    ]).state;
  assert.equal(judge(failure, policy), "unknown");
  assert.equal(judge(values(), failure), "unknown");
  assert.equal(judge(policy, failure), "ok");
});

test("the domain for bounces needs a mail server", () => {
  const wanted = wantedMx(sender) ?? assert.fail();
  const server = (exchange: string) => ({ exchange, priority: 10 });
  isState(judgeMx(wanted, values()), "missing", /has no mail server/);
  isState(judgeMx(wanted, values({ exchange: "", priority: 0 })), "wrong", /receives no mail/);
  isState(judgeMx(wanted, values(server("mx.example.org"))), "ok", /have a mail server/);
  isState(judgeMx(wanted, failure), "unknown", /did not answer/);
});

test("a long answer of a foreign name server is cut", () => {
  const [found = ""] = judgeSpf(wantedSpf(sender, []), values(`v=spf1 ${"x".repeat(5000)}`)).found;
  assert.equal(found.length, 301);
});
