/** A bare Debian in a folder, in which commands run as users that are not root; needs to be root. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const run = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const MOUNTED = ["proc", "dev"];

export class BareDebian {
  readonly folder: string;
  #isMounted = false;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** The packages that every Debian has, from the mirror of this machine. */
  static make(): BareDebian {
    const folder = join(mkdtempSync(join(tmpdir(), "mailroll-debian-")), "root");
    const [mirror = ""] = run(
      ...["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Codename: bookworm"],
    ).split("\n");
    run("debootstrap", "--variant=minbase", "bookworm", folder, mirror);
    return new BareDebian(folder);
  }

  /** The same with Node and npm, as somebody would have installed them by hand. */
  withNode(): BareDebian {
    const copy = new BareDebian(join(mkdtempSync(join(tmpdir(), "mailroll-debian-")), "root"));
    run("cp", "--archive", this.folder, copy.folder);
    cpSync(process.execPath, join(copy.folder, "usr/local/bin/node"));
    const npm = join(run("npm", "root", "--global").trim(), "npm");
    cpSync(realpathSync(npm), join(copy.folder, "usr/local/lib/node_modules/npm"), { recursive: true });
    for (const name of ["npm", "npx"])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(copy.folder, "usr/local/bin", name));
    return copy;
  }

  /** For programs that look into /proc, as npm and the scripts of packages do. */
  mount(): void {
    for (const name of MOUNTED) run("mount", "--bind", `/${name}`, join(this.folder, name));
    this.#isMounted = true;
  }

  path(path: string): string {
    return join(this.folder, path);
  }

  /** As root. */
  run(...words: readonly string[]): string {
    return run("chroot", this.folder, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin", ...words);
  }

  /** Without a HOME; `script` is for a shell. */
  start(user: string, script: string, environment: readonly string[] = []): ChildProcess {
    const words = ["PATH=/usr/local/bin:/usr/bin:/bin", ...environment, "/bin/sh", "-ec", script];
    return spawn("chroot", [`--userspec=${user}:${user}`, this.folder, "/usr/bin/env", "-i", ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that it can be ended with what it starts.
      detached: true,
    });
  }

  makeFolder(path: string, user: string): void {
    mkdirSync(this.path(path), { recursive: true });
    this.run("chown", `${user}:${user}`, path);
  }

  remove(): void {
    if (this.#isMounted) for (const name of MOUNTED) run("umount", this.path(name));
    rmSync(dirname(this.folder), { recursive: true });
  }
}
