/** One-click unsubscribes (RFC 8058), and what the SOAP operations return of them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeToken } from "#unsubscribe/token.ts";
import { leaseAt } from "../store/job-steps.ts";
import { wrongNumbers } from "../store/recount.ts";
import { JOINED, startUnsubscribeService, type UnsubscribeService } from "./unsubscribe-service.ts";

const ONE_CLICK = {
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  body: "List-Unsubscribe=One-Click",
};
const bodies = [
  ["a one-click form", ONE_CLICK],
  ["no body", {}],
  [
    "a multipart form",
    {
      headers: { "Content-Type": "multipart/form-data; boundary=x" },
      body: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    },
  ],
  ["JSON that is none", { headers: { "Content-Type": "application/json" }, body: "{" }],
  ["an invalid Content-Type", { headers: { "Content-Type": ";;;" }, body: "x" }],
  ["a body that is not compressed as declared", { headers: { "Content-Encoding": "gzip" }, body: "x" }],
  [
    "the headers of SOAP",
    { headers: { "Content-Type": "text/xml; charset=utf-8", SOAPAction: '""' }, body: "<a/>" },
  ],
  ["a megabyte", { headers: { "Content-Type": "text/plain" }, body: "x".repeat(2 ** 20) }],
] as const;

/** `flags`: the settings of a service on that database. */
export const oneClickSuite = (database: string, flags: Readonly<Record<string, string>>) =>
  describe(`one-click unsubscribes on ${database}`, () => {
    let tested: UnsubscribeService;
    before(async () => {
      tested = await startUnsubscribeService(flags);
    });
    after(async () => {
      const wrong = await wrongNumbers(tested.store);
      await tested.service.close();
      assert.deepEqual(wrong, []);
    });

    test("a POST opts out of the account, as an event of the campaign", async () => {
      const token = await tested.join("ada@example.org");
      const before = await tested.members();
      const reply = await tested.post(token, "", ONE_CLICK);
      assert.equal(reply.status, 200);
      assert.match(reply.body, /You are unsubscribed/);
      assert.deepEqual(await tested.unsubscribes(), ["ada@example.org"]);
      const person = await tested.person("ada@example.org");
      assert.equal(person.state, "unsubscribed");
      assert.deepEqual(person.history.slice(-1), ["unsubscribed by link"]);
      const found = await tested.a.show("ada@example.org");
      assert.deepEqual(
        found?.losses.map(({ campaign, event, joinedAt }) => [campaign, event, joinedAt]),
        [[tested.campaign, "unsubscribed", JOINED]],
      );
      for (const name of ["News", "Offers", "Other"])
        assert.equal((await tested.members())[name], (before[name] ?? 0) - 1, name);
    });

    test("an add over SOAP is answered as for anybody who is unsubscribed", async () => {
      const token = await tested.join("grace@example.org");
      await tested.join("alan@example.org");
      assert.equal(await tested.soapUnsubscribe("alan@example.org"), "0");
      assert.equal((await tested.post(token)).status, 200);
      const answer = await tested.soapAdd("grace@example.org");
      assert.notEqual(answer, "0");
      assert.equal(answer, await tested.soapAdd("alan@example.org"));
    });

    test("repeated, it changes nothing; the link of another campaign is recorded for ten minutes", async () => {
      const token = await tested.join("twice@example.org");
      await tested.post(token);
      const once = await tested.person("twice@example.org");
      const later = await tested.a.campaign([tested.lists.news]);
      const other = await tested.tokenOf("twice@example.org", later);
      tested.passMinutes(1);
      assert.equal((await tested.post(token)).status, 200);
      assert.deepEqual(await tested.person("twice@example.org"), once);
      for (const again of [other, other, token]) assert.equal((await tested.post(again)).status, 200);
      const recorded = { ...once, history: [...once.history, "unsubscribed by link"] };
      assert.deepEqual(await tested.person("twice@example.org"), recorded);
      assert.deepEqual(await tested.unsubscribes(later), []);

      const late = await tested.join("late-repeat@example.org");
      await tested.post(late);
      const before = await tested.person("late-repeat@example.org");
      tested.passMinutes(10);
      assert.equal((await tested.post(await tested.tokenOf("late-repeat@example.org", later))).status, 200);
      assert.deepEqual(await tested.person("late-repeat@example.org"), before);
    });

    test("twenty at once are one event", async () => {
      const token = await tested.join("many@example.org");
      const replies = await Promise.all(Array.from({ length: 20 }, () => tested.post(token, "", ONE_CLICK)));
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
      const events = (await tested.unsubscribes()).filter((email) => email === "many@example.org");
      assert.equal(events.length, 1);
      const { history } = await tested.person("many@example.org");
      assert.equal(history.filter((entry) => entry === "unsubscribed by link").length, 1);
    });

    for (const [what, sent] of bodies)
      test(`acts with ${what}`, async () => {
        const email = `${what.replaceAll(" ", "-").toLowerCase()}@example.org`;
        const reply = await tested.post(await tested.join(email), "", sent);
        assert.equal(reply.status, 200);
        assert.equal((await tested.person(email)).state, "unsubscribed");
      });

    test("acts with punctuation, a slash or a query after the link", async () => {
      for (const [n, more] of [".", ")", "_", "-", "%3E", "/", "?utm_source=mail"].entries()) {
        const email = `glued${n}@example.org`;
        assert.equal((await tested.post(await tested.join(email), more)).status, 200, more);
        assert.equal((await tested.person(email)).state, "unsubscribed", more);
      }
    });

    test("opts out without an event if the campaign was deleted meanwhile, and can be undone", async () => {
      await tested.join("late@example.org");
      const gone = await tested.a.campaign([tested.lists.news]);
      const token = await tested.tokenOf("late@example.org", gone);
      const at = tested.now();
      await tested.store.campaigns.delete({ account: tested.account, id: gone, at, lease: leaseAt(at) });
      assert.equal((await tested.post(token)).status, 200);
      assert.equal((await tested.person("late@example.org")).state, "unsubscribed");
      assert.match((await tested.post(token, "/undo")).body, /as before/);
      assert.equal((await tested.person("late@example.org")).state, "active");
    });

    test("an erased person's link is answered with 200, stores nothing, and promises nothing about mail", async () => {
      const token = await tested.join("erased@example.org");
      const { account, now, store } = tested;
      const found = await store.subscribers.find({
        account,
        id: await tested.subscriberOf("erased@example.org"),
      });
      assert.ok(found);
      await store.subscribers.erase({ account, address: found.address, at: now() });
      const events = await tested.unsubscribes();
      for (const reply of [
        await tested.post(token),
        await tested.get(token),
        await tested.post(token, "/undo"),
      ])
        assert.deepEqual(
          [reply.status, reply.body.match(/nothing to unsubscribe|newest message|unsubscribed|no mail/g)],
          [200, ["nothing to unsubscribe", "nothing to unsubscribe", "newest message"]],
        );
      assert.equal(await tested.a.show("erased@example.org"), null);
      assert.deepEqual(await tested.unsubscribes(), events);
    });

    test("a link signed for another account, or naming somebody else, is refused with 404", async () => {
      const token = await tested.join("safe@example.org");
      const other = (await tested.store.accounts.create({ name: "Other", at: 1 })).id;
      const secret = await tested.store.unsubscribeLinks.secretOf({ account: other });
      assert.ok(secret);
      const subscriber = await tested.subscriberOf("safe@example.org");
      const { account, campaign } = tested;
      const forged = [
        makeToken(secret, { account, campaign, subscriber }),
        token.slice(0, -1),
        `${token.slice(0, 6)}${token[6] === "A" ? "B" : "A"}${token.slice(7)}`,
      ];
      for (const each of forged) {
        const reply = await tested.post(each);
        assert.equal(reply.status, 404);
        assert.match(reply.body, /This link does not work.*reply to the message/s);
      }
      // Genuine, but of an account that has no such person.
      const foreign = makeToken(secret, { account: other, campaign, subscriber });
      assert.equal((await tested.post(foreign)).status, 200);
      assert.equal((await tested.person("safe@example.org")).state, "active");
    });

    test("the links of an account stop working with its deletion, also those that were used before", async () => {
      const at = tested.now();
      const account = (await tested.store.accounts.create({ name: "Closed", at: 1 })).id;
      const secret = await tested.store.unsubscribeLinks.secretOf({ account });
      assert.ok(secret);
      const token = makeToken(secret, { account, campaign: tested.campaign, subscriber: 1 });
      assert.equal((await tested.post(token)).status, 200);
      await tested.store.accounts.delete({ account, at, lease: leaseAt(at) });
      for (const reply of [await tested.post(token), await tested.get(token)])
        assert.equal(reply.status, 404);
    });

    test("leaving one list is a removal, and no opt-out", async () => {
      const token = await tested.join("picky@example.org");
      const events = await tested.unsubscribes();
      const reply = await tested.post(token, `/list/${tested.lists.news}`);
      assert.equal(reply.status, 200);
      assert.match(reply.body, /You have left the list/);
      const { state, lists, history } = await tested.person("picky@example.org");
      assert.deepEqual([state, lists.map(([name]) => name)], ["active", ["Offers", "Other"]]);
      assert.deepEqual(history.slice(-1), ["left by link"]);
      assert.deepEqual(await tested.unsubscribes(), events);
      assert.equal(await tested.soapAdd("picky@example.org"), "0", "the person may be added again");
    });

    test("only lists of the campaign can be left by its link", async () => {
      const token = await tested.join("bound@example.org");
      for (const list of [String(tested.lists.other), "999999", "0", "x", "1e3"])
        assert.equal((await tested.post(token, `/list/${list}`)).status, 200, list);
      const { lists } = await tested.person("bound@example.org");
      assert.deepEqual(
        lists.map(([name]) => name),
        ["News", "Offers", "Other"],
      );
    });
  });
