import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contract } from "#contract/operations.ts";
import {
  BadArgument,
  fromRecordedCall,
  type KeptArguments,
  toRecordedCall,
} from "#refused-calls/recorded-call.ts";

const { params } = contract.operations["Subscriber.AddwithBasicandCustoms"];
const input = {
  APIKey: "SECRETSECRET",
  SubscribersListID: 7,
  FirstName: "José <b>",
  LastName: null,
  EMail: "nonsense",
  CustomsFields: [{ Customfieldid: 9007199254740993n, Value: null }],
  Gender: "",
  Birthday: { text: "1985-12-10T00:00:00", date: "1985-12-10", epochMs: Date.UTC(1985, 11, 10) },
  CountryID: 0,
};

describe("arguments of a refused call", () => {
  test("records arguments as text, without the API key", () => {
    const { args, isCut } = toRecordedCall("Op", params, input);
    assert.equal(isCut, false);
    assert.doesNotMatch(args, /SECRET/);
    assert.deepEqual(JSON.parse(args), {
      SubscribersListID: "7",
      FirstName: "José <b>",
      EMail: "nonsense",
      CustomsFields: [{ Customfieldid: "9007199254740993" }],
      Gender: "",
      Birthday: "1985-12-10T00:00:00",
      CountryID: "0",
    });
  });
  test("reads recorded arguments back as the same input", () => {
    const kept = JSON.parse(toRecordedCall("Op", params, input).args) as KeptArguments;
    assert.deepEqual(fromRecordedCall(params, kept), { ...input, APIKey: null });
  });
  test("cuts arguments that are longer than any real call, and marks the call as cut", () => {
    const long = toRecordedCall("Op", params, { ...input, FirstName: "x".repeat(2001) });
    assert.equal(long.isCut, true);
    assert.ok(long.args.length < 3000);
    const many = Array.from({ length: 201 }, () => ({ Customfieldid: 1n, Value: "" }));
    assert.equal(toRecordedCall("Op", params, { ...input, CustomsFields: many }).isCut, true);
  });
  test("takes corrections of records as JSON", () => {
    const corrected = fromRecordedCall(params, { CustomsFields: '[{"Customfieldid":4,"Value":"x"}]' });
    assert.deepEqual(corrected.CustomsFields, [{ Customfieldid: 4n, Value: "x" }]);
    assert.deepEqual(fromRecordedCall(params, { CustomsFields: "" }).CustomsFields, []);
  });
  test("bounds the total size of many long arguments", () => {
    const many = Array.from({ length: 200 }, () => ({ Customfieldid: 1n, Value: "x".repeat(2000) }));
    const { args, isCut } = toRecordedCall("Op", params, { ...input, CustomsFields: many });
    assert.equal(isCut, true);
    assert.ok(args.length < 10_000);
    assert.match(args, /nonsense/);
  });
  test("records at most 32,768 bytes of UTF-8, whatever the characters", () => {
    const long = "€".repeat(2000);
    const names = { FirstName: long, LastName: long, EMail: long, Gender: long };
    for (const records of [4, 5, 7, 200])
      for (const others of [{}, names]) {
        const CustomsFields = Array.from({ length: records }, () => ({ Customfieldid: 1n, Value: long }));
        const { args, isCut } = toRecordedCall("Op", params, { ...input, ...others, CustomsFields });
        assert.ok(Buffer.byteLength(args) <= 32_768, `${records} records: ${Buffer.byteLength(args)} bytes`);
        assert.equal(isCut, !args.includes("CustomsFields"));
      }
  });
  test("rejects arguments that do not fit, and says what was expected", () => {
    const said = (args: KeptArguments, pattern: RegExp) =>
      assert.throws(
        () => fromRecordedCall(params, args),
        (error) => error instanceof BadArgument && pattern.test(error.message),
      );
    said({ Email: "x" }, /no parameter Email; there are: SubscribersListID, FirstName/);
    said({ APIKey: "x" }, /no parameter APIKey/);
    said({ SubscribersListID: "seven" }, /SubscribersListID: "seven" is not an int/);
    said({ CustomsFields: "x" }, /takes a JSON array of objects/);
    said({ toString: "x" }, /no parameter toString/);
  });
});
