/** Correct answers are recognised whatever prefixes a server writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messages, peopleIn, resultIn } from "../../bench/messages.ts";

test("finds a result with and without a prefix or attributes", () => {
  for (const answer of [
    "<a:Envelope><Subscriber.AddResult>0</Subscriber.AddResult></a:Envelope>",
    "<ns1:Subscriber.AddResult>0</ns1:Subscriber.AddResult>",
    '<SOAP-ENV:Subscriber.AddResult xsi:type="xsd:unsignedByte">0</SOAP-ENV:Subscriber.AddResult>',
  ])
    assert.equal(resultIn(answer, "Subscriber.Add"), "0", answer);
});
test("finds no result in a fault or in the answer of another operation", () => {
  assert.equal(
    resultIn("<soap:Fault><faultcode>soap:Client</faultcode></soap:Fault>", "Subscriber.Add"),
    null,
  );
  assert.equal(resultIn("<SubscriberXAddResult>0</SubscriberXAddResult>", "Subscriber.Add"), null);
});
test("counts subscribers by their addresses", () => {
  const person = (prefix: string): string =>
    `<${prefix}subscriber><${prefix}EMail>a@b.example</${prefix}EMail></${prefix}subscriber>`;
  assert.equal(peopleIn(person("") + person("ns:") + person("ns1:")), 3);
  assert.equal(peopleIn("<EMailResult />"), 0);
});
test("has one placeholder for an address in an add", () => {
  assert.equal(messages.add().split("{address}").length, 2);
  assert.equal(messages.addWithCustoms().split("{address}").length, 2);
  assert.ok(messages.add("ada@example.org").includes("<EMail>ada@example.org</EMail>"));
  assert.equal(messages.addWithCustoms().match(/<customField>/g)?.length, 5);
});
