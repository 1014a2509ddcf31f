/** Reads a reply that must be JSON with a status. */
import assert from "node:assert/strict";

export async function readReply<Reply>(response: Response, status = 200): Promise<Reply> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  return JSON.parse(text) as Reply;
}

export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly previous: string | null;
}
