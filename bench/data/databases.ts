/** A database for each server. Each kind is created once per dataset, and copied. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { KEY, messages } from "../messages.ts";
import type { RunFolder } from "../run-folder.ts";
import { type Answer, answerOf } from "../servers/answer.ts";
import { startMailroll } from "../servers/mailroll.ts";
import { ask } from "../servers/server.ts";
import { type Dataset, empty } from "./dataset.ts";
import { fillSqlite, membersIn } from "./sqlite.ts";

const peerSchema = readFileSync(resolve(import.meta.dirname, "../peers/schema.sql"), "utf8");

/** What Mailroll says of itself; some peers are built on it. */
export interface Description {
  readonly wsdl: Answer;
  readonly wsdlFile: string;
  /** Its answer to Client.TestApiConnection. */
  readonly probe: Answer;
}

export class Databases {
  readonly #folder: RunFolder;
  readonly #made = new Map<string, string>();
  #copies = 0;
  readonly description: Description;

  private constructor(folder: RunFolder, description: Description) {
    this.#folder = folder;
    this.description = description;
  }

  /** Mailroll makes its own empty database, by a first start. */
  static async prepare(folder: RunFolder): Promise<Databases> {
    const file = folder.file(`mailroll-${empty.name}.db`);
    const first = await startMailroll(folder, {
      name: "Mailroll",
      database: `sqlite:${file}`,
      members: () => membersIn(file),
    });
    const wsdl = await answerOf(
      await fetch(`${first.url}?wsdl`, { headers: { "Accept-Encoding": "identity" } }),
    );
    const probe = await answerOf(await ask(first.url, messages.probe));
    await first.stop();
    const wsdlFile = folder.write("mailroll.wsdl", wsdl.body);
    const databases = new Databases(folder, { wsdl, wsdlFile, probe });
    databases.#made.set(`mailroll-${empty.name}`, file);
    return databases;
  }

  mailroll(data: Dataset): string {
    return this.#copy(`mailroll-${data.name}`, (file) => {
      this.#folder.copy(this.#made.get(`mailroll-${empty.name}`) ?? "", file);
      fillSqlite(this.#folder.file(file), data);
    });
  }

  peer(data: Dataset): string {
    return this.#copy(`peer-${data.name}`, (file) => {
      const db = new DatabaseSync(this.#folder.file(file));
      db.exec(peerSchema);
      db.prepare("INSERT INTO api_key (key, account_id) VALUES (?, 1)").run(KEY);
      db.close();
      fillSqlite(this.#folder.file(file), data);
    });
  }

  #copy(kind: string, make: (name: string) => void): string {
    let original = this.#made.get(kind);
    if (original === undefined) {
      make(`${kind}.db`);
      original = this.#folder.file(`${kind}.db`);
      this.#made.set(kind, original);
    }
    this.#copies += 1;
    return this.#folder.copy(original, `${kind}-${this.#copies}.db`);
  }
}
