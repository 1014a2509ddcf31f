/**
 * Renders prepared content for sample persons, one with all values and one with none, and says what their
 * messages lack. Other persons may still get other branches of a template: each message is checked again.
 */
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import { hasLetterOrDigit } from "#domain/sending/sender-rules.ts";
import { unsubscribeUrl } from "#unsubscribe/path.ts";
import type { ContentPart, ContentProblem, Prepared } from "../messages.ts";
import { problemOf } from "./check-source.ts";
import { renderParts } from "./render.ts";
import { type MissingPart, missingIn } from "./required-parts.ts";

const PROBE_URL = unsubscribeUrl("https://probe.invalid", "QWxsIHlvdXIgYmFzZSBhcmUgYmVsb25nIHRvIHVz");

interface Probe {
  readonly person: MergeData;
  readonly whom: string;
}
const persons = (fields: readonly string[]): readonly Probe[] => [
  {
    whom: "a subscriber with all values",
    person: {
      subscriber: 1,
      address: "ada@example.org",
      firstName: "Ada",
      lastName: "Lovelace",
      gender: "female",
      birthday: "1815-12-10",
      country: "GB",
      fields: Object.fromEntries(fields.map((name) => [name, "1"])),
    },
  },
  {
    whom: "a subscriber without values",
    person: {
      subscriber: 2,
      address: "x@example.org",
      firstName: "",
      lastName: "",
      gender: null,
      birthday: null,
      country: null,
      fields: {},
    },
  },
];

const remedies: Readonly<Record<MissingPart["what"], Readonly<Record<MissingPart["part"], string>>>> = {
  "unsubscribe link": {
    html: 'Add <a href="{{ unsubscribe_url }}">Unsubscribe</a> where everybody sees it: not inside an if, a comment or a hidden element.',
    text: "Add {{ unsubscribe_url }}, not inside an if.",
  },
  "postal address": {
    html: "Add {{ postal_address }} where everybody sees it, such as in the footer.",
    text: "Add {{ postal_address }}, such as in the last line.",
  },
};

/** Such as an `if` in the head that ends in the body, or an `assign` there. */
export const madeTextProblem = (part: ContentPart, error: unknown): ContentProblem => ({
  part,
  line: null,
  message: `The text cannot be made from the HTML: ${problemOf(part, error).message} Or give the text yourself.`,
});

const article = { "unsubscribe link": "an", "postal address": "the" } as const;

/** `part`: the HTML was made from it. */
export function missingParts(prepared: Prepared, part: ContentPart): readonly ContentProblem[] {
  const address = prepared.surroundings.sender?.postalAddress ?? "";
  const found = new Map<string, ContentProblem>();
  const add = (key: string, problem: ContentProblem): void => {
    if (!found.has(key)) found.set(key, problem);
  };
  const isNoAddress = address !== "" && !hasLetterOrDigit(address);
  if (isNoAddress)
    add("postal address", {
      ...{ part, line: null },
      message:
        "The postal address of the sender has no letters or digits. Give the sender a street and a town.",
    });
  for (const { person, whom } of persons(prepared.usedFields)) {
    const rendered = renderParts(prepared, person, PROBE_URL);
    if ("error" in rendered) {
      const failed = rendered.failedPart === "html" ? part : rendered.failedPart;
      const describe = failed === "text" && prepared.isTextMade ? madeTextProblem : problemOf;
      const { message } = describe(failed, rendered.error);
      add(failed, { part: failed, line: null, message: `It cannot be rendered for ${whom}: ${message}` });
      continue;
    }
    if (rendered.subject === "")
      add("subject", {
        part: "subject",
        line: null,
        message: `The subject is empty for ${whom}. Add text or a default, such as {{ first_name | default: "friend" }}.`,
      });
    for (const { part: missingPart, what } of missingIn(rendered, PROBE_URL, address)) {
      if (what === "postal address" && isNoAddress) continue;
      // Text that is made from the HTML lacks what the HTML lacks.
      if (missingPart === "text" && prepared.isTextMade && found.has(`html ${what}`)) continue;
      const where =
        missingPart === "html"
          ? "The HTML"
          : prepared.isTextMade
            ? "The text made from the HTML"
            : "The text";
      add(`${missingPart} ${what}`, {
        part: missingPart === "html" ? part : "text",
        line: null,
        message: `${where} does not show ${article[what]} ${what} to ${whom}. ${remedies[what][missingPart]}`,
        missing: what,
      });
    }
  }
  return [...found.values()];
}
