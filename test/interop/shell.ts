/** Commands of a page, run as a reader would. */
import { spawn } from "node:child_process";
import { dirname } from "node:path";

/** What the commands print on standard output; where that is nothing, what they say on standard error. */
export function shell(commands: readonly string[], cwd: string): Promise<string> {
  const child = spawn("sh", ["-e", "-c", commands.join("\n")], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      // Debian's Python has Debian's modules; the Node is that of the tests.
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: cwd,
      TMPDIR: cwd,
      LC_ALL: "C.UTF-8",
      // Far from UTC, so that a birthday that is taken for a local time shows.
      TZ: "America/Argentina/Buenos_Aires",
      PHP_INI_SCAN_DIR: `:${cwd}`,
    },
  });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(output === "" ? errors.slice(-4000) : output));
  });
}
