/** The thread that makes messages: what it returns, and that no template can stop the service. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type MessageSource, RendererBusy, TemplateProblem } from "#delivery/previews/renderer.ts";
import { threadedRenderer } from "#delivery/previews/threaded-renderer.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
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
const preview = "preview";

const withText = (text: string, account = 1): MessageSource => ({
  ...source,
  account,
  content: { ...source.content, text },
});
/** Takes some milliseconds a message. */
const slow = `{% for i in (1..60) %}{% for j in (1..60) %}{% assign x = j %}{% endfor %}{% endfor %}${text}`;
/** Ends only at a limit. */
const endless = `{% for i in (1..900) %}{% for j in (1..900) %}{% for k in (1..900) %}{% assign x = k %}{% endfor %}{% endfor %}{% endfor %}${text}`;

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
  const message = await renderer.message(source, { ...ada, firstName: "" }, "test");
  assert.match(message.subject, /^\[Test\] Hello/);
  assert.deepEqual(message.problems, [{ kind: "empty field", field: "first_name" }]);
});

test("gives each test message a Message-ID of its own, which is not like that of a campaign", async () => {
  const idOf = async (isTest: boolean): Promise<string> => {
    const { headers } = await renderer.message(source, ada, isTest ? "test" : "preview");
    return headers.find(({ name }) => name === "Message-ID")?.value ?? "";
  };
  const ids = [await idOf(true), await idOf(true)];
  for (const id of ids) assert.match(id, /^<test\.[0-9a-f-]{36}@example\.org>$/);
  assert.notEqual(ids[0], ids[1]);
  assert.match(await idOf(false), /^<c7\.s3\./);
});

test("returns the problems of each person in order", async () => {
  const people = [ada, { ...ada, firstName: "" }, ada];
  assert.deepEqual(
    (await renderer.problems(source, people)).map((problems) => problems.length),
    [0, 1, 0],
  );
});

test("reports lines of HTML and text that are longer than 998 characters", async () => {
  const problemsOf = async (content: Partial<MessageSource["content"]>) => {
    const given = { ...source, content: { ...source.content, ...content } };
    const { problems } = await renderer.message(given, ada, preview);
    assert.deepEqual(await renderer.problems(given, [ada]), [problems], "in a dry run, too");
    return problems;
  };
  const line = (length: number): string => `${"word ".repeat(length / 5)}\n`;
  const footer = '<p>{{ postal_address }}</p>\n<a href="{{ unsubscribe_url }}">Leave</a>';
  assert.deepEqual(await problemsOf({ text: `${line(995)}${text}` }), []);
  assert.deepEqual(await problemsOf({ text: `${line(1000)}${text}` }), [
    { kind: "long line", characters: 1000 },
  ]);
  assert.deepEqual(await problemsOf({ html: `<p>\n${line(1200)}</p>${footer}` }), [
    { kind: "long line", characters: 1200 },
  ]);
  const paragraph = line(100).repeat(20);
  assert.deepEqual(await problemsOf({ html: `<p>\n${paragraph}</p>${footer}`, text: null }), []);
  for (const layout of ["plain", "newsletter", "announcement"]) {
    const markdown = `# Hello\n\n${paragraph}\n- One\n- [Two](https://example.org/)\n`;
    const preheader = "What is new in our garden this autumn";
    assert.deepEqual(await problemsOf({ markdown, layout, preheader, text: null }), [], layout);
  }
});

test("names links that run into another, and values that are not allowed where they stand", async () => {
  const problemsOf = async (given: Partial<MessageSource["content"]>, town = "") => {
    const content = { ...source.content, ...given };
    const person = { ...ada, fields: { Town: town } };
    const [problems = []] = await renderer.problems({ ...source, content }, [person]);
    return problems;
  };
  const joined = async (links: string) =>
    (await problemsOf({ text: `${links}\n${text}` })).map((problem) => "text" in problem && problem.text);
  const hosts = "https://a.example…https://b.example…";
  assert.deepEqual(await joined("https://a.example/x?ada@example.orghttps://b.example/y"), [hosts]);
  assert.deepEqual(await joined("https://a.example/https://b.example/y"), [hosts]);
  assert.deepEqual(await joined("https://a.examplehttps://b.example"), [hosts]);
  for (const links of [
    "https://a.example/?to=https://b.example/ https://a.example/2020/https://b.example/",
    "<https://a.example/>(https://b.example/)https",
  ])
    assert.deepEqual(await joined(links), [], links);
  const footer = '<p>{{ postal_address }}</p>\n<a href="{{ unsubscribe_url }}">Leave</a>';
  const html = `<a href="{{ fields.Town }}">a</a>{% if true %}<a href="{{ fields.Town }}">b</a>{% endif %}${footer}`;
  assert.deepEqual(await problemsOf({ html, text: null }, "https://a.example/"), []);
  assert.deepEqual(await problemsOf({ html, text: null }, "javascript:alert(1)"), [
    { kind: "refused value", text: 'fields["Town"]' },
  ]);
});

const minute = `<style>${"p~".repeat(30)}p{color:red}</style>${"<p>x".repeat(5000)}`;
for (const [what, limits, html, expected] of [
  ["CSS would take a minute to inline", { requestMs: 2000 }, minute, /more than 2 seconds/],
  ["elements need more memory than a thread has", { heapMb: 32 }, "<p>x".repeat(50_000), /much memory/],
] as const)
  test(`ends HTML whose ${what}, and goes on`, async () => {
    const careful = threadedRenderer({ requestMs: 60_000, ...limits });
    try {
      const content = { ...source.content, html, text: null };
      await assert.rejects(careful.message({ ...source, content }, ada, preview), expected);
      assert.equal((await careful.message(source, ada, preview)).subject, "Hello Ada");
    } finally {
      await careful.close();
    }
  });

test("reports every problem of the templates, each with its place", async () => {
  const content = { ...source.content, subject: "{{ frist_name }}", text: "{% include 'x' %}" };
  await assert.rejects(renderer.message({ ...source, content }, ada, preview), (error) => {
    assert.ok(error instanceof TemplateProblem);
    assert.deepEqual(
      error.faults.map(({ text }) => text.split(/[:,]/)[0]),
      ["subject", "text"],
    );
    return true;
  });
});

test("ends a request that takes too long, answers the waiting ones, and goes on", async () => {
  const impatient = threadedRenderer({ requestMs: 500 });
  try {
    await impatient.message(source, ada, preview);
    const [ended, next] = await Promise.allSettled([
      impatient.message(withText(endless), ada, preview),
      impatient.message(source, ada, preview),
    ]);
    assert.ok(ended.status === "rejected" && ended.reason instanceof TemplateProblem, ended.status);
    assert.match(ended.reason.message, /more than 0\.5 seconds of/);
    assert.equal(next.status, "fulfilled");
  } finally {
    await impatient.close();
  }
});

test("counts what the thread used, not how long the machine stood still", async () => {
  const impatient = threadedRenderer({ requestMs: 500, sliceMs: 1, problemsMs: 500 });
  const standStill = async <Made>(making: Promise<Made>): Promise<Made> => {
    // Until the request has been posted.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    return making;
  };
  try {
    await impatient.message(source, ada, preview);
    assert.equal((await standStill(impatient.message(source, ada, preview))).subject, "Hello Ada");
    const people = [ada, { ...ada, firstName: "" }, ada];
    const problems = await standStill(impatient.problems(withText(slow), people));
    assert.deepEqual(
      problems.map(({ length }) => length),
      [0, 1, 0],
    );
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

test("takes accounts in turn: another account waits for one request, not for all", async () => {
  const order: string[] = [];
  const made = async (account: number, name: string): Promise<void> => {
    await renderer.message(withText(slow, account), ada, preview);
    order.push(name);
  };
  await Promise.all([made(1, "a1"), made(1, "a2"), made(1, "a3"), made(1, "a4"), made(2, "b1")]);
  assert.deepEqual(order, ["a1", "b1", "a2", "a3", "a4"]);
});

test("lets other accounts in between the messages of a dry run", async () => {
  const sliced = threadedRenderer({ sliceMs: 1, problemsMs: 30_000 });
  try {
    const order: string[] = [];
    await Promise.all([
      sliced.problems(withText(slow), [ada, { ...ada, firstName: "" }, ada]).then((problems) => {
        assert.deepEqual(
          problems.map(({ length }) => length),
          [0, 1, 0],
        );
        order.push("dry run");
      }),
      sliced.message(withText(text, 2), ada, preview).then(() => order.push("preview")),
    ]);
    assert.deepEqual(order, ["preview", "dry run"]);
  } finally {
    await sliced.close();
  }
});

test("counts what slices use, and not how many there are", async () => {
  const sliced = threadedRenderer({ requestMs: 30_000, sliceMs: 1, problemsMs: 10 });
  const slower = slow.replaceAll("1..60", "1..250");
  try {
    await assert.rejects(sliced.problems(withText(slower), [ada, ada, ada]), /more than 0\.01 seconds/);
  } finally {
    await sliced.close();
  }
});

test("ends a dry run of which all slices together take too long", async () => {
  const sliced = threadedRenderer({ sliceMs: 1, problemsMs: 2 });
  try {
    await assert.rejects(sliced.problems(withText(slow), [ada, ada, ada]), /more than 0\.002 seconds/);
  } finally {
    await sliced.close();
  }
});

test("refuses an account that has too many waiting, and no other", async () => {
  const small = threadedRenderer({ waitingPerAccount: 1 });
  try {
    const first = small.message(source, ada, preview);
    await assert.rejects(small.message(source, ada, preview), RendererBusy);
    const other = await small.message(withText(text, 2), ada, preview);
    assert.equal(other.subject, "Hello Ada");
    await first;
    await small.message(source, ada, preview);
  } finally {
    await small.close();
  }
});

test("refuses a Liquid tag that would take seconds to analyse, with its line", async () => {
  const refusal = async (start: string): Promise<string> => {
    const error: unknown = await renderer.message(withText(`${start}${text}`), ada, preview).catch((e) => e);
    return error instanceof TemplateProblem ? error.message : "";
  };
  const terms = "or email ".repeat(20_000);
  assert.match(
    await refusal(`\n{% if email ${terms}%}x{% endif %}`),
    /^text, line 2: .* more than 500 words/,
  );
  assert.match(await refusal(`{{ "}}" ${"| append: email ".repeat(5000)}}}`), /more than 500 words/);
  assert.match(await refusal(`{{ "\\"}}" ${"| append: email ".repeat(5000)}}}`), /more than 500 words/);
  const quoted = `{{ first_name | default: "${"word ".repeat(2000)}" }}`;
  const some = terms.slice(0, 20_000);
  const comment = `{% comment %}{{ ${some} }}{% endcomment %}`;
  assert.equal(await refusal(`${quoted}${comment}`), "", "texts and comments are not counted");
});
