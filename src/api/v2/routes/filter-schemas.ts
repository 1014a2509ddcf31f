/** Filters as JSON has them: of campaigns and of searches. */
import { type Static, Type } from "typebox";
import {
  basicSubjects,
  type Condition,
  filterTests,
  MAX_COMPARED,
  MAX_CONDITIONS,
} from "#domain/subscriber/filter.ts";
import { WIDE } from "#web/path.ts";
import { camel, Id, Input, Named, Nullable, OneOfCamel, readCamel, readId } from "../kit/schemas.ts";

const subjects = [...basicSubjects, "field", "campaign"] as const;
const about = OneOfCamel(
  subjects,
  "`joined`: the day, in UTC, on which they became a subscriber. `field`: the value of a custom field. `campaign`: whether they got a campaign, or may have got it; only of campaigns whose recipients are still stored.",
);
const test = OneOfCamel(
  filterTests,
  "Which ones are allowed depends on the type of the value. Letters of any case are equal.",
);
const value = Type.String({
  maxLength: MAX_COMPARED,
  description: "What the value is compared with.",
  examples: ["DE"],
});

export const FilterSchema = Type.Array(
  Named("FilterCondition", {
    about,
    fieldId: Nullable(Id()),
    campaignId: Nullable(Id()),
    test,
    value: Nullable(value),
  }),
  { description: "Conditions, all of which must hold." },
);
export const FilterInput = Type.Array(
  Input({
    about,
    fieldId: Type.Optional(Nullable(Type.String({ pattern: WIDE, description: "Of `field`." }))),
    campaignId: Type.Optional(Nullable(Id("Of `campaign`."))),
    test,
    value: Type.Optional(Nullable(value)),
  }),
  { maxItems: MAX_CONDITIONS, description: "Conditions, all of which must hold." },
);
type Given = Static<typeof FilterInput>[number];

export const toFilter = (filter: readonly Condition[]) =>
  filter.map(({ about: subject, test: word, value: compared }) => ({
    about: camel(typeof subject === "string" ? subject : "field" in subject ? "field" : "campaign"),
    fieldId: typeof subject === "object" && "field" in subject ? subject.field : null,
    campaignId: typeof subject === "object" && "campaign" in subject ? String(subject.campaign) : null,
    test: camel(word),
    value: compared === "" ? null : compared,
  }));

export const readFilter = (given: readonly Given[]): readonly Condition[] =>
  given.map(({ about: word, fieldId, campaignId, test: tested, value: compared }) => {
    const subject = readCamel(subjects, word);
    return {
      about:
        subject === "field"
          ? { field: String(BigInt(fieldId ?? 0)) }
          : subject === "campaign"
            ? { campaign: readId(campaignId ?? "0", "campaign", "filter") }
            : subject,
      test: readCamel(filterTests, tested),
      value: compared ?? "",
    };
  });
