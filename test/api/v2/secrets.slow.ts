/**
 * No reply, no log line and no entry of the audit log contains a secret, but for the one reply that creates
 * it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { operationId } from "#api/v2/kit/openapi.ts";
import type { Route } from "#api/v2/kit/route.ts";
import { routes } from "#api/v2/routes.ts";
import { Log } from "#app/log/log.ts";
import { hashToken } from "#domain/access/session.ts";
import { sendRequest } from "../../send-request.ts";
import { type Service, startService } from "../../service.ts";
import { NOW } from "../../store/actor.ts";
import { PASSWORD as RELAY_PASSWORD } from "../../store/sender-values.ts";
import { exampleFor } from "./contract-requests.ts";
import { DKIM_KEY, newWorld, PASSWORD, TOTP_SECRET, type World } from "./contract-world.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-secrets-"));
const logFile = join(folder, "log");
const descriptor = openSync(logFile, "w");
let service: Service;
before(async () => {
  // At the time of the worlds: the service deletes what is old.
  const clocks = { wall: () => NOW, monotonic: () => performance.now() };
  service = await startService({}, clocks, undefined, new Log("debug", descriptor));
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Routes that only read share one. */
let unchanged: Promise<World> | undefined;
function worldFor({ method }: Route): Promise<World> {
  if (method !== "GET") return newWorld(service.store, "", true);
  unchanged ??= newWorld(service.store, "", true);
  return unchanged;
}

for (const route of routes)
  test(`${operationId(route)} shows no secret`, async () => {
    const world = await worldFor(route);
    const { path, query, body } = exampleFor(world, route);
    const hash = Buffer.from(hashToken(world.token));
    const secrets = [
      world.token,
      PASSWORD,
      TOTP_SECRET,
      hash.toString("hex"),
      hash.toString("base64"),
      "scrypt",
      RELAY_PASSWORD,
      // The first line of the key is the same in all keys.
      DKIM_KEY.split("\n")[3] ?? "",
      "PRIVATE KEY",
      String(world.account).padStart(32, "0"),
    ];
    const reply = await sendRequest(`${service.origin}/api/v2${path}${query}`, {
      method: route.method,
      headers: {
        Authorization: `Bearer ${world.token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    assert.ok(reply.status < 429, `${reply.status}`);
    const audit = await service.store.audit.ofInstallation.page(
      { action: null, since: null },
      { after: null, limit: 50 },
    );
    const texts = [reply.body, readFileSync(logFile, "utf8"), JSON.stringify(audit)];
    assert.ok(texts.at(-2) !== "", "the log is empty");
    for (const secret of secrets)
      assert.ok(!texts.some((text) => text.includes(secret)), `${secret} is shown`);
  });

test("a token that does not work is neither in the reply nor in the log", async () => {
  const wrong = `mrt_${"Wr0ng".repeat(8)}abc`;
  const headers = { Authorization: `Bearer ${wrong}` };
  const reply = await sendRequest(`${service.origin}/api/v2/me`, { headers });
  assert.equal(reply.status, 401);
  assert.ok(!`${reply.body}${readFileSync(logFile, "utf8")}`.includes("Wr0ng"));
});
