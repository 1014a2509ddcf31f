/** Who did something: the same three members wherever the API says so. */
import { Type } from "typebox";
import { originKinds } from "#domain/access/origin.ts";
import { Id, Nullable, OneOf } from "./schemas.ts";

export const ActorSchema = Type.Object(
  {
    kind: OneOf(
      originKinds,
      "`key`: a call with an API key. `import`: an imported file. `link`: the person, with a link in a mail. `bounce`: a bounce mail. `operator`: a command on the server. `user`: a user of the API or the console.",
    ),
    id: Nullable(Id("The id of the key, the import or the user; null if there is none.")),
    name: Nullable(
      Type.String({
        description:
          "Of a key: its name, or its first four characters if it has none. Of a user: the e-mail address. Of an operator: the system user. null if it is not known.",
      }),
    ),
  },
  { title: "Actor", description: "Who did it." },
);
