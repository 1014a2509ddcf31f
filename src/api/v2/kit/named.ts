/** Schemas whose types have names in the OpenAPI document, such as `List`, and so in generated clients. */
import { type TSchema, Type } from "typebox";

export const Named = <Members extends Record<string, TSchema>>(title: string, members: Members) =>
  Type.Object(members, { title });

/** Of an object that a client sends: a member that is not declared is refused. */
export const NamedInput = <Members extends Record<string, TSchema>>(title: string, members: Members) =>
  Type.Object(members, { title, additionalProperties: false });
