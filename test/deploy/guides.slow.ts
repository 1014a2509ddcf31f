/**
 * Backing up and putting back by the very commands of the guides, from an installation as they describe it:
 * the data is the service's, the settings are in its file, and whoever types is somewhere else. There is no
 * systemd here and no Docker; in their place are scripts that do what the guides' options of them mean, and
 * refuse all others.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";
import { newPair } from "../certificate-files.ts";
import { installProductionTree, type ProductionTree, root } from "./production-tree.ts";

const isRoot = process.getuid?.() === 0;
/** Whom the service runs as: somebody else, where we may become somebody else. */
const user = isRoot ? "nobody" : userInfo().username;
const output = (program: string, ...words: string[]): string =>
  spawnSync(program, words, { encoding: "utf8" }).stdout.trim();
const [uid, group] = [output("id", "-u", user), output("id", "-gn", user)];
const become = isRoot ? `setpriv --reuid=${user} --regid=${group} --clear-groups` : "";

let tree: ProductionTree;
let folder: string;
before(async () => {
  tree = await installProductionTree();
  folder = mkdtempSync(join(tmpdir(), "mailroll-guides-"));
  chmodSync(folder, 0o755);
});
after(() => {
  tree.remove();
  rmSync(folder, { recursive: true });
});

/** The commands below a heading, block by block. */
function commandsOf(guide: string, heading: string): readonly string[] {
  const page = readFileSync(join(root, "docs/guide", guide), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [own = ""] = section.split("\n## ");
  const blocks = [...own.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, language]) => language !== "ini")
    .map(([, , block = ""]) => block);
  assert.ok(blocks.length > 0, `${guide} has no commands under ${heading}`);
  return blocks;
}

function place(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
const own = (path: string): void => {
  mkdirSync(path, { recursive: true });
  const words = ["--directory", `--owner=${user}`, `--group=${group}`, "--mode=0700", path];
  assert.equal(spawnSync("install", words).status, 0);
};

/** With the day of the backup that was just made. */
const ofThatDay = (commands: string, { stdout }: { readonly stdout: string }): string =>
  commands.replaceAll("2026-11-15", /\d{4}-\d\d-\d\d(?=\.db\n)/.exec(stdout)?.[0] ?? "no backup");

/** As cron hands a line to a shell: `\%` is `%`. */
const asCron = (line: string): string => line.replace(/^(?:\S+ +){5}/, "").replaceAll("\\%", "%");

describe("under systemd", () => {
  let here: string;
  /** Paths and user of the guide as they are in this installation. */
  const at = (text: string): string =>
    text
      .replaceAll("/usr/lib/mailroll", tree.app)
      .replaceAll(
        /\/(?=(?:var\/lib|var\/cache|var\/backups|etc|usr\/bin)\/mailroll\b|etc\/letsencrypt\b)/g,
        `${here}/`,
      )
      .replaceAll(/--owner=mailroll( --group=mailroll)?/g, `--owner=${user} --group=${group}`)
      .replaceAll(/--uid=mailroll --gid=mailroll/g, `--uid=${user} --gid=${group}`);
  const environment = () => ({ PATH: `${here}/usr/bin:${here}/bin:${process.env.PATH}` });
  const shell = (text: string) =>
    spawnSync("/bin/sh", ["-ec", text], {
      cwd: tree.app,
      encoding: "utf8",
      env: environment(),
    });

  before(() => {
    here = join(folder, "systemd");
    for (const path of ["var/lib/mailroll", "var/cache/mailroll"]) own(join(here, path));
    mkdirSync(join(here, "var/backups"));
    place(join(here, "usr/bin/mailroll"), at(readFileSync(join(root, "deploy/mailroll"), "utf8")), 0o755);
    place(join(here, "bin/systemctl"), `#!/bin/sh\necho "$1" >>${here}/asked\n`, 0o755);
    place(
      join(here, "bin/systemd-run"),
      `#!/bin/sh
environment="PATH=${tree.bin}:/usr/bin:/bin"
for word do
  case $word in
    --quiet | --pipe | --wait | --collect | --uid=${user} | --gid=${group} | --property=UMask=0077) ;;
    --working-directory=*) cd "\${word#*=}" || exit 200 ;;
    --setenv=*) environment="$environment \${word#*=}" ;;
    --property=EnvironmentFile=-*) [ ! -f "\${word#*=-}" ] || environment="$environment $(cat "\${word#*=-}")" ;;
    -*) echo "unknown option: $word" >&2; exit 1 ;;
    *) break ;;
  esac
  shift
done
# shellcheck disable=SC2086 # lists of words
exec ${become} env --ignore-environment $environment "$@"
`,
      0o755,
    );
  });

  for (const database of ["data/mailroll.db", "elsewhere/people.db"])
    test(`the service's ${database} is backed up, restored for the service's user, and found sound`, () => {
      const file = join(here, "var/lib/mailroll", database);
      const isDefault = database === "data/mailroll.db";
      rmSync(join(here, "var/backups/mailroll"), { recursive: true, force: true });
      place(
        join(here, "etc/mailroll/environment"),
        isDefault ? "" : `MAILROLL_DATABASE=sqlite:${file}\n`,
        0o600,
      );
      const made = shell("mailroll account create Acme && mailroll key create --label '$5 and $HOME'");
      assert.equal(made.status, 0, made.stderr);

      const [byHand = "", scheduled = "", back = ""] = commandsOf("systemd.md", "Backups").map(at);
      const kept = shell(byHand);
      assert.equal(kept.status, 0, kept.stderr);
      assert.ok(kept.stdout.includes(` rows of ${file} in `), kept.stdout);
      rmSync(/verified: (\S+)/.exec(kept.stdout)?.[1] ?? "");
      const nightly = shell(asCron(scheduled));
      assert.equal(nightly.status, 0, nightly.stderr);
      assert.ok(nightly.stdout.includes(` rows of ${file} in `), nightly.stdout);

      if (!isDefault) renameSync(dirname(file), `${dirname(file)}-before`);
      const restored = shell(ofThatDay(isDefault ? back : back.replace(/^mv .*$/m, ""), nightly));
      assert.equal(restored.status, 0, restored.stderr + restored.stdout);
      assert.ok(restored.stdout.includes(` rows to ${file} in `), restored.stdout);
      assert.match(restored.stdout, /^ok +accounts +account 1 \(Acme\), valid keys: 1$/m);
      assert.equal(String(statSync(file).uid), uid);
      assert.equal(readFileSync(join(here, "asked"), "utf8").slice(-"stop\nstart\n".length), "stop\nstart\n");
    });

  test("a certificate that certbot renews reaches the service, which cannot read certbot's files", async (t) => {
    const [letsencrypt, lineage] = [at("/etc/letsencrypt"), at("/etc/letsencrypt/live/mail.example.org")];
    mkdirSync(join(letsencrypt, "renewal-hooks/deploy"), { recursive: true });
    mkdirSync(lineage, { recursive: true });
    chmodSync(dirname(lineage), 0o700);
    const renew = (name: string): void => {
      const { cert, key } = newPair(lineage, name);
      renameSync(cert, join(lineage, "fullchain.pem"));
      renameSync(key, join(lineage, "privkey.pem"));
    };
    renew("first.example.org");
    const [hook = "", settings = ""] = commandsOf("systemd.md", "HTTPS without a proxy").map(at);
    assert.equal(shell(hook).stderr, "");
    const harmless = settings.replace("=443", "=0").replace("=0.0.0.0", "=127.0.0.1");
    place(join(here, "etc/mailroll/environment"), harmless, 0o600);

    const child = spawn("mailroll", ["serve"], { cwd: tree.app, env: environment() });
    const exited = once(child, "exit");
    t.after(async () => {
      child.kill();
      await exited;
    });
    const [, port = ""] = await new Promise<readonly string[]>((done, fail) => {
      let said = "";
      child.stdout.on("data", (piece) => {
        said += piece;
        const found = /Listening on \S+, port (\d+)/.exec(said);
        if (found !== null) done(found);
      });
      void exited.then(([code]) => fail(new Error(`ended with ${code}: ${said}`)));
    });
    const served = async (): Promise<string | undefined> => {
      const socket = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false });
      await once(socket, "secureConnect");
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return String(subject.CN);
    };
    assert.equal(await served(), "first.example.org");
    renew("second.example.org");
    const [again = ""] = hook.split("\n").filter((line) => line.startsWith("RENEWED_LINEAGE="));
    assert.equal(shell(again).stderr, "");
    while ((await served()) !== "second.example.org") await new Promise((done) => setTimeout(done, 100));
  });

  test("the command line runs with the unit's user, folder and settings, and passes arguments unchanged", () => {
    const unit = readFileSync(join(root, "deploy/mailroll.service"), "utf8");
    const command = readFileSync(join(root, "deploy/mailroll"), "utf8");
    for (const [line, option] of [
      [/^User=(.*)$/m, "--uid="],
      [/^Group=(.*)$/m, "--gid="],
      [/^WorkingDirectory=(.*)$/m, "--working-directory="],
      [/^EnvironmentFile=(.*)$/m, "--property=EnvironmentFile="],
      [/^Environment=(NODE_ENV.*)$/m, "--setenv="],
      [/^Environment=(NODE_COMPILE_CACHE.*)$/m, "--setenv="],
      [/^UMask=(.*)$/m, "--property=UMask="],
    ] as const)
      assert.ok(command.includes(`${option}${line.exec(unit)?.[1]} `), option);
    // The stand-in hands words on as they are, systemd puts `$` for `$$`.
    assert.match(shell("mailroll key list").stdout, /\$\$5 and \$\$HOME/);
  });
});

describe("in a container", () => {
  test("the container's data is backed up, restored into a new volume, and found sound", () => {
    const here = join(folder, "docker");
    const volumes = join(here, "volumes");
    own(join(volumes, "mailroll-data"));
    mkdirSync(join(here, "backups"));
    place(
      join(here, "bin/docker"),
      `#!/bin/sh
# The one container there is has the volume mailroll-data; a path in a container is one of the folders that it has mounted.
asked=$1; shift
data=${volumes}/mailroll-data
case $asked in
  exec) [ "$1 $2" = "mailroll mailroll" ] || exit 1; shift 2 ;;
  stop | rm) exit 0 ;;
  run)
    while [ "$1" != mailroll ]; do
      case $1 in
        --rm) ;;
        --volume) shift
          case $1 in
            /*:/backups) [ "\${1%:*}" = "${here}/backups/mailroll" ] || exit 1 ;;
            *:/data) data=${volumes}/\${1%:*}; install --directory --owner=${user} --group=${group} "$data" ;;
            *) exit 1 ;;
          esac ;;
        *) echo "unknown option: $1" >&2; exit 1 ;;
      esac
      shift
    done
    shift ;;
  *) exit 1 ;;
esac
cd "$data" || exit 1
for word do
  case $word in /backups/*) word=${here}/backups/mailroll/\${word#/backups/} ;; esac
  set -- "$@" "$word"; shift
done
exec ${become} env --ignore-environment PATH=${tree.bin}:/usr/bin:/bin \\
  MAILROLL_DATABASE=sqlite:"$data"/mailroll.db ${tree.app}/bin/mailroll "$@"
`,
      0o755,
    );
    const shell = (text: string) =>
      spawnSync("/bin/sh", ["-ec", text], {
        encoding: "utf8",
        env: { PATH: `${here}/bin:${process.env.PATH}` },
      });
    const at = (text: string): string =>
      text
        .replaceAll("/var/backups/mailroll", join(here, "backups/mailroll"))
        .replaceAll("--owner=1000 --group=1000", `--owner=${user} --group=${group}`);

    const made = shell(
      "docker exec mailroll mailroll account create Acme && docker exec mailroll mailroll key create",
    );
    assert.equal(made.status, 0, made.stderr);
    const [keep = "", back = ""] = commandsOf("docker.md", "Backups").map(at);
    const kept = shell(keep);
    assert.equal(kept.status, 0, kept.stderr);
    assert.ok(kept.stdout.includes(` rows of ${volumes}/mailroll-data/mailroll.db in `), kept.stdout);
    const restored = shell(ofThatDay(back, kept));
    assert.equal(restored.status, 0, restored.stderr + restored.stdout);
    assert.ok(
      restored.stdout.includes(` rows to ${volumes}/mailroll-restored/mailroll.db in `),
      restored.stdout,
    );
    assert.match(restored.stdout, /^ok +accounts +account 1 \(Acme\), valid keys: 1$/m);
  });
});

test("for a service that was started by hand, the data of its folder is backed up and restored", () => {
  const home = join(folder, "home");
  const app = join(home, "mailroll");
  place(join(app, "bin/mailroll"), `#!/bin/sh\nexec "${root}/bin/mailroll" "$@"\n`, 0o755);
  const shell = (text: string, cwd: string) =>
    spawnSync("/bin/sh", ["-ec", text], {
      cwd,
      encoding: "utf8",
      env: { PATH: `${tree.bin}:/usr/bin:/bin`, HOME: home },
    });
  assert.equal(shell("bin/mailroll account create Acme", app).status, 0);
  const commands = commandsOf("running.md", "Backups");
  const [byHand = "", scheduled = ""] = commands;
  const back = commands.find((block) => block.includes("mailroll restore ")) ?? "";
  const kept = shell(byHand, app);
  assert.equal(kept.status, 0, kept.stderr);
  rmSync(/verified: (\S+)/.exec(kept.stdout)?.[1] ?? "");
  const nightly = shell(asCron(scheduled), "/");
  assert.equal(nightly.status, 0, nightly.stderr);
  assert.ok(nightly.stdout.includes(` rows of ${app}/data/mailroll.db in `), nightly.stdout);
  const restored = shell(ofThatDay(back, nightly), app);
  assert.equal(restored.status, 0, restored.stderr + restored.stdout);
  assert.ok(restored.stdout.includes(` rows to ${app}/data/mailroll.db in `), restored.stdout);
});
