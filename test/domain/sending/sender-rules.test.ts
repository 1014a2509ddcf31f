/** Which values a sender may have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAligned, withParents } from "#domain/sending/domains.ts";
import {
  lacksPassword,
  shownRelays,
  withoutPassword,
  withPassword,
  withStoredPassword,
} from "#domain/sending/relay.ts";
import * as rules from "#domain/sending/sender-rules.ts";

const problemOf = (checked: rules.Checked<unknown>): string =>
  "problem" in checked ? checked.problem : assert.fail("it was accepted");
const accepted = <Value>(checked: rules.Checked<Value>): Value =>
  "value" in checked ? checked.value : assert.fail(checked.problem);

test("a postal address must not be empty, and may have several lines", () => {
  assert.match(problemOf(rules.checkPostalAddress(" \r\n ")), /must not be empty: give the street/);
  assert.equal(accepted(rules.checkPostalAddress(" 1 Main Street \r\nLondon\r\n")), "1 Main Street\nLondon");
  for (const address of ["-", "...", "\u200b", "\u3164", "–\n–"])
    assert.match(
      problemOf(rules.checkPostalAddress(address)),
      /must have letters or digits: give the street/,
    );
  assert.equal(accepted(rules.checkPostalAddress("東京")), "東京");
  assert.match(problemOf(rules.checkPostalAddress("a\u0000b")), /no control characters/);
  assert.match(problemOf(rules.checkPostalAddress("x".repeat(501))), /at most 500/);
});

test("an address of a sender is refused if a header could contain it only in quotes", () => {
  for (const address of ["a..b@example.org", ".a@example.org", "a.@example.org", "..@example.org"])
    assert.match(problemOf(rules.checkAddress(address)), /must have no dot at its beginning/);
  assert.match(problemOf(rules.checkAddress("a@b@example.org")), /it has more than one @/);
  for (const address of ["a.b@example.org", "a@mail.example.org", "a!#$%&'*+-/=?^_`{|}~@example.org"])
    assert.equal(accepted(rules.checkAddress(address)).text, address);
});

test("a name with a line break is refused, so that it cannot add a header", () => {
  for (const name of ["Shop\r\nBcc: all@example.org", "Shop\u2028x", "x".repeat(101)])
    assert.match(problemOf(rules.checkFromName(name)), /on one line/);
  assert.equal(accepted(rules.checkFromName("  ")), "");
});

test("a DKIM domain is that of the From address, or one above or below it", () => {
  const check = (domain: string) => rules.checkDkimDomain(domain, "news@mail.example.org");
  for (const domain of ["mail.example.org", "example.org", "a.mail.example.org"])
    assert.equal(accepted(check(domain)), domain);
  for (const domain of ["other.example.org", "example.com", "badmail.example.org"])
    assert.match(problemOf(check(domain)), /must be mail\.example\.org, or a domain above or below/);
  assert.match(problemOf(check("org")), /not a full domain/);
  for (const address of ["192.0.2.1", "192.0.2.1.", "2130706433", "example.1"])
    for (const checked of [check(address), rules.checkBounceDomain(address)])
      assert.match(problemOf(checked), /is an IP address, not a domain/);
  assert.match(problemOf(rules.checkBounceDomain("2001:db8::1")), /is not a domain/);
  assert.equal(accepted(rules.checkBounceDomain("b.3com.com")), "b.3com.com");
  assert.equal(isAligned("example.org", "notexample.org"), false);
});

test("messages are signed by the relay, or with a complete key of a domain that is aligned with From", () => {
  const sender = {
    fromAddress: "news@mail.example.org",
    signing: "mailroll",
    dkimDomain: "example.org",
    dkimSelector: "s",
    dkimKey: "key",
  } as const;
  const kindOf = (changes: object): string => rules.signingOf({ ...sender, ...changes }).kind;
  assert.equal(kindOf({}), "signed");
  assert.equal(kindOf({ fromAddress: "news@example.com" }), "not aligned");
  assert.equal(kindOf({ dkimKey: null }), "incomplete key");
  assert.equal(kindOf({ dkimDomain: null }), "incomplete key");
  assert.equal(kindOf({ signing: "relay", fromAddress: "news@example.com" }), "relay signs");
  assert.equal(kindOf({ signing: "none" }), "nobody signs");
});

test("a selector is a part of a DNS name", () => {
  for (const selector of ["mailroll", "s2026", "a.b", "k1-x"])
    assert.equal(accepted(rules.checkSelector(selector.toUpperCase(), "example.org")), selector);
  for (const selector of ["", "a b", "-a", "a.", "a;b", "x".repeat(64)])
    assert.match(problemOf(rules.checkSelector(selector, "example.org")), /letters, digits and hyphens/);
  const long = `${"x".repeat(63)}.`.repeat(3);
  assert.match(problemOf(rules.checkSelector(`${long}y`, `${"d".repeat(60)}.org`)), /letters/);
});

test("a new key gets the next selector", () => {
  const pairs = { mailroll: "mailroll2", mailroll2: "mailroll3", s9: "s10", "2026": "2027" };
  for (const [old, next] of Object.entries(pairs)) assert.equal(rules.nextSelector(old), next);
});

test("a limit is a whole number from 1", () => {
  assert.equal(accepted(rules.checkLimit(1)), 1);
  for (const limit of [0, -1, 1.5, Number.NaN, 2e9])
    assert.match(problemOf(rules.checkLimit(limit)), /whole number/);
});

test("relays have a weight, occur once, and have a password if they have a user; no problem discloses one", () => {
  const relay = (url: string, weight = 1) => ({ url, weight });
  assert.deepEqual(accepted(rules.checkRelays([])), []);
  const problems = [
    [relay("smtp://a:SECRET@h", 0)],
    [relay("smtp://a:SECRET@h"), relay("smtp://a:SECRET2@h", 2)],
    [relay("smtp://a@h")],
    Array.from({ length: 11 }, (_, index) => relay(`smtp://h${index}`)),
  ].map((relays) => problemOf(rules.checkRelays(relays)));
  assert.deepEqual(problems, [
    "The weight of smtp://a@h must be a whole number from 1 to 1000.",
    "The relay smtp://a@h is given twice; give it once, with a larger weight.",
    "The relay smtp://a@h has a user, but no password is given or stored for it.",
    "At most 10 relays are possible.",
  ]);
});

test("a stored password is kept for the same server and user only", () => {
  const stored = [{ url: "smtp://shop:s%40cret@mail.example.org:587", weight: 1 }];
  const kept = (url: string) => withStoredPassword(url, stored);
  assert.equal(kept("smtp://shop@mail.example.org:587"), stored[0]?.url);
  for (const url of [
    "smtp://shop@other.example.org:587",
    "smtps://shop@mail.example.org:587",
    "smtp://shop@mail.example.org:25",
    "smtp://other@mail.example.org:587",
    "smtp://mail.example.org:587",
    "smtp://shop:new@mail.example.org:587",
  ])
    assert.equal(kept(url), url);
});

test("what is shown of a relay has no password, whatever characters it has", () => {
  const password = "p@ss:/?#[]%20%ü";
  const url = withPassword("smtp://shop@mail.example.org:587", password);
  assert.equal(decodeURIComponent(new URL(url).password), password);
  assert.equal(withoutPassword(url), "smtp://shop@mail.example.org:587");
  assert.equal(lacksPassword(withoutPassword(url)), true);
  assert.deepEqual(shownRelays([{ url: "smtp://a:SECRET@[broken", weight: 1 }]), [{ url: "", weight: 1 }]);
});

test("the domains above a domain end with two labels", () => {
  assert.deepEqual(withParents("a.b.example.org"), ["a.b.example.org", "b.example.org", "example.org"]);
  assert.deepEqual(withParents("localhost"), ["localhost"]);
});
