/** What is known about the providers of relays, against hosts, addresses and senders as people have them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  judgeProvider,
  type ProviderName,
  providerNames,
  providerOf,
  recognisedProvider,
  relayHeaders,
  relayOfProvider,
  replacedHeaders,
  takeBounces,
  usualSigning,
} from "#domain/sending/providers.ts";
import { checkRelayUrl } from "#domain/sending/relay.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { senderValues } from "../../sending-campaign.ts";

const sender: Sender = { ...senderValues, id: 1, createdAt: 0 };

test("recognises a provider by the host of its relay, and takes no other host for it", () => {
  for (const [host, expected] of [
    ["email-smtp.eu-west-1.amazonaws.com", "ses"],
    ["Email-SMTP.us-gov-west-1.amazonaws.com", "ses"],
    ["smtp.sendgrid.net", "sendgrid"],
    ["smtp.eu.mailgun.org", "mailgun"],
    ["smtp.postmarkapp.com", "postmark"],
    ["smtp-broadcasts.postmarkapp.com", "postmark"],
    ["smtp-relay.brevo.com", "brevo"],
    ["in-v3.mailjet.com", "mailjet"],
    ["mail-eu.smtp2go.com", "smtp2go"],
    ["smtp.resend.com", "resend"],
    ["smtp.eu.sparkpostmail.com", "sparkpost"],
    ["smtp-relay.gmail.com", "google"],
    ["smtp.office365.com", "microsoft"],
    ["smtp.sendgrid.net.example.org", null],
    ["evil-smtp.sendgrid.net", null],
    ["email-smtp.eu-west-1.amazonaws.com.example.org", null],
    ["email-smtp.a.b.amazonaws.com", null],
    ["smtpXsendgrid.net", null],
    ["mail.example.org", null],
  ] as const)
    assert.equal(recognisedProvider(`smtp://a:b@${host}:587`), expected, host);
  assert.equal(recognisedProvider("file:/smtp.sendgrid.net"), null);
  assert.equal(recognisedProvider("smtp://apikey@smtp.sendgrid.net:587"), "sendgrid", "without its password");
  assert.equal(relayHeaders(["smtp://a@smtp-broadcasts.postmarkapp.com:587/?stream=news"]).length, 5);
});

const answers = {
  ses: { region: "eu-west-1", user: "AKIA/+x", password: "p:w/%" },
  sendgrid: { password: "SG.x" },
  mailgun: { user: "postmaster@mg.example.org", password: "x" },
  postmark: { user: "PM-T-a", password: "x" },
  brevo: { user: "a@smtp-brevo.com", password: "x" },
  mailjet: { user: "k", password: "x" },
  smtp2go: { user: "k", password: "x" },
  resend: { password: "re_x" },
  sparkpost: { password: "x" },
  postal: { host: "postal.example.org", user: "a/b", password: "x" },
  google: { user: "news@example.org", password: "x" },
  microsoft: { user: "news@example.org", password: "x" },
  hoster: { host: "mail.example.org", user: "news@example.org", password: "x" },
  own: { host: "mail.example.org" },
} as const;
const urlOf = (name: ProviderName, more: object = {}): string => {
  const made = relayOfProvider(name, { ...answers[name], ...more });
  assert.ok("url" in made, JSON.stringify(made));
  return made.url;
};

test("makes the relay of each provider of what it asks for, so that an owner may use it and it is recognised", () => {
  for (const name of providerNames) {
    const url = urlOf(name);
    const rights = { isAdministrator: false, installationRelay: "" };
    assert.equal(checkRelayUrl(url, rights), null, name);
    const isKnown = !["postal", "hoster", "own"].includes(name);
    assert.equal(recognisedProvider(url), isKnown ? name : null);
    const wrong = judgeProvider({ ...sender, signing: providerOf(name).signs }, url);
    assert.deepEqual(
      wrong.filter(({ state }) => state === "wrong"),
      [],
      name,
    );
  }
  assert.equal(urlOf("ses"), "smtp://AKIA%2F%2Bx:p%3Aw%2F%25@email-smtp.eu-west-1.amazonaws.com:587");
  assert.equal(urlOf("sendgrid"), "smtp://apikey:SG.x@smtp.sendgrid.net:587");
  assert.match(urlOf("mailgun", { region: "EU" }), /@smtp\.eu\.mailgun\.org:587$/);
  assert.match(
    urlOf("postmark", { stream: "news" }),
    /@smtp-broadcasts\.postmarkapp\.com:587\/\?stream=news$/,
  );
  assert.doesNotMatch(urlOf("postmark", { stream: "broadcasts" }), /stream/);
  assert.equal(urlOf("own"), "smtp://mail.example.org");
  assert.equal(urlOf("own", { host: "mail.example.org:2525" }), "smtp://mail.example.org:2525");
});

test("says which answer is missing, wrong or not needed", () => {
  for (const [name, more, input] of [
    ["ses", { region: "" }, "region"],
    ["ses", { region: "eu-west-1.amazonaws.com@evil.example" }, "region"],
    ["ses", { user: " " }, "user"],
    ["mailgun", { region: "asia" }, "region"],
    ["sendgrid", { user: "me" }, "user"],
    ["sendgrid", { host: "evil.example" }, "host"],
    ["postmark", { stream: "a b" }, "stream"],
    ["hoster", { host: "" }, "host"],
    ["hoster", { host: "a@b" }, "host"],
    ["own", { host: "mail example" }, "host"],
    ["own", { host: "mail.example.org:0" }, "host"],
    ["own", { host: "mail.example.org:99999" }, "host"],
    ["own", { host: "mail.example.org:587:587" }, "host"],
    ["hoster", { host: "::1" }, "host"],
    ["mailgun", { region: "constructor" }, "region"],
    ["mailgun", { region: "__proto__" }, "region"],
  ] as const) {
    const made = relayOfProvider(name, { ...answers[name], ...more });
    assert.equal("input" in made ? made.input : made.url, input, JSON.stringify([name, more]));
  }
});

test("switches tracking off by the headers of each provider that has some, and names the stream of Postmark", () => {
  const names = (...urls: readonly string[]) => relayHeaders(urls).map(([name]) => name);
  assert.deepEqual(names(urlOf("mailgun")), [
    "X-Mailgun-Track",
    "X-Mailgun-Track-Clicks",
    "X-Mailgun-Track-Opens",
    "X-Mailgun-Variables",
  ]);
  assert.deepEqual(Object.fromEntries(relayHeaders([urlOf("postmark", { stream: "news" })])), {
    "X-PM-TrackOpens": "false",
    "X-PM-TrackLinks": "None",
    "X-PM-KeepID": "true",
    "X-PM-Metadata-mailroll": "{token}",
    "X-PM-Message-Stream": "news",
  });
  assert.deepEqual(relayHeaders([urlOf("postmark")]).at(-1), ["X-PM-Message-Stream", "broadcasts"]);
  for (const [name, path] of [
    ["sendgrid", ["filters", "opentrack", "settings", "enable"]],
    ["sendgrid", ["filters", "clicktrack", "settings", "enable"]],
    ["sparkpost", ["options", "click_tracking"]],
  ] as const) {
    const [[, value] = ["", ""], ...others] = relayHeaders([urlOf(name)]);
    const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(value));
    assert.deepEqual([Number(found), others], [0, []], name);
  }
  assert.equal(names(urlOf("mailjet"), urlOf("mailgun"), urlOf("mailgun")).length, 7, "of two providers");
  for (const name of providerNames)
    for (const [header, value] of relayHeaders([urlOf(name)]))
      assert.match(`${header}: ${value}`, /^[\x21-\x39\x3b-\x7e]{1,60}: [\x20-\x7e]{1,200}$/);
});

test("has the provider sign that rewrites messages, and leaves out what it replaces", () => {
  assert.equal(usualSigning([urlOf("sendgrid")]), "relay");
  assert.equal(usualSigning([urlOf("sendgrid"), urlOf("own")]), "mailroll");
  assert.equal(usualSigning([urlOf("hoster")]), "mailroll");
  assert.equal(usualSigning([]), "mailroll");
  assert.deepEqual(replacedHeaders([urlOf("own")]), []);
  assert.ok(replacedHeaders([urlOf("own"), urlOf("ses")]).includes("Message-ID"));
  assert.deepEqual(
    [takeBounces([urlOf("ses"), urlOf("brevo")]), takeBounces([urlOf("ses"), urlOf("own")]), takeBounces([])],
    [true, false, false],
  );
});

test("says where sender, relay and provider contradict each other", () => {
  const texts = (url: string, more: Partial<Sender> = {}) =>
    judgeProvider({ ...sender, bounceDomain: null, signing: "relay", ...more }, url).map(
      ({ state, text }) => `${state}: ${text}`,
    );
  for (const [found, expected] of [
    [texts(urlOf("sendgrid"), { signing: "mailroll" }), /^wrong: SendGrid changes messages, which breaks/],
    [
      texts(urlOf("ses"), { signing: "mailroll" }),
      /^note: Amazon SES can sign messages itself.*Duplicate header/,
    ],
    [
      texts(urlOf("postmark"), { bounceDomain: "b.example.org" }),
      /^note: Postmark replaces the address for bounces/,
    ],
    [
      texts("smtps://a:b@smtp-broadcasts.postmarkapp.com"),
      /^wrong: Postmark does not accept smtps: at port 465. Use smtp: with 587/,
    ],
    [texts("smtp://me:b@smtp.sendgrid.net:587"), /^wrong: The user of SendGrid is always apikey\./],
    [
      texts("smtp://a:b@smtp.postmarkapp.com:587"),
      /^wrong: smtp\.postmarkapp\.com is for transactional mail only/,
    ],
    [texts(urlOf("brevo")), /^note: Tracking would rewrite links/],
  ] as const)
    assert.match(found.join("\n"), new RegExp(expected.source, "m"));
  assert.deepEqual(texts(urlOf("sendgrid")), []);
  assert.deepEqual(texts("smtp://SMTP_Injection%3AX-MSYS-SUBACCOUNT%3D1:b@smtp.sparkpostmail.com:587"), []);
  assert.deepEqual(texts("smtp://mail.example.org"), []);
});
