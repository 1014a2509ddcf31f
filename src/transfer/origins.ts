/**
 * The way from other products to Mailroll: where people are exported there, which files are imported here,
 * and what becomes of their states. The command line, the console and the guide show it. How their tables are
 * read is in `table/products.ts`.
 */
import type { SuppressionKind } from "#domain/subscriber/subscriber.ts";

interface ExportedFile {
  /** As an example of its name. */
  readonly name: string;
  /** The people in it must not be mailed, for this reason; null: the file says for each of them. */
  readonly as: SuppressionKind | null;
  readonly contents: "subscribers" | "suppressions";
}
export interface Origin {
  readonly label: string;
  /** Where to export there; one sentence. */
  readonly exported: string;
  /** In this order. */
  readonly files: readonly ExportedFile[];
  /** What becomes of states; whole sentences. */
  readonly states: string;
}

const subscribers = (...names: readonly string[]): readonly ExportedFile[] =>
  names.map((name) => ({ name, as: null, contents: "subscribers" }));
const suppressions = (name: string, as: SuppressionKind | null): ExportedFile => ({
  ...{ name, as, contents: "suppressions" },
});

export const origins: readonly Origin[] = [
  {
    label: "Mailchimp",
    exported:
      "Export the audience (Audience, All contacts, Export audience), and unpack the archive. Leave out the file of non-subscribed contacts: they would become active.",
    files: subscribers("unsubscribed.csv", "cleaned.csv", "subscribed.csv"),
    states:
      "`UNSUB_TIME` is unsubscribed, `CLEAN_TIME` is bounced, with their dates. Birthdays have no year, and are left out.",
  },
  {
    label: "listmonk",
    exported:
      "`mailroll pull listmonk` takes everything without files. Otherwise export all subscribers (Subscribers, Export), without those who have left the list: listmonk still calls them enabled.",
    files: subscribers("subscribers.csv"),
    states:
      "`enabled` is active, `disabled` is unsubscribed, `blocklisted` is blocked. Names are split at the last space; the dry run shows three examples.",
  },
  {
    label: "phpList",
    exported: "Export the subscribers of a list with all columns (Subscribers, Export subscribers).",
    files: subscribers("subscribers.csv"),
    states:
      "Blacklisted is blocked, a disabled account is unsubscribed. People who have not confirmed are rejected.",
  },
  {
    label: "Mailtrain",
    exported: "Export the subscribers of the list, whatever their state.",
    files: subscribers("subscribers.csv"),
    states: "Its own words for unsubscribed, bounced and complained mean the same here.",
  },
  {
    label: "Sendy",
    exported: "Export all subscribers of the list.",
    files: subscribers("subscribers.csv"),
    states: "Its own words mean the same here. Names are split at the last space.",
  },
  {
    label: "Keila",
    exported: "Export the contacts of the project (Contacts, Export).",
    files: subscribers("contacts.csv"),
    states: "`unreachable` is bounced; its other words mean the same here.",
  },
  {
    label: "Brevo",
    exported: "Export the contacts with all attributes (Contacts, select all, Export).",
    files: subscribers("contacts.csv"),
    states:
      "People on the block list for e-mail are blocked; that for SMS is ignored. No `OPT_IN` is unsubscribed, no `DOUBLE_OPT-IN` is rejected as not confirmed.",
  },
  {
    label: "MailerLite",
    exported:
      "Export the subscribers of each state to a file of their own (Subscribers, filter by status, Export).",
    files: [
      suppressions("unsubscribed.csv", "unsubscribed"),
      suppressions("bounced.csv", "bounced"),
      suppressions("junk.csv", "complained"),
      ...subscribers("active.csv"),
    ],
    states:
      "With a column `Status`, its words are read: `junk` is a complaint, `unconfirmed` is rejected. Without it, everybody in the file of subscribers is active.",
  },
  {
    label: "Klaviyo",
    exported: "Export a list or a segment with all properties (Lists & segments, Export to CSV).",
    files: subscribers("list.csv"),
    states:
      "Suppressed people are blocked. An empty consent, and `NEVER_SUBSCRIBED`, is rejected as not confirmed.",
  },
  {
    label: "HubSpot",
    exported:
      "Export the contacts with all properties as CSV (Contacts, Export). Leave out people who are not marketing contacts if they should get no mail.",
    files: subscribers("contacts.csv"),
    states: "Opted out of any e-mail is unsubscribed, a hard bounce is bounced.",
  },
  {
    label: "the old SOAP service",
    exported:
      "`mailroll pull soap` takes lists, fields and campaigns. Save a table of members for each list, and one of everybody who must not be mailed: its opt-outs, bounces, complaints and blocks.",
    files: [suppressions("suppressions.csv", null), ...subscribers("customers.csv")],
    states:
      "`UnsubscribedDate` is unsubscribed; `0001-01-01` is no date. The headings are those of its interface, such as `EMail`, `SubscribedDate` and `CountryID`, and the ids or names of fields.",
  },
  {
    label: "a spreadsheet",
    exported:
      "Take the Excel workbook (.xlsx) as it is; the first visible sheet with rows is read. Save other formats as .xlsx or CSV.",
    files: subscribers("people.xlsx"),
    states:
      "A column `state`, or dates such as `unsubscribed_at`, says who must not be mailed. No in a column such as `Newsletter` is unsubscribed. Without such columns, everybody is active.",
  },
];
