/**
 * A folder in place of a relay, for trying out: every message becomes a file. A message that is repeated
 * replaces its file. Files are private, as they contain addresses and unsubscribe links.
 */
import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";
import { makeFolder } from "#files/make-folder.ts";
import { writeFailure } from "#files/write-failure.ts";
import { cleanText } from "./reply.ts";
import type { RelayTransport } from "./transport.ts";

async function write(folder: string, { name, bytes }: OutgoingMessage): Promise<void> {
  // Beside its final name, so that nobody reads half a message.
  const partial = join(folder, `.${name}.${randomBytes(6).toString("hex")}.partial`);
  try {
    await writeFile(partial, bytes, { mode: 0o600, flag: "wx" });
    await rename(partial, join(folder, `${name}.eml`));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

export function openOutbox(folder: string, connections: number): RelayTransport {
  let isThere = false;
  const send = async (message: OutgoingMessage): Promise<HandOver> => {
    try {
      if (!/^[\w-]+$/.test(message.name)) throw new Error(`${message.name} is not a name for a file`);
      if (!isThere) await makeFolder(folder);
      isThere = true;
      await write(folder, message);
      return { kind: "accepted", code: 250, status: null, text: `written to ${message.name}.eml` };
    } catch (error) {
      // The folder may have been removed.
      isThere = false;
      const text = cleanText(`no message can be written to ${folder}: ${writeFailure(error)}`);
      return { kind: "relay failed", stage: "mail", text };
    }
  };
  return { connections, send, close: () => Promise.resolve() };
}
