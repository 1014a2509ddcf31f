/** The client address: that of the peer, or what trusted proxies report. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { ClientAddresses } from "#http/client-address.ts";

const of = (trusted: readonly string[], remoteAddress: string | undefined, forwarded?: string): string =>
  new ClientAddresses(trusted).of({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  } as unknown as IncomingMessage);

describe("without trusted proxies", () => {
  test("takes the address of the peer, whatever headers it sends", () => {
    assert.equal(of([], "203.0.113.7", "198.51.100.1"), "203.0.113.7");
    assert.equal(of([], "::ffff:203.0.113.7"), "203.0.113.7");
    assert.equal(of([], undefined, "198.51.100.1"), "");
  });
  test("takes the /64 network of an IPv6 address, however it is written", () => {
    for (const address of ["2001:db8:1:2::1", "2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::"])
      assert.equal(of([], address), "2001:db8:1:2::/64");
    assert.equal(of([], "::1"), "0:0:0:0::/64");
    assert.equal(of([], "fe80::1%eth0"), "fe80:0:0:0::/64");
    assert.equal(of([], "64:ff9b::192.0.2.33"), "64:ff9b:0:0::/64");
    assert.equal(of([], "2001:db8::5:6:7:8:9"), "2001:db8:0:5::/64");
  });
});

describe("with trusted proxies", () => {
  const trusted = ["127.0.0.1", "10.0.0.0/8", "2001:db8:aaaa::/48"];
  test("takes the rightmost address that is not a trusted proxy", () => {
    assert.equal(of(trusted, "127.0.0.1", "198.51.100.1"), "198.51.100.1");
    assert.equal(of(trusted, "::ffff:127.0.0.1", "6.6.6.6, 198.51.100.1, 10.1.2.3"), "198.51.100.1");
    assert.equal(of(trusted, "2001:db8:aaaa::1", "2001:db8:bbbb:1::5"), "2001:db8:bbbb:1::/64");
    assert.equal(of(trusted, "10.9.9.9", "[2001:db8:bbbb:1::5]:4711"), "2001:db8:bbbb:1::/64");
    assert.equal(of(trusted, "10.9.9.9", "198.51.100.1:4711"), "198.51.100.1");
    assert.equal(of(trusted, "10.9.9.9", "::ffff:198.51.100.1"), "198.51.100.1");
  });
  test("takes an IPv4 address that is written as an IPv6 address for what it is", () => {
    for (const written of ["::ffff:c633:6401", "0:0:0:0:0:FFFF:C633:6401", "0:0:0:0:0:ffff:198.51.100.1"])
      for (const forwarded of [written, `[${written}]:4711`])
        assert.equal(of(trusted, "127.0.0.1", forwarded), "198.51.100.1", forwarded);
    assert.equal(of(trusted, "127.0.0.1", "198.51.100.1, ::ffff:a00:1"), "198.51.100.1");
    assert.equal(of(trusted, "127.0.0.1", "2001:db8::ffff:c633:6401"), "2001:db8:0:0::/64");
  });
  test("ignores X-Forwarded-For from a peer that is not a trusted proxy", () => {
    assert.equal(of(trusted, "203.0.113.7", "198.51.100.1"), "203.0.113.7");
    assert.equal(of(trusted, "11.0.0.1", "198.51.100.1"), "11.0.0.1");
  });
  test("takes the last valid address where the header holds no other", () => {
    assert.equal(of(trusted, "127.0.0.1"), "127.0.0.1");
    assert.equal(of(trusted, "127.0.0.1", ""), "127.0.0.1");
    assert.equal(of(trusted, "127.0.0.1", "198.51.100.1, unknown, 10.0.0.1"), "10.0.0.1");
    assert.equal(of(trusted, "127.0.0.1", "10.0.0.2, 10.0.0.1"), "10.0.0.2");
    assert.equal(of(trusted, "127.0.0.1", "198.51.100.1, <script>"), "127.0.0.1");
  });
});

test("exempts connections of loopback and trusted proxies from the share of a client", () => {
  const clients = new ClientAddresses(["10.0.0.0/8", "2001:db8:ffff::/48"]);
  const of = (remoteAddress?: string) => clients.ofConnection({ remoteAddress } as Socket);
  for (const shared of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3"])
    assert.equal(of(shared), null, shared);
  assert.equal(of("2001:db8:ffff:1::5"), null);
  assert.equal(of("198.51.100.7"), "198.51.100.7");
  assert.equal(of("::ffff:198.51.100.7"), "198.51.100.7");
  assert.equal(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  assert.equal(of("2001:db8:1:2::9"), "2001:db8:1:2::/64");
  assert.equal(of(undefined), "");
  assert.equal(new ClientAddresses([]).ofConnection({ remoteAddress: "10.1.2.3" } as Socket), "10.1.2.3");
});
