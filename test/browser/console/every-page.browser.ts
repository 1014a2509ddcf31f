/**
 * Every page that the console declares, in both looks: no accessibility violation, nothing wider than the
 * window, no message in the browser's console, no request to another host. A page that is declared and not
 * opened here fails the last test, which names it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { createInvitation, createSignInLink } from "#auth/users/sign-in-links.ts";
import type { AnyPage } from "#console/kit/page.ts";
import { pages } from "#console/pages.ts";
import type { UserId } from "#domain/access/user.ts";
import { parseAddress } from "#domain/address.ts";
import { testPasswords } from "../../api/v2/api-server.ts";
import { checkKeyboard } from "../check-keyboard.ts";
import { checkDirection, checkLooks, checkWidth } from "../check-page.ts";
import { consoleInBrowser } from "./console-in-browser.ts";
import { type EveryPageWorld, fillEveryPage } from "./every-page-world.ts";

let declared: readonly AnyPage[] = [];
let world: EveryPageWorld;
const tested = consoleInBrowser({
  role: null,
  expected: /status of (400|403|404)/,
  console: {
    pages: (options) => {
      declared = pages(options);
      return declared;
    },
  },
  fill: async (server) => {
    world = await fillEveryPage(server);
  },
});

const checked = new Set<string>();
/** As it is declared; "": there is no such page. */
function declaredPathOf(address: string): string {
  const path = new URL(address).pathname.replace(/^\/console(?=\/|$)/, "");
  const isOf = (declaredPath: string): boolean =>
    new RegExp(`^${declaredPath.replaceAll(/\{\w+\}/g, "\\d+")}$`).test(path);
  return declared.find((one) => isOf(one.path))?.path ?? "";
}
async function check(page: Page, path: string, status = 200): Promise<void> {
  const reply = await page.goto(`${tested.server.origin}/console${path}`);
  assert.equal(reply?.status(), status, path);
  await checkLooks(page, path);
  await checkDirection(page, path);
  // Where a redirect has led to.
  const kind = declaredPathOf(page.url());
  if (status !== 200 || checked.has(kind)) return;
  checked.add(kind);
  await checkWide(page, path);
}
/** On the widest screen. */
async function checkWide(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await checkWidth(page, `${path}, 1920 px`);
  await checkKeyboard(page, path);
}
const below = (path: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `${path}${name}`);

const sections: Readonly<Record<string, () => readonly string[]>> = {
  "of the account": () => ["/1", "/2", "/accounts", "/1/search", "/sign-out"],
  "of lists and fields": () => [
    ...["/1/lists", "/1/lists/new", `/1/lists/${world.newsletter}`],
    ...below(`/1/lists/${world.hostileList}`, ["", "/export", "/rename", "/delete"]),
    `/1/lists/${world.newsletter}/members/${world.ids["zz-hostile"]}/remove`,
    ...["/1/fields", "/1/fields/new"],
    ...below(`/1/fields/${world.hostileField}`, ["/rename", "/delete"]),
  ],
  "of imports": () => [
    "/1/imports",
    ...Object.values(world.imports),
    `${world.imports.done}/undo`,
    `${world.imports.columns}?contains=suppressions`,
  ],
  "of campaigns": () => [
    ...["/1/campaigns", "/1/campaigns/new", "/1/campaigns/record"],
    ...below(`/1/campaigns/${world.campaign}`, [
      ...["", "/unsubscribed", "/bounced", "/clear-bounces", "/complained", "/change", "/deletion"],
    ]),
  ],
  "of a draft": () => [
    ...below(`/1/campaigns/${world.composed.draft}`, [
      "",
      "/edit",
      "/preview",
      "/send",
      "/dry-run",
      "/duplicate",
      "/versions",
      "/versions/1",
    ]),
  ],
  "of campaigns that are sent": () => [
    ...below(`/1/campaigns/${world.composed.scheduled}`, ["", "/cancel"]),
    ...below(`/1/campaigns/${world.composed.held}`, ["", "/resume"]),
    ...below(`/1/campaigns/${world.composed.sending}`, ["", "/recipients", "/cancel"]),
    ...below(`/1/campaigns/${world.composed.paused}`, ["", "/resume"]),
    ...below(`/1/campaigns/${world.composed.finished}`, [
      ...["", "/recipients", "/recipients?state=failed", "/retry?state=failed", "/verify", "/change"],
    ]),
  ],
  "of refused calls": () => [
    ...["/1/refused-calls", `/1/refused-calls?key=${world.integration}`],
    `/1/refused-calls/${world.refusedCall}`,
    ...below("/1/refused-calls/group", ["", "/replay", "/dismissal"]).map(
      (path) => `${path}?operation=Subscriber.Add&outcome=InvalidEmail`,
    ),
  ],
  "of integrations": () => [
    ...["/1/integrations", "/1/integrations/new"],
    ...below(`/1/integrations/${world.integration}`, ["", "/change", "/revoke"]),
  ],
  "of subscribers": () => [
    ...["/1/subscribers", "/1/subscribers?state=bounced&sort=newest"],
    ...below("/1/subscribers", ["/change", "/export", "/new", `/new?list=${world.hostileList}`]),
    ...below(`/1/subscribers/${world.ids["zz-hostile"]}`, [
      ...["", "/edit", "/history", "/campaigns", "/unsubscribe", "/erase"],
    ]),
    ...["ada.lovelace", "frances.allen", "john.backus"].map((name) => `/1/subscribers/${world.ids[name]}`),
    `/1/subscribers/${world.ids.edsger}/reactivate`,
    `/1/subscribers/${world.ids["grace.hopper"]}/history`,
  ],
  "of settings": () => [
    ...below("/1/settings", ["", "/blocks", "/users", "/users/new", `/users/${world.user}`, "/tokens"]),
    ...["/1/settings/audit-log", "/1/settings/delete", "/me", ...world.questions],
  ],
  "of senders": () => [
    ...below("/1/settings/senders", ["", "/provider", "/new", "/new?provider=ses", "/new?provider=postal"]),
    ...below(`/1/settings/senders/${world.sender}`, ["", "/change", "/new-key", "/delete", "/webhook"]),
    ...below(`/1/settings/senders/${world.webhooks.topic}`, ["", "/webhook/confirm", "/webhook/unmatched"]),
    ...below(`/1/settings/senders/${world.webhooks.key}`, ["", "/webhook/key", "/webhook/remove"]),
  ],
  "of the installation and of jobs": () => [
    ...below("/installation", ["", "/users", "/users/new", `/users/${world.user}`, "/audit-log", "/jobs"]),
    ...["/1/jobs", ...world.jobs],
  ],
};

for (const [title, paths] of Object.entries(sections))
  test(`the pages ${title} have no accessibility violation, whatever the names`, async () => {
    const page = await tested.open("/me");
    for (const path of paths()) await check(page, path);
  });

/** The page exists after a password was given. */
async function checkCodePage(page: Page, id: UserId): Promise<void> {
  const { store, now } = tested.server;
  const password = "correct horse battery";
  const of = { id, within: null };
  await store.users.setPassword({ ...of, hash: await testPasswords.hash(password), at: now, keeps: null });
  const secret = "GEZDGNBVGY3TQOJQ";
  await store.users.enrolTotp({ ...of, secret });
  await store.users.confirmTotp({ ...of, secret, step: 0, recoveryHashes: [], at: now });
  await check(page, "/sign-in");
  await page.getByLabel("E-mail address").fill("invited@example.org");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await check(page, "/sign-in/code");
}

test("the pages for everybody have no accessibility violation", async () => {
  const { server } = tested;
  const page = await tested.open("/sign-in", { as: server.browser() });
  const { secret } = await createSignInLink(server.store, world.user, server.now);
  for (const path of ["/sign-in", "/sign-in?signed-out", `/link?token=${secret}`]) await check(page, path);
  const address = parseAddress("invited@example.org") ?? assert.fail();
  const given = { address, name: "", isAdministrator: true, role: null, at: 1 };
  const invited = await server.store.users.create(given);
  assert.ok(typeof invited === "object");
  const invitation = await createInvitation(server.store, invited.id, server.now);
  await check(page, `/link?token=${invitation.secret}`);
  await checkCodePage(page, invited.id);
  await check(page, "/link?token=used-already", 404);
});

test("the pages about errors have no accessibility violation", async () => {
  const page = await tested.open("/me");
  await check(page, "/1/none", 404);
  await check(page, "/none", 404);
  await check(page, `/1/subscribers/${world.erased}`, 404);
  await check(page, "/1/subscribers?after=wrong", 400);
  const viewer = await tested.open("/me", { as: await tested.server.signedIn("viewer") });
  await check(viewer, "/1/lists/new", 403);
});

test("no page of the console is left out", async () => {
  const somebody = await tested.server.signedIn(null);
  const { columns, done } = world.imports;
  const files = [
    `${columns}/content`,
    `${done}/rejected-rows`,
    `/1/subscribers/${world.ids.edsger}/download`,
  ];
  for (const path of files) {
    const { status, headers } = await somebody.get(`/console${path}`);
    assert.equal(status, 200, path);
    assert.match(headers.get("content-disposition") ?? "", /^attachment/, path);
  }
  // In a frame of the preview.
  const message = `/1/campaigns/${world.composed.draft}/preview/message`;
  const version = `/1/campaigns/${world.composed.draft}/versions/1/message`;
  for (const path of [message, version]) assert.equal((await somebody.get(`/console${path}`)).status, 200);
  const { status } = await somebody.get("/console");
  assert.equal(status, 303);
  const noPages = new Set([
    "/",
    // They only redirect.
    "/theme",
    "/{account}/campaigns/count-recipients",
    "/{account}/campaigns/draft-preview",
    "/{account}/campaigns/draft-preview/message",
    ...[...files, message, version].map((path) => declaredPathOf(`http://localhost/console${path}`)),
  ]);
  const missing = declared
    .filter(({ kind, path }) => kind !== "events" && !checked.has(path) && !noPages.has(path))
    .map(({ path }) => path);
  assert.deepEqual(missing, [], "declared, and not checked by any test of this file");
});
