/** A problem document: a reply, or a part of one, such as of one item of a batch. */
import { Type } from "typebox";
import { Nullable } from "../schemas.ts";

const Text = (description: string) => Type.Optional(Type.String({ description }));
const members = {
  type: Type.String({
    format: "uri-reference",
    description: "The kind of problem, as a link to its description in the reference.",
  }),
  title: Type.String({ description: "The kind of problem in a few words." }),
  status: Type.Integer({ description: "The HTTP status." }),
  detail: Type.String({ description: "What was wrong, and what to do next." }),
  thing: Text("What was not found, such as `list`."),
  outcome: Text("The outcome that a SOAP call for the same change would get, such as `unsubscribed`."),
  id: Type.Optional(
    Nullable(
      Type.String({ description: "What an earlier request with the same idempotency key has created." }),
    ),
  ),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        pointer: Text("The place in the body, as a JSON Pointer."),
        parameter: Text("The parameter of the URL."),
        header: Text("The header of the request."),
        detail: Type.String({ description: "What is wrong there." }),
      }),
      { description: "Each wrong place of the request." },
    ),
  ),
};

export const PROBLEM = "Problem";
const problemSchema = (description: string) => Type.Object(members, { title: PROBLEM, description });

export const ProblemSchema = problemSchema("A problem document (RFC 9457).");
export const ProblemOrNull = (description: string) => Nullable(problemSchema(description));
