import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { uploadFolder } from "#store/sqlite/file-uploads.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { importsSuite } from "./imports-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-admin-imports-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "m.db");

importsSuite(
  "the SQLite store",
  () => SqliteStore.open(file, { days: 90, rows: 1000, bytes: 2 ** 28 }),
  (text) => {
    const top = uploadFolder(file);
    const files = existsSync(top) ? readdirSync(top, { recursive: true, encoding: "utf8" }) : [];
    const paths = files.map((one) => join(top, one)).filter((path) => statSync(path).isFile());
    return paths.some((path) => readFileSync(path, "utf8").includes(text));
  },
);
