/** For ten minutes, a person can undo what a link did; nothing that somebody else has asked for is undone. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { wrongNumbers } from "../store/recount.ts";
import { JOINED, startUnsubscribeService, type UnsubscribeService } from "./unsubscribe-service.ts";

const ALL = [
  ["News", JOINED],
  ["Offers", JOINED],
  ["Other", JOINED],
];

/** `flags`: the settings of a service on that database. */
export const undoSuite = (database: string, flags: Readonly<Record<string, string>>) =>
  describe(`undo on ${database}`, () => {
    let tested: UnsubscribeService;
    let persons = 0;
    before(async () => {
      tested = await startUnsubscribeService(flags);
    });
    after(async () => {
      const wrong = await wrongNumbers(tested.store);
      await tested.service.close();
      assert.deepEqual(wrong, []);
    });
    /** Somebody who has just unsubscribed. */
    async function leaver(): Promise<{ readonly email: string; readonly token: string }> {
      persons += 1;
      const email = `p${persons}@example.org`;
      const token = await tested.join(email);
      assert.equal((await tested.post(token)).status, 200);
      return { email, token };
    }
    const stateOf = async (email: string): Promise<string> => (await tested.person(email)).state;
    const undo = async (token: string): Promise<string> => {
      const { status, body } = await tested.post(token, "/undo");
      assert.equal(status, 200);
      return /<h1>(.*?)<\/h1>/.exec(body)?.[1] ?? "";
    };

    test("clears the opt-out and removes its event, and the history has both", async () => {
      const members = await tested.members();
      const { email, token } = await leaver();
      tested.passMinutes(9);
      assert.equal(await undo(token), "Undone");
      const person = await tested.person(email);
      assert.deepEqual([person.state, person.lists], ["active", ALL]);
      assert.deepEqual(person.history.slice(-2), ["unsubscribed by link", "reactivated by link"]);
      assert.ok(!(await tested.unsubscribes()).includes(email));
      assert.deepEqual(await tested.members(), {
        ...members,
        News: (members.News ?? 0) + 1,
        Offers: (members.Offers ?? 0) + 1,
        Other: (members.Other ?? 0) + 1,
      });
    });

    test("a person who has undone it can unsubscribe again, and undo again", async () => {
      const { email, token } = await leaver();
      await undo(token);
      tested.passMinutes(1);
      await tested.post(token);
      assert.ok((await tested.unsubscribes()).includes(email));
      assert.equal(await undo(token), "Undone");
      assert.equal(await stateOf(email), "active");
      assert.ok(!(await tested.unsubscribes()).includes(email));
    });

    test("repeated, it does nothing, also after somebody else has unsubscribed the person", async () => {
      const { email, token } = await leaver();
      await undo(token);
      assert.equal(await undo(token), "Unsubscribe?");
      await tested.soapUnsubscribe(email);
      assert.equal(await undo(token), "You are still unsubscribed");
      assert.equal(await stateOf(email), "unsubscribed");
    });

    test("after ten minutes it is too late", async () => {
      const { email, token } = await leaver();
      assert.match((await tested.get(token)).body, /for 10 minutes.*>Undo</s);
      tested.passMinutes(10);
      assert.doesNotMatch((await tested.get(token)).body, />Undo</);
      assert.equal(await undo(token), "You are still unsubscribed");
      assert.equal(await stateOf(email), "unsubscribed");
      assert.ok((await tested.unsubscribes()).includes(email));
    });

    const others: readonly (readonly [string, (email: string) => Promise<unknown>])[] = [
      ["a program over SOAP", (email) => tested.soapUnsubscribe(email)],
      ["an operator", (email) => tested.a.unsubscribe(email, tested.now())],
      [
        "a recorded event of another campaign",
        async (email) =>
          tested.a.event(await tested.a.campaign([tested.lists.news]), "unsubscribed", email, tested.now()),
      ],
      ["a complaint", (email) => tested.a.event(tested.campaign, "complained", email, tested.now())],
      ["a block", (email) => tested.a.block(email, tested.now())],
    ];
    for (const [who, also] of others)
      test(`does not clear an opt-out that was also asked for by ${who}`, async () => {
        const { email, token } = await leaver();
        tested.passMinutes(1);
        await also(email);
        assert.equal(await undo(token), "You are still unsubscribed");
        assert.notEqual((await tested.a.show(email))?.suppressions.unsubscribed, null);
        assert.ok((await tested.unsubscribes()).includes(email));
      });

    test("a program that repeats an opt-out adds one entry to the history, whatever the number of calls", async () => {
      const { email, token } = await leaver();
      for (let round = 0; round < 3; round += 1) await tested.soapUnsubscribe(email);
      await Promise.all(Array.from({ length: 20 }, () => tested.soapUnsubscribe(email)));
      await tested.a.unsubscribe(email, tested.now());
      const { history } = await tested.person(email);
      assert.deepEqual(history.slice(-3), [
        "joined by operator",
        "unsubscribed by link",
        "unsubscribed by key",
      ]);
      assert.equal(await undo(token), "You are still unsubscribed");

      await tested.join("program@example.org");
      for (let round = 0; round < 3; round += 1) await tested.soapUnsubscribe("program@example.org");
      const by = (await tested.person("program@example.org")).history;
      assert.deepEqual(by.slice(-2), ["joined by operator", "unsubscribed by key"], "no link could undo it");
    });

    test("an opt-out that a program repeats is recorded also after a removal from a list", async () => {
      const { email, token } = await leaver();
      await tested.a.remove(tested.lists.other, email, tested.now());
      await tested.soapUnsubscribe(email);
      assert.equal(await undo(token), "You are still unsubscribed");
      assert.deepEqual((await tested.person(email)).history.slice(-2), [
        "left by operator",
        "unsubscribed by key",
      ]);
    });

    for (const [who, also] of others)
      test(`does not return to a list after an opt-out by ${who}`, async () => {
        persons += 1;
        const email = `p${persons}@example.org`;
        const token = await tested.join(email);
        await tested.post(token, `/list/${tested.lists.news}`);
        await also(email);
        assert.doesNotMatch((await tested.get(token)).body, />Undo</);
        await undo(token);
        const { state, lists } = await tested.person(email);
        assert.notEqual(state, "active");
        assert.deepEqual(lists, ALL.slice(1));
      });

    test("does not return to a list after an opt-out by the link of another campaign", async () => {
      const email = "other-link@example.org";
      const token = await tested.join(email);
      await tested.post(token, `/list/${tested.lists.news}`);
      await tested.post(await tested.tokenOf(email, await tested.a.campaign([tested.lists.news])));
      assert.equal(await undo(token), "You are still unsubscribed");
      assert.deepEqual((await tested.person(email)).lists, ALL.slice(1));
    });

    test("does not clear an opt-out from before the link was used", async () => {
      const token = await tested.join("before@example.org");
      await tested.a.unsubscribe("before@example.org", tested.now());
      await tested.post(token);
      assert.equal(await undo(token), "You are still unsubscribed");
      assert.equal(await stateOf("before@example.org"), "unsubscribed");
    });

    test("a link undoes only what it did itself", async () => {
      const { email } = await leaver();
      const other = await tested.tokenOf(email, await tested.a.campaign([tested.lists.news]));
      await tested.post(other);
      assert.equal(await undo(other), "You are still unsubscribed");
      assert.equal(await stateOf(email), "unsubscribed");
    });

    test("does not clear an opt-out that the link of another campaign has acknowledged, too", async () => {
      const { email, token } = await leaver();
      const campaign = await tested.a.campaign([tested.lists.news]);
      const other = await tested.tokenOf(email, campaign);
      // At the same time, too.
      for (const minutes of [0, 1]) {
        tested.passMinutes(minutes);
        for (const again of [other, token, other]) assert.equal((await tested.post(again)).status, 200);
        for (const link of [token, other]) assert.equal(await undo(link), "You are still unsubscribed");
      }
      const { state, history } = await tested.person(email);
      assert.equal(state, "unsubscribed");
      assert.deepEqual(history.slice(-3), [
        "joined by operator",
        "unsubscribed by link",
        "unsubscribed by link",
      ]);
      assert.deepEqual(await tested.unsubscribes(campaign), []);
    });

    test("clears an opt-out although the same link has repeated it", async () => {
      const { email, token } = await leaver();
      tested.passMinutes(1);
      await tested.post(token);
      assert.equal(await undo(token), "Undone");
      assert.equal(await stateOf(email), "active");
    });

    test("keeps the event of an earlier opt-out by the same link", async () => {
      const { email, token } = await leaver();
      tested.passMinutes(20);
      await tested.a.reactivate(email, "unsubscribed");
      await tested.post(token);
      assert.equal(await undo(token), "Undone");
      assert.equal(await stateOf(email), "active");
      assert.ok((await tested.unsubscribes()).includes(email));
    });

    test("restores the membership of a list that was left, with the time of joining", async () => {
      const members = await tested.members();
      const email = "back@example.org";
      const token = await tested.join(email);
      await tested.post(token, `/list/${tested.lists.news}`);
      tested.passMinutes(1);
      assert.equal(await undo(token), "Undone");
      const person = await tested.person(email);
      assert.deepEqual(person.lists, ALL);
      assert.deepEqual(person.history.slice(-2), ["left by link", "joined by link"]);
      assert.equal((await tested.members()).News, (members.News ?? 0) + 1);
    });

    test("restores a list and the opt-out together", async () => {
      const email = "both@example.org";
      const token = await tested.join(email);
      await tested.post(token, `/list/${tested.lists.news}`);
      await tested.post(token);
      assert.equal(await undo(token), "Undone");
      const { state, lists } = await tested.person(email);
      assert.deepEqual([state, lists], ["active", ALL]);
    });

    test("does not return to a list from which somebody else has removed the person meanwhile", async () => {
      const email = "removed@example.org";
      const token = await tested.join(email);
      await tested.post(token, `/list/${tested.lists.news}`);
      await tested.a.add(tested.lists.news, email, tested.now());
      await tested.a.remove(tested.lists.news, email, tested.now());
      assert.equal(await undo(token), "Unsubscribe?");
      const { lists } = await tested.person(email);
      assert.deepEqual(
        lists.map(([name]) => name),
        ["Offers", "Other"],
      );
    });

    test("twenty at once restore a person once", async () => {
      const { email, token } = await leaver();
      await Promise.all(Array.from({ length: 20 }, () => tested.post(token, "/undo")));
      const { state, history } = await tested.person(email);
      assert.equal(state, "active");
      assert.equal(history.filter((entry) => entry === "reactivated by link").length, 1);
    });
  });
