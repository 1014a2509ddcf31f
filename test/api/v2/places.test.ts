/** Where a problem document says that an error is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { action } from "#admin/kit/action.ts";
import { AlreadyExists, InvalidInput } from "#admin/kit/errors.ts";
import { problemOf } from "#api/v2/kit/problems.ts";
import { type Route, route } from "#api/v2/kit/route.ts";

const nothing = action("test.nothing", "viewer", "nothing", () => Promise.resolve(null));
const declare = (more: Partial<Route>): Route => ({
  ...route("POST /accounts/{account}/things", {
    summary: "Do nothing",
    action: nothing,
    query: Type.Object({ offset: Type.Integer() }),
    args: () => ({}),
    status: 204,
    answer: () => null,
  }),
  ...(more as object),
});
const errorsOf = (error: Error, more: Partial<Route> = {}) => problemOf(error, declare(more))?.errors;

test("an input below a member of the body has a pointer to the place in it", () => {
  const inputs = { search: "filter/search", map: "contents/map", odd: "filter/a~b" };
  for (const [input, pointer] of [
    ["search", "#/filter/search"],
    ["map", "#/contents/map"],
    ["odd", "#/filter/a~0b"],
    ["name", "#/name"],
  ] as const)
    assert.deepEqual(errorsOf(new InvalidInput(input, "is wrong"), { inputs }), [
      { pointer, detail: "is wrong" },
    ]);
  assert.equal(
    problemOf(new InvalidInput("search", "is wrong"), declare({ inputs }))?.message,
    "filter/search: is wrong.",
  );
});

test("a problem that is a whole sentence has one full stop", () => {
  const problem = problemOf(new InvalidInput("relays", "The port cannot be 0."), declare({}));
  assert.equal(problem?.message, "relays: The port cannot be 0.");
});

test("an input in the URL is named as a parameter", () => {
  for (const parameter of ["offset", "account"])
    assert.deepEqual(errorsOf(new InvalidInput(parameter, "is wrong")), [{ parameter, detail: "is wrong" }]);
});

test("an error in the bytes of a body has no place within it", () => {
  assert.deepEqual(errorsOf(new InvalidInput("bytes", "are too many"), { takesBytes: true }), [
    { detail: "are too many" },
  ]);
});

test("a conflict with something that exists has a pointer if the input is known", () => {
  assert.deepEqual(errorsOf(new AlreadyExists("the name is taken", "name")), [
    { pointer: "#/name", detail: "is already in use" },
  ]);
  assert.deepEqual(errorsOf(new AlreadyExists("it is taken")), []);
});
