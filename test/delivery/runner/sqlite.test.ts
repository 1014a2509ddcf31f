/** The common suite on SQLite. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sendingSuite } from "./suite.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-sending-"));
after(() => rmSync(folder, { recursive: true }));

sendingSuite("SQLite", () => SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 }));
