/**
 * Compares text with a file under golden/, byte for byte. UPDATE_GOLDEN=1 writes the file instead, so that a
 * change is seen in review. A missing file is a failure: a test that writes its own expectation proves
 * nothing.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

export function assertGolden(name: string, actual: string): void {
  const file = new URL(`./golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN === "1") return writeFileSync(file, actual);
  assert.ok(existsSync(file), `golden/${name} is missing; UPDATE_GOLDEN=1 writes it`);
  assert.equal(actual, readFileSync(file, "utf8"));
}
