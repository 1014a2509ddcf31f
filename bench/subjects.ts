/** The measured servers, how each is started, and which programs it needs. */
import type { Bench } from "./bench.ts";
import { type Dataset, withMembers } from "./data/dataset.ts";
import { membersIn } from "./data/sqlite.ts";
import type { Package } from "./installed.ts";
import { startBare } from "./servers/bare.ts";
import { startGsoap } from "./servers/gsoap.ts";
import { startMailroll } from "./servers/mailroll.ts";
import { startNodeSoap } from "./servers/node-soap.ts";
import { startPhp } from "./servers/php.ts";
import type { Server } from "./servers/server.ts";

export interface Setting {
  readonly data: Dataset;
  readonly env: Readonly<Record<string, string>>;
}

interface Subject {
  readonly label: string;
  /** Without these it is left out. */
  readonly needs: readonly Package[];
  readonly start: (bench: Bench, name: string, setting: Setting) => Promise<Server>;
}

function onSqlite(bench: Bench, name: string, { data, env }: Setting): Promise<Server> {
  const file = bench.databases.mailroll(data);
  const database = `sqlite:${file}`;
  return startMailroll(bench.folder, { name, database, members: () => membersIn(file), env });
}

const onPostgres =
  (workers: number): Subject["start"] =>
  async (bench, name, { data, env }) => {
    const { url, pid, members } = await bench.postgres.database(data);
    return startMailroll(bench.folder, { name, database: url, databasePid: pid, members, workers, env });
  };

/** One that is no server: it is measured by running it. */
const neverStarted: Subject["start"] = (_, name) => Promise.reject(new Error(`${name} is no server`));

export const sizes = [10, 10_000, 100_000, 1_000_000, 5_000_000] as const;
export type Size = (typeof sizes)[number];

const base = {
  mailroll: { label: "Mailroll", needs: [], start: onSqlite },
  mailrollPg: { label: "Mailroll on PostgreSQL", needs: [], start: onPostgres(1) },
  mailrollPg2: { label: "Mailroll on PostgreSQL, 2 workers", needs: [], start: onPostgres(2) },
  gsoap: {
    label: "gSOAP",
    needs: ["gsoap", "libgsoap-dev", "libsqlite3-dev", "g++"],
    start: (bench, name, { data, env }) => startGsoap(bench.folder, name, bench.databases.peer(data), env),
  },
  nodeSoap: {
    label: "node-soap",
    needs: [],
    start: ({ folder, databases }, name, { data, env }) =>
      startNodeSoap(folder, name, databases.peer(data), databases.description.wsdlFile, env),
  },
  php: {
    label: "PHP SoapServer",
    needs: ["nginx-light", "php-fpm", "php-soap", "php-sqlite3"],
    start: ({ folder, databases }, name, { data }) =>
      startPhp(folder, name, databases.peer(data), databases.description.wsdlFile),
  },
  bare: {
    label: "bare node:http",
    needs: [],
    start: ({ folder, databases }, name) => startBare(folder, name, databases.description.probe),
  },
  bareWsdl: {
    label: "bare node:http, the same bytes",
    needs: [],
    start: ({ folder, databases }, name) => startBare(folder, name, databases.description.wsdl),
  },
  sqliteAdds: { label: "bare SQLite, groups of 64", needs: [], start: neverStarted },
  postgresAdds: { label: "bare PostgreSQL, groups of 64", needs: [], start: neverStarted },
} as const satisfies Readonly<Record<string, Subject>>;

type GrownId = `members${Size}` | `pgMembers${Size}`;
export type SubjectId = keyof typeof base | GrownId;

const grown = (where: string, size: Size, start: Subject["start"]): Subject => ({
  label: `Mailroll${where}, ${size.toLocaleString("en-US")} members`,
  needs: [],
  start: (bench, name, { env }) => start(bench, name, { env, data: withMembers(size) }),
});

export const subjects: Readonly<Record<SubjectId, Subject>> = {
  ...base,
  ...(Object.fromEntries(
    sizes.flatMap((size) => [
      [`members${size}`, grown("", size, onSqlite)],
      [`pgMembers${size}`, grown(" on PostgreSQL", size, onPostgres(1))],
    ]),
  ) as Record<GrownId, Subject>),
};
