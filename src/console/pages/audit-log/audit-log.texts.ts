import type { AuditedThing } from "#domain/access/audit.ts";

export const title = "Audit log";
export const description =
  "Who changed what. Changes of one subscriber are not here, but on the page of that subscriber.";
export const what = "What";
export const change = "Change";
export const who = "Who";
export const from = "IP address";
export const when = "When";
export const account = "Account";

export const action = "Action";
export const anyAction = "Any action";
export const firstDay = "From";
export const lastDay = "To";
export const filter = "Filter";
export const reset = "Reset";
export const emptyTitle = "Nothing was changed yet";
export const emptyText = "Every change that a user, a key or the command line makes is recorded here.";
export const noMatchTitle = "No entry matches";
export const noMatchText = "Choose another action, or other days.";
export const moreText = "None among those that were looked through so far. There are older entries.";
export const shown = (count: string): string =>
  count === "1" ? "1 entry" : `${count} entries, newest first`;

export const commandLine = "Command line";
export const commandLineOf = (name: string): string => `${name} at the command line`;
export const ofKind: Readonly<Record<string, string>> = {
  key: "An API key",
  import: "An import",
  link: "A link in a mail",
  bounce: "A bounce",
  user: "A user",
};
export const none = "none";
export const yes = "yes";
export const no = "no";
export const arrow = "→";
export const readAs = "becomes";

export const things: Readonly<Record<AuditedThing, string>> = {
  account: "account",
  block: "block",
  campaign: "campaign",
  field: "field",
  import: "import",
  job: "job",
  key: "key",
  list: "list",
  "refused call": "refused call",
  sender: "sender",
  session: "session",
  "sign-in link": "link for user",
  subscriber: "subscriber",
  token: "token",
  user: "user",
};

/** By the names of values in the log. */
export const values: Readonly<Record<string, string>> = {
  name: "Name",
  label: "Name",
  country: "Country",
  limitSubscribers: "Limit of subscribers",
  limitFields: "Limit of fields",
  scope: "Scope",
  expiresAt: "Expires",
  revokedAt: "Revoked",
  type: "Type",
  isPrivate: "Private",
  createdAt: "Created",
  sentAt: "Sent",
  fromAddress: "From",
  fromName: "Sender name",
  replyTo: "Replies go to",
  postalAddress: "Postal address",
  bounceDomain: "Domain for bounces",
  signing: "Signed by",
  dkimDomain: "DKIM domain",
  dkimSelector: "DKIM selector",
  relays: "Relays",
  secrets: "Passwords or private key",
  perSecond: "Limit per second",
  perDomainMinute: "Limit per domain and minute",
  perDay: "Limit per day",
  list: "List",
  lists: "Lists",
  role: "Role",
  isAdministrator: "Administrator",
  disabledAt: "Disabled",
  passwordSetAt: "Password set",
  totpSince: "Second factor since",
  isTotpPending: "Second factor waits for its code",
  timeZone: "Time zone",
  user: "User",
  program: "Browser",
  begunWith: "Signed in with",
  kind: "Kind",
  cancelledAt: "Cancelled",
  operation: "Operation",
  outcome: "Outcome",
  change: "Change",
  ofState: "Of state",
  ofList: "Of list",
  import: "Import",
  key: "Key",
};

/** By the names of actions; only those that leave an entry. */
export const actions: Readonly<Record<string, string>> = {
  "account.create": "Account created",
  "account.delete": "Account deleted",
  "account.rename": "Account renamed",
  "account.set": "Account changed",
  "block.add": "Address or domain blocked",
  "block.remove": "Block removed",
  "campaign.cancel": "Campaign cancelled",
  "campaign.clearBounces": "Bounces of a campaign cleared",
  "campaign.compose": "Campaign created",
  "campaign.delete": "Campaign deleted",
  "campaign.dryRun": "Dry run of a campaign started",
  "campaign.pause": "Campaign paused",
  "campaign.record": "Campaign recorded",
  "campaign.resume": "Campaign resumed",
  "campaign.retry": "Campaign sent again to some recipients",
  "campaign.send": "Campaign sent or scheduled",
  "campaign.set": "Campaign changed",
  "campaign.setContent": "Content of a campaign changed",
  "campaign.testSend": "Test messages of a campaign sent",
  "campaign.unschedule": "Schedule of a campaign taken back",
  "field.create": "Field created",
  "field.delete": "Field deleted",
  "field.rename": "Field renamed",
  "import.start": "Import started",
  "import.subscribers": "Subscribers imported",
  "import.suppressions": "Suppressions imported",
  "job.cancel": "Job cancelled",
  "key.create": "Key created",
  "key.revoke": "Key revoked",
  "key.set": "Key changed",
  "list.create": "List created",
  "list.delete": "List deleted",
  "list.rename": "List renamed",
  "me.logIn": "Logged in over the API",
  "me.password": "Own password changed",
  "me.session.end": "Own session ended",
  "me.set": "Own profile changed",
  "me.signIn": "Signed in",
  "me.token.create": "Own token created",
  "me.token.revoke": "Own token revoked",
  "me.totp.confirm": "Own second factor confirmed",
  "me.totp.enrol": "Own second factor set up",
  "me.totp.remove": "Own second factor removed",
  "refused.dismiss": "Refused call dismissed",
  "refused.dismissGroup": "Refused calls dismissed",
  "refused.replay": "Refused call repeated",
  "refused.replayGroup": "Refused calls repeated",
  "sender.create": "Sender created",
  "sender.delete": "Sender deleted",
  "sender.newKey": "DKIM key of a sender replaced",
  "sender.set": "Sender changed",
  "subscriber.bulk": "Subscribers changed",
  "subscriber.bulkDryRun": "Change of subscribers tried in a dry run",
  "subscriber.erase": "Subscriber erased",
  "user.administrator": "Administrator changed",
  "user.create": "User added",
  "user.disable": "User disabled",
  "user.enable": "User enabled",
  "user.first": "First administrator created",
  "user.link": "Sign-in link made",
  "user.password": "Password of a user set",
  "user.role": "Role changed",
  "user.session.end": "Session of a user ended",
  "user.set": "User changed",
  "user.token.create": "Token for a user created",
  "user.token.revoke": "Token of a user revoked",
  "user.totp.confirm": "Second factor of a user confirmed",
  "user.totp.enrol": "Second factor of a user set up",
  "user.totp.remove": "Second factor of a user reset",
};
