/** Which messages can be written as they are. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { isReadyToSend } from "#delivery/smtp/message-writer.ts";

test("sends a message as it is only if no dot and no line end must be added", () => {
  for (const text of ["a\r\n", "\r\n", "a.\r\n\r\nb\r\n", "a. .b\r\n"])
    assert.ok(isReadyToSend(Buffer.from(text)), JSON.stringify(text));
  for (const text of [
    "",
    "a",
    ".",
    ".\r\n",
    "a\r\n.b\r\n",
    "a\r\n.\r\n",
    "a\n",
    "a\nb\r\n",
    "a\rb\r\n",
    "\r",
    "a\r\n\r",
  ])
    assert.ok(!isReadyToSend(Buffer.from(text)), JSON.stringify(text));
});
