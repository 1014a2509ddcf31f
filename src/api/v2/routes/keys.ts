/** API keys of an account: what its integrations call with. They are no tokens, and do not reach this API. */
import { Type } from "typebox";
import { createKey, findKey, listKeys, revokeKey } from "../../../admin/keys.ts";
import { type ApiKey, scopes } from "../../../domain/key.ts";
import { Named } from "../kit/named.ts";
import { route } from "../kit/route.ts";
import {
  Collection,
  collection,
  Id,
  Input,
  Nullable,
  OneOf,
  pageOf,
  pageQuery,
  readTime,
  Time,
  time,
  timeOrNull,
} from "../kit/schemas.ts";

const members = {
  id: Id(),
  hint: Type.String({ description: "The first four characters of the key. The key itself is not stored." }),
  length: Nullable(
    Type.Integer({ description: "How many characters the key has; null if that is not known." }),
  ),
  label: Type.String(),
  scope: OneOf(scopes, "What calls with the key may do: `full`: read and write; `read`: only read."),
  createdAt: Time(),
  expiresAt: Nullable(Time()),
  revokedAt: Nullable(Time()),
  lastUsedAt: Nullable(Time("Updated a few seconds after a call.")),
};
const KeySchema = Named("Key", members);
const CreatedKey = Named("CreatedKey", {
  ...members,
  key: Nullable(
    Type.String({
      description: "The new key. It is never shown again. null: you registered an existing key.",
    }),
  ),
});
const toKey = ({ id, hint, length, label, scope, createdAt, expiresAt, revokedAt, lastUsedAt }: ApiKey) => ({
  id: String(id),
  hint,
  length,
  label,
  scope,
  createdAt: time(createdAt),
  expiresAt: timeOrNull(expiresAt),
  revokedAt: timeOrNull(revokedAt),
  lastUsedAt: timeOrNull(lastUsedAt),
});
const tag = "API keys";

export const keyRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/keys",
    tag,
    summary: "List the API keys of an account",
    description: "Including revoked and expired keys.",
    action: listKeys,
    query: Type.Object(pageQuery),
    args: ({ params, query }) => ({ ...params, ...pageOf(query) }),
    status: 200,
    reply: Collection(KeySchema),
    answer: (page) => collection(page, toKey),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/keys",
    tag,
    summary: "Create an API key, or register an existing one",
    action: createKey,
    body: Input({
      label: Type.Optional(Type.String({ description: "What the key is for.", examples: ["Web shop"] })),
      scope: Type.Optional(
        OneOf(
          scopes,
          "What calls with the key may do: `full`: read and write; `read`: only read. If it is not given: `full`.",
        ),
      ),
      expiresAt: Type.Optional(Nullable(Time("When the key stops working; null or absent: never."))),
      key: Type.Optional(
        Type.String({
          description: "A key that your integrations already use. If it is not given, a new key is made.",
        }),
      ),
    }),
    args: ({ params, body: { label = "", scope = "full", expiresAt = null, key = null } }) => ({
      ...params,
      label,
      scope,
      expiresAt: expiresAt === null ? null : readTime(expiresAt),
      existing: key,
    }),
    inputs: { existing: "key" },
    status: 201,
    reply: CreatedKey,
    answer: ({ key, secret }) => ({ ...toKey(key), key: secret }),
    hasSecret: true,
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/keys/{key}",
    tag,
    summary: "Show an API key",
    action: findKey,
    args: ({ params: { account, key } }) => ({ account, id: key }),
    status: 200,
    reply: KeySchema,
    answer: toKey,
    thing: "key",
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/keys/{key}/revoke",
    tag,
    summary: "Revoke an API key",
    description:
      "Programs that use the key stop working within a second. This cannot be undone. If the key was already revoked, `revokedAt` stays the same.",
    action: revokeKey,
    args: ({ params: { account, key } }) => ({ account, id: key }),
    status: 200,
    reply: KeySchema,
    answer: toKey,
    thing: "key",
  }),
];
