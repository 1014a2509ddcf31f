/** A problem document as a part of a reply: of one item of a batch, or of a preview. */
import { Type } from "typebox";
import { Nullable } from "./schemas.ts";

const Text = Type.Optional(Type.String());
export const ProblemOrNull = (description: string) =>
  Nullable(
    Type.Object(
      {
        type: Type.String(),
        title: Type.String(),
        status: Type.Integer(),
        detail: Type.String(),
        errors: Type.Optional(
          Type.Array(Type.Object({ pointer: Text, parameter: Text, header: Text, detail: Type.String() })),
        ),
      },
      { description },
    ),
  );
