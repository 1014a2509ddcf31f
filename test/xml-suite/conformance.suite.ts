/** Our reader before the W3C suite: it refuses what is not XML, and reads the rest as another parser does. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { Fault } from "#contract/faults.ts";
import { decodeBytes } from "#soap/request/encoding.ts";
import { RequestReader } from "#soap/request/request-reader.ts";
import { eventsOf, type XmlEvent } from "../xml/events.ts";
import { catalogue, type Entry } from "./catalogue.ts";

const entries = catalogue();
const reader = new RequestReader(new Map());
const nothing = { expected: "", accepts: () => false };

/** null: in no encoding that we know. */
function textOf({ bytes }: Entry): string | null {
  try {
    return decodeBytes(bytes, null).text;
  } catch {
    return null;
  }
}
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  throw error;
}
/**
 * Why the reader does not take a document as XML, else null. That none of them is a SOAP message does not
 * matter.
 */
function refusal({ bytes }: Entry): string | null {
  try {
    reader.read(decodeBytes(bytes, null).text, nothing);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** An exception that is none any more is a failure too. */
const isJust = (found: readonly Entry[], known: Readonly<Record<string, string>>): void =>
  assert.deepEqual(found.map(({ id }) => id).sort(), Object.keys(known).sort());

const notUtf8 = "bytes that are not UTF-8 are read as windows-1252, so that no name is destroyed";
const markFirst = "where mark and declaration contradict each other, the mark is believed";
const takenThoughMalformed: Readonly<Record<string, string>> = {
  "not-wf-sa-168": notUtf8,
  "not-wf-sa-169": notUtf8,
  "not-wf-sa-170": notUtf8,
  "hst-lhs-007": markFirst,
  "hst-lhs-008": markFirst,
  "rmt-e2e-61": "UTF-16 that is declared in readable ASCII cannot be true, so UTF-8 is meant",
  "o-p66fail6": "Axis writes characters beyond U+FFFF as references to their two halves",
};
const colon = "a name with a colon whose prefix is not declared: XML, but not with namespaces";
const refusedThoughWellFormed: Readonly<Record<string, string>> = {
  "o-p04pass1": colon,
  "o-p05pass1": colon,
};
const fifthEdition = "expat knows the names of the fourth edition only, and refuses it";
const notReadByExpat: Readonly<Record<string, string>> = {
  "x-rmt5-014": fifthEdition,
  "x-rmt5-016": fifthEdition,
  "x-rmt5-019": fifthEdition,
  "ibm-invalid-P89-ibm89n06.xml": fifthEdition,
  "ibm-invalid-P89-ibm89n07.xml": fifthEdition,
  "ibm-invalid-P89-ibm89n08.xml": fifthEdition,
  "ibm-invalid-P89-ibm89n09.xml": fifthEdition,
  "ibm-invalid-P89-ibm89n10.xml": fifthEdition,
  "ibm-invalid-P89-ibm89n11.xml": fifthEdition,
  "ibm-invalid-P89-ibm89n12.xml": fifthEdition,
};

const select = (isWellFormed: boolean, hasDtd: boolean): Entry[] =>
  entries.filter((entry) => entry.isWellFormed === isWellFormed && entry.hasDtd === hasDtd);

test("the suite is whole", () =>
  assert.deepEqual(
    [select(false, false), select(false, true), select(true, false), select(true, true)].map(
      (some) => some.length,
    ),
    [244, 773, 75, 883],
  ));

test("what is not well-formed is refused", () =>
  isJust(
    entries.filter((entry) => !entry.isWellFormed && refusal(entry) === null),
    takenThoughMalformed,
  ));

test("what has a document type is refused", () =>
  isJust(
    entries.filter((entry) => entry.hasDtd && refusal(entry) === null),
    {},
  ));

test("what is well-formed and has none is taken", () =>
  isJust(
    select(true, false).filter((entry) => refusal(entry) !== null),
    refusedThoughWellFormed,
  ));

test("cut after every character, each is refused or taken as in one piece", async () => {
  for (const entry of entries) {
    const text = textOf(entry);
    const inSlices =
      text === null
        ? refusal(entry)
        : await reader.readSlices([...text], nothing, { isGone: false }).then(() => null, reasonOf);
    assert.equal(inSlices === null, refusal(entry) === null, entry.id);
  }
});

test("and is read as expat reads it", () => {
  const sound = select(true, false).filter((entry) => refusal(entry) === null);
  const answers = execFileSync("python3", [join(import.meta.dirname, "expat.py")], {
    input: sound.map(({ path }) => `${path}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly events?: XmlEvent[]; readonly refused?: string });
  assert.equal(answers.length, sound.length);
  isJust(
    sound.filter((_entry, index) => answers[index]?.refused !== undefined),
    notReadByExpat,
  );
  for (const [index, { bytes, id }] of sound.entries())
    if (answers[index]?.events !== undefined)
      assert.deepEqual(eventsOf(decodeBytes(bytes, null).text), answers[index].events, id);
});
