/** The model that judges fault runs: it accepts what the answers allow, and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Call, Person } from "./call-history.ts";

const add: Call = { kind: "add", list: 1 };
const remove: Call = { kind: "remove", list: 1 };
const done: Answer = { byte: 0 };
const seen = (...history: readonly string[]) => ({ history, name: "", refused: 0 });
function after(...calls: readonly (readonly [Call, Answer])[]): Person {
  const person = new Person("p@example.org");
  for (const [call, answer] of calls) person.note(call, answer);
  return person;
}

test("detects an acknowledged call that is lost, repeated or out of order", () => {
  const person = after([add, done], [remove, done]);
  assert.throws(() => person.found(seen()), /follows from none/);
  assert.throws(() => person.found(seen("joined 1")), /follows from none/);
  assert.throws(() => person.found(seen("joined 1", "left 1", "left 1")), /follows from none/);
  assert.throws(() => person.found(seen("left 1", "joined 1")), /follows from none/);
  person.found(seen("joined 1", "left 1"));
});
test("accepts an unanswered call as executed or not, and holds the store to what it found", () => {
  for (const history of [["joined 1"], ["joined 1", "left 1"]]) {
    const person = after([add, done], [remove, "unknown"]);
    person.found(seen(...history));
    for (const other of [[], ["joined 1"], ["joined 1", "left 1"]])
      if (other.length !== history.length)
        assert.throws(() => person.found(seen(...other)), /follows from none/);
  }
});
test("infers the result of an unanswered call from the next answer", () => {
  const person = after([add, done], [remove, "unknown"], [remove, { byte: 202 }]);
  assert.throws(() => person.found(seen("joined 1")), /follows from none/);
  person.found(seen("joined 1", "left 1"));
});
test("detects an answer that no history explains", () => {
  assert.throws(() => after([remove, done]), /was answered with 0, which follows from none/);
  assert.throws(() => after([{ kind: "unsubscribe" }, done], [add, done]), /follows from none/);
});
test("expects a refused call to be counted each time, and a rejected one to change nothing", () => {
  const person = after([{ kind: "unsubscribe" }, done], [add, { byte: 206 }], [add, "not-taken"]);
  assert.throws(() => person.found(seen("unsubscribed")), /follows from none/);
  assert.throws(() => person.found({ ...seen("unsubscribed"), refused: 2 }), /follows from none/);
  person.found({ ...seen("unsubscribed"), refused: 1 });
});
test("detects a name without its membership", () => {
  const person = after([{ kind: "add-named", list: 1, name: "Ada" }, "unknown"]);
  assert.throws(() => person.found(seen("joined 1")), /follows from none/);
  assert.throws(() => person.found({ ...seen(), name: "Ada" }), /follows from none/);
  person.found({ ...seen("joined 1"), name: "Ada" });
});
test("expects a name that replaces another one in the history, once", () => {
  const named = (name: string): Call => ({ kind: "add-named", list: 1, name });
  const person = after([named("Ada"), done], [named("Ada"), done], [named("Augusta"), done]);
  assert.throws(() => person.found({ ...seen("joined 1"), name: "Augusta" }), /follows from none/);
  person.found({ ...seen("joined 1", "changed"), name: "Augusta" });
});
