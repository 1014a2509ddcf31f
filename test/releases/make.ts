/**
 * `node test/releases/make.ts FILE`: writes what an installation of this version leaves behind: a backup with
 * rows in every table, and a campaign in the middle of being sent. It is kept for each released version, and
 * every later one must be able to go on with it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { backupDatabase } from "#app/database.ts";
import { changeFile } from "../cli/contents.ts";
import { fillInstallation } from "../filled-installation.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: node test/releases/make.ts FILE");
const folder = mkdtempSync(join(tmpdir(), "mailroll-release-"));
try {
  const [database, backup] = [join(folder, "mailroll.db"), join(folder, "backup.db")];
  await fillInstallation(database);
  // The relay of the installation sends it, as fast as it can.
  changeFile(
    database,
    `UPDATE sender SET relays = '[]', signing = 'relay', per_domain_minute = NULL;
     UPDATE campaign_content SET html = '<p>Hi <a href="{{ unsubscribe_url }}">No more</a> {{ postal_address }}';
     UPDATE mailing SET state = 'sending', ended_at = NULL, allows_http = 1`,
  );
  const options = { mayReplace: false, onProgress: () => {}, signal: new AbortController().signal };
  await backupDatabase({ kind: "sqlite", file: database }, backup, options);
  writeFileSync(file, gzipSync(readFileSync(backup), { level: 9 }));
} finally {
  rmSync(folder, { recursive: true });
}
