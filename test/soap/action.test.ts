/** Actions that contradict the body, as the client wrote them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAction } from "#soap/dispatch.ts";
import { soap11 } from "#soap/version.ts";

const namespaces = { expected: "urn:n", accepts: (namespace: string) => namespace === "urn:n" };
const check = (action: string) => checkAction(action, soap11, "Op", namespaces, new Set(["Op"]));

test("accepts an action that is percent-encoded", () => {
  check('"urn%3An/Op"');
});

test("reports an action whose percent signs encode nothing as it was written", () => {
  assert.throws(() => check('"urn:n%zz/Op"'), /There is no action "urn:n%zz\/Op"/);
});
