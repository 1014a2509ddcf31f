/** Which addresses of relays there are, and who may configure them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkRelayUrl,
  isLoopbackAddress,
  isPrivateAddress,
  isSameRelay,
  parseRelayUrl,
  relayPlace,
  writesToFiles,
} from "#domain/sending/relay.ts";

test("reads addresses with and without login and port", () => {
  const login = { user: "a@b", password: "p:w/%" };
  for (const [url, expected] of [
    ["smtp://mail.example.org", { isSecure: false, host: "mail.example.org", port: 25, login: null }],
    [
      "smtp://a%40b:p%3Aw%2F%25@mail.example.org",
      { isSecure: false, host: "mail.example.org", port: 587, login },
    ],
    ["smtps://mail.example.org/", { isSecure: true, host: "mail.example.org", port: 465, login: null }],
    ["smtp://[2001:db8::1]:2525", { isSecure: false, host: "2001:db8::1", port: 2525, login: null }],
    ["smtp://Bücher.example:26", { isSecure: false, host: "xn--bcher-kva.example", port: 26, login: null }],
    ["smtp://0x7f.1:25", { isSecure: false, host: "127.0.0.1", port: 25, login: null }],
  ] as const)
    assert.deepEqual(parseRelayUrl(url), { kind: "smtp", ...expected }, url);
  const ofStream = parseRelayUrl("smtp://a:b@smtp-broadcasts.postmarkapp.com:587/?stream=news");
  assert.ok("kind" in ofStream && ofStream.kind === "smtp");
  assert.deepEqual(parseRelayUrl("file:/var/outbox"), { kind: "folder", folder: "/var/outbox" });
});

test("says what is wrong with an address", () => {
  for (const [url, words] of [
    ["", /not the address of a relay/],
    ["http://mail.example.org", /not the address of a relay.*smtp:\/\/user:password@/],
    ["smtp://", /not the address of a relay/],
    ["smtp://mail.example.org/path", /not the address of a relay/],
    ["smtp://mail.example.org/?stream=a%0d", /not the address of a relay/],
    ["smtp://mail.example.org:99999", /not the address of a relay/],
    ["smtp://mail.example.org:0", /port of the relay cannot be 0/],
    ["smtp://user@mail.example.org", /a user name and a password, or neither/],
    ["smtp://us%er:pw@mail.example.org", /percent-encoded/],
    ["smtp://user:p%0d%0aQUIT@mail.example.org", /login .* must not contain control characters/],
    ["smtp://a%0d%0aRSET:pw@mail.example.org", /login .* must not contain control characters/],
    ["smtp://256.256.256.256", /not a name or an IP address/],
  ] as const) {
    const parsed = parseRelayUrl(url);
    assert.ok("problem" in parsed, url);
    assert.match(parsed.problem, words, url);
  }
});

test("knows inner addresses, also within IPv6 addresses", () => {
  for (const address of [
    ...["127.0.0.1", "127.255.255.254", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...["169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1"],
    ...["::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fdff::1", "ff02::1", "::ffff:127.0.0.1"],
    ...["::ffff:7f00:1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "2002:7f00:1::"],
    ...["2002:c0a8:101::1", "::127.0.0.1", "::ffff:8.8.8.8", "::ffff:808:808", "::ffff:0:127.0.0.1"],
    ...["2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001::1", "64:ff9b:1::10.0.0.1", "2002:808:808::1"],
  ])
    assert.ok(isPrivateAddress(address), address);
  for (const address of [
    ...["192.0.2.1", "8.8.8.8", "172.32.0.1", "172.15.255.255", "100.128.0.1", "11.0.0.1", "169.253.0.1"],
    ...["2001:db8::1", "2001:1::1", "2606:4700::1", "64:ff9b::808:808", "2003::1"],
    ...["mail.example.org", "localhost"],
  ])
    assert.ok(!isPrivateAddress(address), address);
});

test("knows loopback addresses", () => {
  for (const address of ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"])
    assert.ok(isLoopbackAddress(address), address);
  for (const address of ["10.0.0.1", "::2", "128.0.0.1", "localhost"])
    assert.ok(!isLoopbackAddress(address), address);
});

const installationRelay = "smtp://installation:secret@10.0.0.25:2500";
const asOwner = (url: string): string | null =>
  checkRelayUrl(url, { isAdministrator: false, installationRelay });
const asAdministrator = (url: string): string | null =>
  checkRelayUrl(url, { isAdministrator: true, installationRelay });

test("lets an owner of an account use mail servers on the Internet, and the installation's own", () => {
  for (const url of [
    ...["smtp://mail.example.org", "smtps://u:p@mail.example.org", "smtp://u:p@mail.example.org:587"],
    ...["smtp://192.0.2.1:2525", "smtp://10.0.0.25:2500", "smtp://other:login@10.0.0.25:2500"],
  ])
    assert.equal(asOwner(url), null, url);
});

test("does not let an owner of an account reach inside the network, other ports, or the disk", () => {
  for (const [url, words] of [
    ["smtp://mail.example.org:6379", /port of the relay is 6379\..*25, 465, 587, 2525/],
    ["smtp://127.0.0.1", /127\.0\.0\.1 is inside the network of this installation/],
    ["smtp://2130706433", /127\.0\.0\.1 is inside/],
    ["smtp://0177.0.0.1", /127\.0\.0\.1 is inside/],
    ["smtp://localhost", /localhost is inside/],
    ["smtp://x.LOCALHOST.", /localhost\. is inside/],
    ["smtp://[::1]:25", /::1 is inside/],
    ["smtp://[::ffff:10.0.0.1]:25", /is inside/],
    ["smtp://169.254.169.254", /is inside/],
    ["smtp://10.0.0.25:25", /is inside/],
    ["file:/etc", /Only an administrator.*folder/],
    ["nonsense", /not the address of a relay/],
  ] as const)
    assert.match(asOwner(url) ?? "allowed", words, url);
});

test("lets an administrator of the installation use any relay", () => {
  for (const url of ["smtp://localhost:1025", "smtp://10.0.0.1:6379", "file:/var/outbox"])
    assert.equal(asAdministrator(url), null, url);
  assert.match(asAdministrator("nonsense") ?? "allowed", /not the address of a relay/);
});

test("compares relays by host and port", () => {
  assert.ok(isSameRelay("smtp://a:b@MAIL.example.org", "smtp://mail.example.org:587"));
  assert.ok(!isSameRelay("smtp://mail.example.org:25", "smtp://mail.example.org:587"));
  assert.ok(!isSameRelay("file:/a", "file:/a"));
  assert.ok(!isSameRelay("nonsense", "nonsense"));
});

test("a sender writes to files if one of its relays is a folder, or the relay of the installation where it has none, or in a demo", () => {
  const [folder, server] = ["file:/var/outbox", "smtp://mail.example.org"];
  for (const [own, defaultRelay, isDemo, isWritten] of [
    [[], folder, false, true],
    [[], server, false, false],
    [[server], folder, false, false],
    [[server, folder], server, false, true],
    [[server], folder, true, true],
  ] as const) {
    const relays = own.map((url) => ({ url, weight: 1 }));
    assert.equal(writesToFiles(relays, { defaultRelay, isDemo }), isWritten, JSON.stringify(own));
  }
  assert.equal(relayPlace("smtp://ada:secret@mail.example.org"), "mail.example.org:587");
  assert.equal(relayPlace(folder), null);
});
