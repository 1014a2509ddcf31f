/** Who is measured, how each is started, and what has to be installed for it. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Bench } from "./bench.ts";
import type { Dataset } from "./data/dataset.ts";
import { startBare } from "./servers/bare.ts";
import { startGsoap } from "./servers/gsoap.ts";
import { membersIn, startMailroll } from "./servers/mailroll.ts";
import { startNodeSoap } from "./servers/node-soap.ts";
import { phpFpm, startPhp } from "./servers/php.ts";
import type { Server } from "./servers/server.ts";

export interface Setting {
  readonly data: Dataset;
  readonly env: Readonly<Record<string, string>>;
}

interface Subject {
  readonly label: string;
  /** Programs without which it is left out. */
  readonly needs?: readonly string[];
  start(bench: Bench, label: string, setting: Setting): Promise<Server>;
}

const subject = (declared: Subject): Subject => declared;

export const subjects = {
  mailroll: subject({
    label: "Mailroll",
    start: (bench, name, { data, env }) => {
      const file = bench.databases.mailroll(data);
      return startMailroll(bench.place, {
        name,
        database: `sqlite:${file}`,
        members: () => membersIn(file),
        env,
      });
    },
  }),
  gsoap: subject({
    label: "gSOAP",
    needs: ["soapcpp2", "g++"],
    start: (bench, name, { data, env }) => startGsoap(bench.place, name, bench.databases.peer(data), env),
  }),
  nodeSoap: subject({
    label: "node-soap",
    start: (bench, name, { data, env }) =>
      startNodeSoap(bench.place, name, bench.databases.peer(data), bench.databases.description.wsdlFile, env),
  }),
  php: subject({
    label: "PHP SoapServer",
    needs: ["nginx", phpFpm() ?? "php-fpm"],
    start: (bench, name, { data }) =>
      startPhp(bench.place, name, bench.databases.peer(data), bench.databases.description.wsdlFile),
  }),
  bare: subject({
    label: "bare node:http",
    start: async (bench, name) => startBare(bench.place, name, bench.databases.description.probeAnswer),
  }),
} as const;
export type SubjectId = keyof typeof subjects;

const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
export const isInstalled = (program: string): boolean =>
  folders.some((folder) => existsSync(join(folder, program)));
