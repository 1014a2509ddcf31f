/** API keys of an account: what its integrations call with. They are no tokens, and do not reach this API. */
import { Type } from "typebox";
import { createKey, findKey, listKeys, revokeKey, setKey } from "#admin/keys/keys.ts";
import { type ApiKey, scopes } from "#domain/access/key.ts";
import { idsOf, route } from "../kit/route.ts";
import {
  Id,
  Input,
  Named,
  Nullable,
  OneOf,
  pageOfRows,
  readTimeOrNull,
  Time,
  textOrNull,
  written,
} from "../kit/schemas.ts";

const members = {
  id: Id(),
  hint: Type.String({ description: "The first four characters of the key. The key itself is not stored." }),
  length: Nullable(
    Type.Integer({ description: "How many characters the key has; null if that is not known." }),
  ),
  name: Nullable(Type.String({ description: "What the key is for; null: none was given." })),
  scope: OneOf(scopes, "What calls with the key may do: `full`: read and write; `read`: only read."),
  createdAt: Time(),
  expiresAt: Nullable(Time()),
  revokedAt: Nullable(Time()),
  lastUsedAt: Nullable(Time("Updated a few seconds after a call.")),
};
const KeySchema = Named("Key", members);
const CreatedKey = Named("CreatedKey", {
  ...members,
  secret: Nullable(
    Type.String({
      description: "The new key itself. It is never shown again. null: you registered an existing key.",
    }),
  ),
});
const toKey = ({ label, ...key }: ApiKey) => ({ ...written(key), name: textOrNull(label) });
const shown = { reply: KeySchema, answer: toKey, thing: "key" } as const;
const Name = Nullable(
  Type.String({ description: "What the key is for; null for none.", examples: ["Web shop"] }),
);

export const keyRoutes = [
  route("GET /accounts/{account}/keys", {
    summary: "List the API keys of an account",
    description: "Including revoked and expired keys.",
    action: listKeys,
    ...pageOfRows(KeySchema, toKey),
  }),
  route("POST /accounts/{account}/keys", {
    summary: "Create an API key, or register an existing one",
    action: createKey,
    body: Input({
      name: Type.Optional(Name),
      scope: Type.Optional(
        OneOf(
          scopes,
          "What calls with the key may do: `full`: read and write; `read`: only read. If it is not given: `full`.",
        ),
      ),
      expiresAt: Type.Optional(Nullable(Time("When the key stops working; null or absent: never."))),
      secret: Type.Optional(
        Type.String({
          description: "A key that your integrations already use. If it is not given, a new key is made.",
        }),
      ),
    }),
    args: ({ params, body: { name = null, scope = "full", expiresAt = null, secret = null } }) => ({
      ...params,
      label: name ?? "",
      scope,
      expiresAt: readTimeOrNull(expiresAt),
      existing: secret,
    }),
    inputs: { existing: "secret", label: "name" },
    status: 201,
    reply: CreatedKey,
    answer: ({ key, secret }) => ({ ...toKey(key), secret }),
    hasSecret: true,
    thing: "key",
    versioned: ({ key }) => key,
  }),
  route("GET /accounts/{account}/keys/{key}", {
    summary: "Show an API key",
    action: findKey,
    ...shown,
  }),
  route("PATCH /accounts/{account}/keys/{key}", {
    summary: "Change the name of an API key, or when it expires",
    description:
      "What is not given stays. A key that has expired works again with a later time; one that was revoked never does.",
    action: setKey,
    body: Input({
      name: Type.Optional(Name),
      expiresAt: Type.Optional(Nullable(Time("When the key stops working; null: never."))),
    }),
    args: ({ params, body: { name, expiresAt } }) => ({
      ...idsOf(params),
      label: name === undefined ? undefined : (name ?? ""),
      expiresAt: expiresAt === undefined ? undefined : readTimeOrNull(expiresAt),
    }),
    inputs: { label: "name" },
    ...shown,
  }),
  route("POST /accounts/{account}/keys/{key}/revoke", {
    summary: "Revoke an API key",
    description:
      "Programs that use the key stop working within a second. This cannot be undone. If the key was already revoked, `revokedAt` stays the same.",
    action: revokeKey,
    ...shown,
  }),
];
