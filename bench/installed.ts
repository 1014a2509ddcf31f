/** Which Debian packages are installed, by their names. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian keeps servers where only root looks. */
const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
const hasProgram = (name: string): boolean => folders.some((folder) => existsSync(join(folder, name)));

/** Debian puts the version into the program's name. */
export function phpFpm(): string | null {
  const folder = "/usr/sbin";
  const name = existsSync(folder)
    ? readdirSync(folder).find((one) => /^php-fpm[\d.]*$/.test(one))
    : undefined;
  return name === undefined ? null : join(folder, name);
}
function hasPhpModule(name: string): boolean {
  const program = phpFpm();
  return program !== null && execFileSync(program, ["-m"], { encoding: "utf8" }).split("\n").includes(name);
}

const checks = {
  wrk: () => hasProgram("wrk"),
  curl: () => hasProgram("curl"),
  gcc: () => hasProgram("gcc"),
  "g++": () => hasProgram("g++"),
  gsoap: () => hasProgram("soapcpp2"),
  "libgsoap-dev": () => existsSync("/usr/include/stdsoap2.h"),
  "libsqlite3-dev": () => existsSync("/usr/include/sqlite3.h"),
  "nginx-light": () => hasProgram("nginx"),
  "php-fpm": () => phpFpm() !== null,
  "php-soap": () => hasPhpModule("soap"),
  "php-sqlite3": () => hasPhpModule("pdo_sqlite"),
} as const;
export type Package = keyof typeof checks;

export const missing = (packages: readonly Package[]): readonly Package[] =>
  packages.filter((name) => !checks[name]());
