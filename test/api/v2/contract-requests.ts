/** A request for each route that succeeds in the world of the tests. */
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { operationId } from "#api/v2/kit/openapi.ts";
import type { Route } from "#api/v2/kit/route.ts";
import { exampleOf, type JsonSchema } from "#api/v2/reference/example.ts";
import { PASSWORD, TOTP_SECRET, UNKNOWN_LIST, type World } from "./contract-world.ts";

interface Given {
  readonly query?: string;
  readonly body?: unknown;
  /** Instead of those of the world. */
  readonly ids?: World["ids"];
}

const totpCode = (): Given => ({
  body: { code: new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) }).generate() },
});
const password = (): Given => ({ body: { password: PASSWORD } });
const newPassword = (): Given => ({ body: { password: "another good one" } });
const findUser = ({ emails }: World): Given => ({ body: { email: emails.user } });
const newImport = ({ ids }: World): Given => ({
  body: {
    uploadId: String(ids.finishedUpload),
    contents: { kind: "subscribers", listId: String(ids.list) },
  },
});
const reactivation = { suppression: "complained", reason: "asked by mail" };

const invited = ({ ids: { invited: user = 0 } }: World): Given => ({ ids: { user } });

/** A campaign in another state than that which was recorded. */
const withCampaign =
  (state: "draft" | "scheduled" | "begun" | "paused", body?: (world: World) => object) =>
  (world: World): Given => ({
    ids: { campaign: world.ids[state] ?? 0 },
    ...(body === undefined ? {} : { body: body(world) }),
  });

/** Of the operations whose examples name things that do not exist here. */
const requests: Readonly<Record<string, (world: World) => Given>> = {
  "account.delete": () => ({ body: { name: "Acme" } }),
  "campaign.record": ({ ids }) => ({ body: { name: "Spring", listIds: [String(ids.list)] } }),
  "campaign.compose": ({ ids }) => ({
    body: { name: "Spring", subject: "Hello", text: "Hello", listIds: [String(ids.list)] },
  }),
  "campaign.content": withCampaign("draft"),
  "campaign.duplicate": withCampaign("begun", () => ({ name: "Again" })),
  "campaign.setContent": withCampaign("draft", () => ({ subject: "Hello again" })),
  "campaign.versions": withCampaign("draft"),
  "campaign.version": ({ ids }) => ({ ids: { campaign: ids.draft ?? 0, version: 1 } }),
  "campaign.restoreVersion": ({ ids }) => ({ ids: { campaign: ids.draft ?? 0, version: 1 } }),
  "campaign.preview": withCampaign("draft", () => ({})),
  "campaign.testSend": withCampaign("draft"),
  "campaign.check": withCampaign("draft"),
  "campaign.countRecipients": ({ ids }) => ({ body: { listIds: [String(ids.list)] } }),
  "campaign.dryRun": withCampaign("draft"),
  "campaign.send": withCampaign("draft"),
  "campaign.sending": withCampaign("begun"),
  "campaign.unschedule": withCampaign("scheduled"),
  "campaign.pause": withCampaign("begun"),
  "campaign.resume": withCampaign("paused"),
  "campaign.cancel": withCampaign("scheduled"),
  "campaign.recipients": withCampaign("begun"),
  "campaign.retry": withCampaign("begun"),
  "campaign.verify": withCampaign("begun"),
  "campaign.previewRetry": (world) => ({ ...withCampaign("begun")(world), query: "?state=failed" }),
  "campaign.previewClearBounces": withCampaign("begun"),
  "campaign.clearBounces": withCampaign("begun", () => ({ reason: "the relay was wrong" })),
  "campaign.results": () => ({ query: "?event=complained" }),
  "sender.newKey": () => ({ body: { dkimSelector: "next" } }),
  "sender.setWebhook": () => ({ body: { provider: "mailgun" } }),
  "sender.setWebhookKey": () => ({ body: { signingKey: `key-${"0".repeat(32)}` } }),
  "sender.confirmWebhook": ({ ids: { confirmed = 0 } }) => ({ ids: { sender: confirmed } }),
  "refused.previewGroup": () => ({ body: UNKNOWN_LIST }),
  "refused.replayGroup": () => ({ body: UNKNOWN_LIST }),
  "refused.dismissGroup": () => ({ body: UNKNOWN_LIST }),
  "subscriber.add": ({ ids }) => ({
    body: {
      listId: String(ids.list),
      email: "new@example.org",
      firstName: "New",
      country: "GB",
      values: [{ fieldId: String(ids.field), value: "9" }],
    },
  }),
  "subscriber.search": ({ ids }) => ({
    body: {
      ...{ search: "@example.org", listId: String(ids.list) },
      filter: [{ about: "firstName", test: "isNotEmpty" }],
    },
  }),
  "upload.append": () => ({ query: `?offset=${"email\nnew@example.org\n".length}`, body: "x" }),
  "import.undo": ({ ids }) => ({ ids: { import: ids.importIntoList ?? 0 }, body: {} }),
  "import.preview": newImport,
  "import.start": newImport,
  "subscriber.bulkExport": ({ ids }) => ({ body: { filter: { listId: String(ids.list) } } }),
  "subscriber.bulkPreview": ({ ids }) => ({ body: { filter: { listId: String(ids.list) } } }),
  "subscriber.bulkDryRun": ({ ids }) => ({
    body: { filter: { listId: String(ids.list) }, change: { action: "unsubscribe" } },
  }),
  "subscriber.bulkChange": ({ ids }) => ({
    body: { filter: { listId: String(ids.list) }, change: { action: "unsubscribe" } },
  }),
  "subscriber.set": () => ({ body: { firstName: "Ada" } }),
  "subscriber.batch": ({ ids }) => ({
    body: { items: [{ action: "add", listId: String(ids.list), email: "new@example.org" }] },
  }),
  "subscriber.reactivate": ({ ids: { suppressed = 0 } }) => ({
    body: reactivation,
    ids: { subscriber: suppressed },
  }),
  "subscriber.reactivateAddress": ({ emails }) => ({ body: { ...reactivation, email: emails.suppressed } }),
  "me.logIn": ({ emails }) => ({ body: { email: emails.administrator, password: PASSWORD } }),
  "me.password": () => ({ body: { oldPassword: PASSWORD, password: "another good one" } }),
  "me.totp.enrol": password,
  "me.totp.confirm": totpCode,
  "me.totp.remove": password,
  "me.session.end": ({ ids: { ownSession = 0 } }) => ({ ids: { session: ownSession } }),
  "me.token.revoke": ({ ids: { ownToken = 0 } }) => ({ ids: { token: ownToken } }),
  "user.create": ({ account }) => ({ body: { email: `new${account}@example.org`, role: "viewer" } }),
  "user.create.installation": ({ account }) => ({ body: { email: `new${account}@example.org` } }),
  "user.find": findUser,
  "user.find.installation": findUser,
  "user.password": newPassword,
  "user.password.installation": newPassword,
  "user.invite": invited,
  "user.invite.installation": invited,
  "user.invitation.withdraw": invited,
  "user.invitation.withdraw.installation": invited,
  "user.totp.confirm": totpCode,
  "user.totp.confirm.installation": totpCode,
};

const pathIn = (ids: World["ids"], { path }: Route): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const id = ids[param];
    assert.ok(id !== undefined, `there is no ${param} in the world of these tests: add one`);
    return String(id);
  });

/** Requests that only read, and that the state of what they name does not allow. */
const conflicts: typeof requests = {
  "list.deletion": ({ ids }) => ({ ids: { list: ids.neededList ?? 0 } }),
  "field.deletion": ({ ids }) => ({ ids: { field: ids.neededField ?? 0 } }),
  "campaign.deletion": withCampaign("begun"),
  "import.rejectedRows": ({ ids }) => ({ ids: { import: ids.importWithoutRejects ?? 0 } }),
};

/** null: none is known. */
export function conflictFor(world: World, route: Route) {
  const given = conflicts[operationId(route)]?.(world);
  return given === undefined ? null : exampleOfGiven(world, route, given);
}
export const exampleFor = (world: World, route: Route) =>
  exampleOfGiven(world, route, requests[operationId(route)]?.(world) ?? {});

function exampleOfGiven(world: World, route: Route, given: Given) {
  return {
    query: given.query ?? "",
    body: given.body ?? (route.body === undefined ? undefined : exampleOf(route.body as JsonSchema)),
    path: pathIn({ ...world.ids, ...given.ids }, route),
  };
}
