/** Whether requests of providers are recognised, and those of anybody else refused. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type WebhookProvider, webhookProviders } from "#domain/sending/providers.ts";
import {
  Certificates,
  CertificateUnavailable,
  confirmTopic,
  isProved,
  keyProblem,
  type WebhookKey,
} from "#webhooks/proof.ts";
import {
  CERTIFICATE_URL,
  expiryOf,
  type ImitatedRequest,
  type Imitation,
  imitationOf,
  olderTopic,
  TOPIC,
  webhookOf,
} from "./imitations.ts";

const NOW = Date.now();
const [MINUTE, DAY] = [60_000, 86_400_000];
const event = { id: "e1", address: "ann@example.com", kind: "hard", at: NOW - 5000, token: null } as const;
const imitations = new Map(webhookProviders.map((provider) => [provider, imitationOf(provider)]));
function known(provider: WebhookProvider): Imitation {
  const one = imitations.get(provider);
  assert.ok(one);
  return one;
}
function requestOf(imitation: Imitation, now = NOW): ImitatedRequest {
  const [request] = imitation.requests([event], now);
  assert.ok(request);
  return request;
}
const proves = (imitation: Imitation, request: ImitatedRequest, now = NOW): Promise<boolean> =>
  isProved(webhookOf(imitation), request, now, new Certificates(imitation.fetchCertificate));
const withHeaders = (
  { headers, body }: ImitatedRequest,
  changed: Readonly<Record<string, string | undefined>>,
): ImitatedRequest => ({ headers: { ...headers, ...changed } as Record<string, string>, body });
const withBody = ({ headers, body }: ImitatedRequest, change: (text: string) => string): ImitatedRequest => ({
  headers,
  body: Buffer.from(change(body.toString())),
});

for (const provider of webhookProviders) {
  test(`accepts a request of ${provider}, and its key`, async () => {
    const imitation = known(provider);
    assert.equal(keyProblem(imitation.proof, imitation.key), null);
    assert.equal(await proves(imitation, requestOf(imitation)), true);
  });
  test(`refuses a request of another account at ${provider}`, async () => {
    const [imitation, other] = [known(provider), imitationOf(provider)];
    const request = requestOf(other);
    assert.equal(await proves(imitation, request), false);
    const empty = { headers: {}, body: Buffer.alloc(0) };
    assert.equal(await proves(imitation, empty), false);
    assert.equal(await proves(imitation, { headers: {}, body: Buffer.from("null") }), false);
  });
}

for (const provider of ["ses", "sendgrid", "resend", "postal"] as const)
  test(`refuses a request of ${provider} with another address in it`, async () => {
    const request = withBody(requestOf(known(provider)), (text) => text.replace("ann@", "bob@"));
    assert.equal(await proves(known(provider), request), false);
  });

const needed = {
  sendgrid: ["x-twilio-email-event-webhook-signature", "x-twilio-email-event-webhook-timestamp"],
  resend: ["svix-id", "svix-timestamp", "svix-signature"],
  postmark: ["authorization"],
} as const;
for (const [provider, names] of Object.entries(needed))
  for (const name of names)
    test(`refuses a request of ${provider} without a usable header ${name}`, async () => {
      const imitation = known(provider as WebhookProvider);
      for (const value of [undefined, "", "x", "0", "v1,", "Basic", "Bearer ", "!".repeat(5000)])
        assert.equal(await proves(imitation, withHeaders(requestOf(imitation), { [name]: value })), false);
    });

const ages = [
  ["sendgrid", 2 * DAY, DAY],
  ["resend", 5 * MINUTE, 5 * MINUTE],
  ["mailgun", DAY, 10 * MINUTE],
] as const;
for (const [provider, past, ahead] of ages)
  test(`refuses a request of ${provider} that is too old or of the future`, async () => {
    const imitation = known(provider);
    const at = (time: number): Promise<boolean> => proves(imitation, requestOf(imitation, time));
    assert.deepEqual(
      await Promise.all(
        [NOW - past + MINUTE, NOW + ahead - MINUTE, NOW - past - MINUTE, NOW + ahead + MINUTE].map(at),
      ),
      [true, true, false, false],
    );
  });

test("refuses a time of a request with another signature", async () => {
  const imitation = known("mailgun");
  const changed = withBody(requestOf(imitation), (text) =>
    text.replace(/"timestamp":"\d+"/, `"timestamp":"1"`),
  );
  assert.equal(await proves(imitation, changed), false);
  const token = withBody(requestOf(imitation), (text) => text.replace(/"token":"../, `"token":"zz`));
  assert.equal(await proves(imitation, token), false);
});

test("accepts both signatures of Postal, but not the weaker one beside a wrong stronger one", async () => {
  const imitation = known("postal");
  const request = requestOf(imitation);
  assert.equal(await proves(imitation, withHeaders(request, { "x-postal-signature-256": undefined })), true);
  assert.equal(await proves(imitation, withHeaders(request, { "x-postal-signature": undefined })), true);
  const stronger = requestOf(imitationOf("postal")).headers["x-postal-signature-256"];
  assert.equal(await proves(imitation, withHeaders(request, { "x-postal-signature-256": stronger })), false);
  assert.equal(await proves(imitation, withHeaders(request, { "x-postal-signature-256": "" })), false);
});

test("accepts the password as a bearer token, and for no other user", async () => {
  const imitation = known("plain");
  const by = (authorization: string) =>
    proves(imitation, withHeaders(requestOf(imitation), { authorization }));
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
  const password = imitation.password ?? "";
  assert.equal(await by(`Bearer ${password}`), true);
  assert.equal(await by(`bearer ${password}`), true);
  assert.equal(await by(basic(`mailroll:${password}`)), true);
  for (const wrong of [
    basic(`admin:${password}`),
    basic(password),
    basic(":"),
    basic(`mailroll:${password}x`),
  ])
    assert.equal(await by(wrong), false);
  assert.equal(await by(`Digest ${password}`), false);
});

test("accepts older topics, which sign with SHA-1, and confirmations", async () => {
  const older = olderTopic();
  assert.equal(await proves(older, requestOf(older)), true);
  const ses = known("ses");
  const url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription";
  const confirmation = ses.confirmation?.(TOPIC, url, NOW);
  assert.ok(confirmation);
  assert.equal(await proves(ses, confirmation), true);
  const elsewhere = withBody(confirmation, (text) => text.replace("?Action", "?Other"));
  assert.equal(await proves(ses, elsewhere), false);
  for (const [from, to] of [
    ['"SignatureVersion": "2"', '"SignatureVersion": "3"'],
    ['"SubscriptionConfirmation"', '"Notification"'],
    ['"Token"', '"NoToken"'],
  ] as const)
    assert.equal(
      await proves(
        ses,
        withBody(confirmation, (text) => text.replace(from, to)),
      ),
      false,
    );
});

const hostileUrls = [
  CERTIFICATE_URL.replace("https:", "http:"),
  CERTIFICATE_URL.replace("amazonaws.com", "amazonaws.com.evil.example"),
  CERTIFICATE_URL.replace("sns.", "sns.evil.example/sns."),
  CERTIFICATE_URL.replace("https://", "https://user@"),
  CERTIFICATE_URL.replace("https://", "https://evil.example\\@"),
  CERTIFICATE_URL.replace(".com/", ".com:8443/"),
  CERTIFICATE_URL.replace(".com/", ".com/../"),
  CERTIFICATE_URL.replace(".com/", ".com//"),
  CERTIFICATE_URL.replace(".com/", ".com/bucket/"),
  CERTIFICATE_URL.replace("sns.eu-west-1", "s3.eu-west-1"),
  CERTIFICATE_URL.replace("sns.eu-west-1", "evil.sns.eu-west-1"),
  CERTIFICATE_URL.replace("sns.eu-west-1", "sns.eu-west-1.evil"),
  `${CERTIFICATE_URL}?x=1`,
  `${CERTIFICATE_URL}#x`,
  `${CERTIFICATE_URL}\n`,
  `${CERTIFICATE_URL}%00`,
  CERTIFICATE_URL.replace("9c64", "%2e%2e"),
  CERTIFICATE_URL.toUpperCase(),
  "file:///etc/passwd",
  "",
];
for (const url of hostileUrls)
  test(`fetches no certificate from ${JSON.stringify(url)}`, async () => {
    let fetches = 0;
    const certificates = new Certificates(() => {
      fetches += 1;
      return Promise.reject(new Error("fetched"));
    });
    const request = withBody(requestOf(known("ses")), (text) =>
      text.replace(JSON.stringify(CERTIFICATE_URL), JSON.stringify(url)),
    );
    assert.equal(await isProved({ proof: "sns", key: "" }, request, NOW, certificates), false);
    assert.equal(fetches, 0);
  });

test("refuses a certificate that is not valid any more or not yet, too large, or none at all", async () => {
  const ses = known("ses");
  const good = await ses.fetchCertificate(CERTIFICATE_URL);
  const expired = expiryOf(good) + MINUTE;
  const with_ = (bytes: Buffer, now = NOW): Promise<boolean> =>
    isProved(webhookOf(ses), requestOf(ses), now, new Certificates(() => Promise.resolve(bytes)));
  assert.equal(await with_(good), true);
  assert.equal(await with_(good, expired), false);
  assert.equal(await with_(good, Date.UTC(1999, 0, 1)), false);
  assert.equal(await with_(Buffer.concat([good, Buffer.alloc(70_000, "\n")])), false);
  assert.equal(await with_(Buffer.from("<html>")), false);
  assert.equal(await with_(Buffer.alloc(0)), false);
});

function counted(fetch: (url: string) => Promise<Buffer>): { certificates: Certificates; fetches: string[] } {
  const fetches: string[] = [];
  const certificates = new Certificates((url) => {
    fetches.push(url);
    return fetch(url);
  });
  return { certificates, fetches };
}
const urlOf = (number: number): string => CERTIFICATE_URL.replace(/-[0-9a-f]+\.pem/, `-${number}.pem`);

test("fetches a certificate once a day, also for requests at the same time", async () => {
  const ses = known("ses");
  const { certificates, fetches } = counted(ses.fetchCertificate);
  const keys = await Promise.all([1, 2, 3].map(() => certificates.keyAt(CERTIFICATE_URL, NOW)));
  assert.ok(keys.every((key) => key !== null));
  await certificates.keyAt(CERTIFICATE_URL, NOW + DAY - MINUTE);
  assert.equal(fetches.length, 1);
  await certificates.keyAt(CERTIFICATE_URL, NOW + DAY + MINUTE);
  assert.equal(fetches.length, 2);
});

test("tries again some seconds after a fetch that failed", async () => {
  const ses = known("ses");
  let isDown = true;
  const { certificates, fetches } = counted((url) =>
    isDown ? Promise.reject(new Error("down")) : ses.fetchCertificate(url),
  );
  await assert.rejects(certificates.keyAt(CERTIFICATE_URL, NOW), CertificateUnavailable);
  isDown = false;
  // Not refused: Amazon SNS would not send it again.
  const later = isProved(webhookOf(ses), requestOf(ses), NOW + 1000, certificates);
  await assert.rejects(later, CertificateUnavailable);
  assert.equal(fetches.length, 1);
  assert.notEqual(await certificates.keyAt(CERTIFICATE_URL, NOW + 11_000), null);
});

test("made-up addresses neither cause a flood of fetches, nor replace a certificate", async () => {
  const ses = known("ses");
  const { certificates, fetches } = counted(ses.fetchCertificate);
  assert.notEqual(await certificates.keyAt(CERTIFICATE_URL, NOW), null);
  await Promise.allSettled(
    Array.from({ length: 100 }, (_, number) => certificates.keyAt(urlOf(number), NOW)),
  );
  assert.equal(fetches.length, 5);
  for (let number = 0; number < 200; number += 1)
    await certificates.keyAt(urlOf(1000 + number), NOW).catch(() => null);
  assert.equal(fetches.length, 30);
  assert.notEqual(await certificates.keyAt(CERTIFICATE_URL, NOW), null);
  assert.equal(fetches.length, 30);
});

test("the fetch of certificates follows no redirect, and reads no endless body", async (context) => {
  const server = createServer((request, response) => {
    if (request.url === "/redirect") response.writeHead(302, { Location: "/endless" }).end();
    else response.write(Buffer.alloc(200_000, "x"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const original = globalThis.fetch;
  context.after(() => {
    globalThis.fetch = original;
  });
  const outcomes: unknown[] = [];
  for (const path of ["/redirect", "/endless"]) {
    globalThis.fetch = (_url, options) => original(base + path, options);
    const started = Date.now();
    outcomes.push(await new Certificates().keyAt(CERTIFICATE_URL, NOW).catch(() => "unavailable"));
    assert.ok(Date.now() - started < 4000);
  }
  assert.deepEqual(outcomes, ["unavailable", null]);
});

test("tells what is wrong with a key", () => {
  const der = (pair: { publicKey: { export: (form: { format: "der"; type: "spki" }) => Buffer } }): string =>
    pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const small = generateKeyPairSync("rsa", { modulusLength: 512 });
  const record = `v=DKIM1; t=s; h=sha256; p=${der(rsa)};`;
  const privateKey = rsa.privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const good: readonly WebhookKey[] = [
    { proof: "ecdsa", key: der(p256) },
    { proof: "ecdsa", key: p256.publicKey.export({ format: "pem", type: "spki" }).toString() },
    { proof: "rsa", key: der(rsa) },
    { proof: "rsa", key: record },
    { proof: "rsa", key: rsa.publicKey.export({ format: "pem", type: "spki" }).toString() },
    { proof: "mailgun", key: "0123456789abcdef0123456789abcdef" },
    { proof: "svix", key: `whsec_${Buffer.alloc(24, 1).toString("base64")}` },
    { proof: "password", key: createHash("sha256").update("x").digest("hex") },
    { proof: "sns", key: "" },
  ];
  for (const { proof, key } of good) assert.equal(keyProblem(proof, key), null, proof);
  const wrong: readonly WebhookKey[] = [
    { proof: "ecdsa", key: der(p384) },
    { proof: "ecdsa", key: der(rsa) },
    { proof: "ecdsa", key: der(p256).slice(4) },
    { proof: "rsa", key: der(small) },
    { proof: "rsa", key: der(p256) },
    { proof: "rsa", key: privateKey },
    { proof: "rsa", key: "p=" },
    { proof: "mailgun", key: "two words are no signing key" },
    { proof: "svix", key: `whsec_${Buffer.alloc(8).toString("base64")}` },
    { proof: "svix", key: Buffer.alloc(24).toString("base64") },
    { proof: "svix", key: "whsec_not base64 at all, I fear" },
    { proof: "password", key: "secret" },
    { proof: "sns", key: "x" },
  ];
  for (const { proof, key } of wrong)
    assert.match(keyProblem(proof, key) ?? "", /^(?:must be|is not) /, proof);
});

test("verifies with the record that Postal prints", async () => {
  const pair = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const der = pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const body = Buffer.from('{"event":"MessageSent"}');
  const signature = sign("sha1", body, pair.privateKey).toString("base64");
  const webhook = { proof: "rsa", key: `v=DKIM1; t=s; h=sha256; p=${der};` } as const;
  const request = { headers: { "x-postal-signature": signature }, body };
  assert.equal(await isProved(webhook, request, NOW, new Certificates()), true);
});

test("confirms a topic at Amazon only, and says what was wrong", async (context) => {
  const original = globalThis.fetch;
  context.after(() => {
    globalThis.fetch = original;
  });
  const url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37";
  const opened: unknown[] = [];
  const answering = (status: number) => {
    globalThis.fetch = (address, options) => {
      opened.push([address, options?.redirect]);
      return Promise.resolve(new Response("<ConfirmSubscriptionResponse/>", { status }));
    };
  };
  answering(200);
  assert.equal(await confirmTopic(url), null);
  assert.deepEqual(opened, [[url, "error"]]);
  answering(403);
  assert.equal(await confirmTopic(url), "the status is 403");
  globalThis.fetch = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("no route") }));
  assert.equal(await confirmTopic(url), "no route");
  assert.match((await confirmTopic("https://169.254.169.254/?Action=x")) ?? "", /not one of Amazon SNS/);
});
