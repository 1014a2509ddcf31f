/** The service with an administrator and an owner, for tests of what users do over the API. */
import assert from "node:assert/strict";
import { hashToken, newToken } from "#domain/access/session.ts";
import type { AccountRole } from "#domain/access/user.ts";
import { sendRequest } from "../../send-request.ts";
import { startService } from "../../service.ts";
import { addressOf } from "../../store/actor.ts";

export const PASSWORD = "correct horse battery";

export interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly json: Readonly<Record<string, unknown>>;
}
export const pointerOf = ({ json }: Answer): unknown =>
  (json.errors as readonly { readonly pointer: string }[] | undefined)?.[0]?.pointer;

export type UserService = Awaited<ReturnType<typeof startUserService>>;

/** With two accounts. Answers that the brute-force guard delays are not. */
export async function startUserService() {
  const service = await startService({}, { wall: Date.now, monotonic: Date.now, pause: async () => {} });
  const { users } = service.store;
  await service.store.accounts.create({ name: "Other", at: 1 });

  /** Of an administrator if the role is null. */
  async function newUser(email: string, role: AccountRole | null, account = 1, isLogIn = true) {
    const user = await users.create({
      address: addressOf(email),
      name: "",
      isAdministrator: role === null,
      role: role === null ? null : { account, role },
      at: Date.now(),
    });
    assert.ok(typeof user === "object");
    const token = newToken();
    const given = {
      user: user.id,
      name: "t",
      role: "administrator",
      expiresAt: null,
      at: Date.now(),
    } as const;
    await users.createToken({ ...given, isLogIn, hash: hashToken(token) });
    return { id: user.id, token };
  }

  async function send(
    token: string | null,
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const reply = await sendRequest(`${service.origin}/api/v2${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: reply.status,
      etag: reply.headers.get("etag") ?? "",
      json: reply.body === "" ? {} : (JSON.parse(reply.body) as Answer["json"]),
    };
  }

  return {
    administrator: (await newUser("root@example.org", null)).token,
    owner: (await newUser("owner@example.org", "owner")).token,
    store: service.store,
    newUser,
    send,
    loggedIn: async (email: string): Promise<string> =>
      String((await send(null, "POST", "/log-in", { email, password: PASSWORD })).json.secret),
    close: () => service.close(),
  };
}
