/** Why calls are refused, in plain words, and what to do about it. */
import { meaningOf } from "#admin/error-texts.ts";

interface Reason {
  readonly title: string;
  /** What to do about one call. */
  readonly advice: string;
}

const reasons: Readonly<Record<string, Reason>> = {
  InvalidEmail: {
    title: "The e-mail address is not valid",
    advice:
      "Correct the address and replay the call. If nobody knows the right address, dismiss the call. Many such calls mean that a form lets any text through.",
  },
  UnknownList: {
    title: "The list does not exist",
    advice:
      "Give the id of a list that exists and replay the call. Then change the id in the program, or its next calls are refused, too.",
  },
  InvalidFieldName: {
    title: "The name of the field is not valid",
    advice: "Shorten the name to 100 characters without line breaks and replay the call.",
  },
  UnknownField: {
    title: "A custom field does not exist",
    advice:
      "Give the id of a field that exists, or create the field first. Then replay the call, and change the id in the program.",
  },
  InvalidValue: {
    title: "A value does not fit",
    advice:
      "A custom value does not match the type of its field, a name is too long, or the gender, birthday or country is not valid. Correct the value and replay the call.",
  },
  Blocked: {
    title: "The address is blocked",
    advice:
      "The address or its domain is on the block list, or its owner reported spam. Usually that is as it should be: dismiss the call. To let the address in, remove the block, then replay the call.",
  },
  Unsubscribed: {
    title: "The person has unsubscribed",
    advice:
      "The person does not want any mail, so the call was rightly refused: dismiss it. Only if the person asks to come back, reactivate them on their own page, then replay the call.",
  },
  Bounced: {
    title: "The address has bounced",
    advice:
      "Mail to this address came back for good. If the address works again, reactivate the person on their own page and replay the call. Otherwise dismiss it.",
  },
  LimitReached: {
    title: "The limit of the account is reached",
    advice:
      "The account has as many active subscribers or fields as it may have. Ask an administrator for a higher limit, then replay the whole group.",
  },
  NotOnList: {
    title: "The address is not on that list",
    advice: "Nothing had to be removed, so nothing needs to be done.",
  },
  FieldExists: {
    title: "The field exists already",
    advice: "Nothing had to be created, so nothing needs to be done.",
  },
};

const reasonOf = (outcome: string): Reason | undefined =>
  Object.hasOwn(reasons, outcome) ? reasons[outcome] : undefined;

export const reasonTitle = (outcome: string): string => reasonOf(outcome)?.title ?? outcome;
export const reasonAdvice = (outcome: string): string => reasonOf(outcome)?.advice ?? meaningOf(outcome);
