/** The samples of the help pages, taken off the page as a person would and given to curl. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { campaigns, fields, lists, lost, type OperationName, type Result } from "./scenario.ts";

/** What the samples of all operations answer, one after the other on the scenario's database. */
export const sampleResults: Readonly<Record<OperationName, Result>> = {
  "Subscriber.Add": "0",
  "Subscriber.AddwithBasicandCustoms": "0",
  "Subscriber.Remove": "0",
  "Subscriber.Unsubscribe": "0",
  "Field.Add": "0",
  "Field.GetFields": [...fields.main, { FieldId: "3", Name: "City", IsPrivate: "false", DataType: "STRING" }],
  "Client.GetSubscribersLists": lists.main,
  "Client.GetCampaignsList": [campaigns.main[2], campaigns.main[0], campaigns.main[1]],
  "Client.GetLastSentCampaign": campaigns.main[0],
  "Client.TestApiConnection": "true",
  "Campaign.GetSubscribersLists": lists.main,
  "Campaign.GetUnsubscribesList": lost.unsubscribed,
  "Campaign.GetHardBouncesList": lost.bounced,
  "Subscriber.AddwithName": "0",
  "Subscriber.AddwithNameandCustoms": "0",
};

const curl = async (program: string, words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(program, words, { maxBuffer: 64 * 1024 ** 2 })).stdout;

/** Runs the page's curl command in a shell. */
export const pasteCommand = (page: string): Promise<string> =>
  curl("sh", ["-c", block(page, "curl command")]);

/** Sends the page's request with the page's headers, Host and Content-Length included. */
export function pasteRequest(page: string, endpoint: string, version: "1.1" | "1.2"): Promise<string> {
  const [, ...headers] = block(page, `HTTP headers, SOAP ${version}`).split("\n");
  const words = headers.flatMap((header) => ["--header", header]);
  return curl("curl", [endpoint, ...words, "--data-binary", block(page, `Request, SOAP ${version}`)]);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

function block(page: string, label: string): string {
  const [, inner] = new RegExp(`aria-label="${label}"[^>]*><code>([\\s\\S]*?)</code>`).exec(page) ?? [];
  assert.ok(inner !== undefined, `the page has no "${label}"`);
  return inner
    .replace(/<[^>]*>/g, "")
    .replace(/&([#\w]+);/g, (_, name: string) => entities[name] ?? assert.fail(name));
}
