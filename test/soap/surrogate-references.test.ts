import assert from "node:assert/strict";
import { test } from "node:test";
import { joinSurrogateReferences } from "../../src/soap/surrogate-references.ts";

const cases = {
  "A&#xD83D;&#xDE00;B": "A😀B",
  "&#xd83d;&#xde00;&#xD83D;&#xDE00;": "😀😀",
  "&#x41;&#xD83D;&#xDE00;": "&#x41;😀",
  "&#55357;&#56832;": "😀",
  "&#x0D83D;&#xDE00;": "😀",
  "&#xD83D; &#xDE00;": "&#xD83D; &#xDE00;",
  "&#xDE00;&#xD83D;": "&#xDE00;&#xD83D;",
  "&#xD83D;": "&#xD83D;",
  "&#55000;&#57001;": "&#55000;&#57001;",
  "&#xD83D;&#57344;": "&#xD83D;&#57344;",
  "&#x1F600;": "&#x1F600;",
};
for (const [given, expected] of Object.entries(cases))
  test(`references to two halves of a character: ${given}`, () => {
    assert.equal(joinSurrogateReferences(given), expected);
  });
