import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sessionSuite } from "./import-session-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-session-"));
after(() => rmSync(folder, { recursive: true }));

sessionSuite("SQLite", () =>
  SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 }),
);
