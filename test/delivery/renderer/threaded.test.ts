/** The thread that makes messages: what it returns, and that no template can stop the service. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  type MessageSource,
  RendererBusy,
  TemplateProblem,
} from "../../../src/delivery/renderer/renderer.ts";
import { threadedRenderer } from "../../../src/delivery/renderer/threaded.ts";
import type { MergeData } from "../../../src/domain/ports/sending/mailings.ts";
import { emptyContent } from "../../../src/domain/sending/mailing.ts";
import { senderValues, text } from "../../sending-campaign.ts";

const source: MessageSource = {
  ...{ account: 1, campaign: 7, name: "Autumn", fields: ["Town"], baseUrl: "https://mail.example.org" },
  content: { ...emptyContent, subject: "Hello {{ first_name }}", text },
  sender: { ...senderValues, id: 1, createdAt: 1 },
};
const ada: MergeData = {
  ...{ subscriber: 3, address: "ada@example.org", firstName: "Ada", lastName: "Lovelace" },
  ...{ gender: null, birthday: null, country: null, fields: {} },
};
const preview = { isTest: false };

const renderer = threadedRenderer();
after(() => renderer.close());

test("makes a whole message, whose link is nobody's", async () => {
  const message = await renderer.message(source, ada, preview);
  assert.equal(message.subject, "Hello Ada");
  assert.match(message.text, /^Hello Ada\n/);
  const names = message.headers.map(({ name }) => name);
  for (const name of ["From", "To", "Subject", "List-Unsubscribe", "List-Unsubscribe-Post"])
    assert.ok(names.includes(name), name);
  assert.deepEqual(message.source.match(/https:\/\/mail\.example\.org\/u\/[\w-]+/g), [
    "https://mail.example.org/u/preview",
    "https://mail.example.org/u/preview",
  ]);
  assert.equal(message.size, Buffer.byteLength(message.source));
  assert.deepEqual(message.envelope, { from: "news@example.org", to: "ada@example.org" });
});

test("marks the subject of a test message, and names empty merge fields", async () => {
  const message = await renderer.message(source, { ...ada, firstName: "" }, { isTest: true });
  assert.match(message.subject, /^\[Test\] Hello/);
  assert.deepEqual(message.problems, [{ kind: "empty field", field: "first_name" }]);
});

test("returns the problems of each person in order", async () => {
  const people = [ada, { ...ada, firstName: "" }, ada];
  assert.deepEqual(
    (await renderer.problems(source, people)).map((problems) => problems.length),
    [0, 1, 0],
  );
});

test("reports every problem of the templates, each with its place", async () => {
  const content = { ...source.content, subject: "{{ frist_name }}", text: "{% include 'x' %}" };
  await assert.rejects(renderer.message({ ...source, content }, ada, preview), (error) => {
    assert.ok(error instanceof TemplateProblem);
    assert.deepEqual(
      error.problems.map((problem) => problem.split(/[:,]/)[0]),
      ["subject", "text"],
    );
    return true;
  });
});

test("ends a request that takes too long, answers the waiting ones, and goes on", async () => {
  const impatient = threadedRenderer({ requestMs: 500 });
  try {
    await impatient.message(source, ada, preview);
    // Ten thousand people at once take longer than this renderer waits.
    const html = `<p>${"{{ first_name }} ".repeat(1000)}</p><p>{{ postal_address }}</p><a href="{{ unsubscribe_url }}">Leave</a>`;
    const slow = { ...source, content: { ...source.content, html } };
    const many = Array.from({ length: 10_000 }, () => ada);
    const began = performance.now();
    const [ended, next] = await Promise.allSettled([
      impatient.problems(slow, many),
      impatient.message(source, ada, preview),
    ]);
    assert.ok(ended.status === "rejected" && ended.reason instanceof TemplateProblem, ended.status);
    assert.match(ended.reason.message, /longer than 0\.5 seconds/);
    assert.equal(next.status, "fulfilled");
    assert.ok(performance.now() - began < 10_000);
  } finally {
    await impatient.close();
  }
});

test("refuses a request if too many are waiting", async () => {
  const small = threadedRenderer({ waiting: 1 });
  try {
    const first = small.message(source, ada, preview);
    await assert.rejects(small.message(source, ada, preview), RendererBusy);
    assert.equal((await first).subject, "Hello Ada");
    assert.equal((await small.message(source, ada, preview)).subject, "Hello Ada");
  } finally {
    await small.close();
  }
});
