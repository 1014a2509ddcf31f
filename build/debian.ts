/**
 * `npm run build:debian`: a Debian package of `dist/package/` with the Node that the lockfile pins, for this
 * machine's processor; needs dpkg-deb.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import manifest from "../package.json" with { type: "json" };
import { root } from "./bundle.ts";

/** What Debian calls the processors for which there is a Node. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

const [dist = join(root, "dist"), version = manifest.version] = process.argv.slice(2);
const folder = resolve(dist);
const built = join(folder, "package");
const architecture = architectures[process.arch];
const node = join(root, "node_modules", `node-linux-${process.arch}`, "bin/node");
if (architecture === undefined || !existsSync(node))
  throw new Error(
    `there is no Node to pack for ${process.platform} on ${process.arch}; run 'npm ci' on Linux`,
  );
if (!existsSync(built)) throw new Error(`${built} is missing; run 'npm run build' first`);

const tree = join(folder, "debian");
rmSync(tree, { recursive: true, force: true });
const at = (path: string): string => {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  return join(tree, path);
};
const put = (path: string, content: string | Buffer, mode = 0o644): void => {
  writeFileSync(at(path), content);
  chmodSync(join(tree, path), mode);
};
const copy = (from: string, path: string, mode = 0o644): void => {
  cpSync(join(root, from), at(path));
  chmodSync(join(tree, path), mode);
};

const doc = "usr/share/doc/mailroll";
cpSync(join(built, "lib"), at("usr/lib/mailroll/lib"), { recursive: true });
cpSync(join(built, "package.json"), at("usr/lib/mailroll/package.json"));
cpSync(join(built, "bin/mailroll.cjs"), at("usr/lib/mailroll/bin/mailroll.cjs"));
cpSync(node, at("usr/lib/mailroll/bin/node"));
copy("build/debian/program", "usr/lib/mailroll/bin/mailroll", 0o755);
copy("deploy/mailroll", "usr/bin/mailroll", 0o755);
copy("deploy/mailroll.service", "usr/lib/systemd/system/mailroll.service");
copy("build/debian/environment", "etc/mailroll/environment", 0o600);
put("usr/share/man/man1/mailroll.1.gz", gzipSync(readFileSync(join(built, "mailroll.1")), { level: 9 }));
const completions = {
  bash: "usr/share/bash-completion/completions/mailroll",
  zsh: "usr/share/zsh/vendor-completions/_mailroll",
  fish: "usr/share/fish/vendor_completions.d/mailroll.fish",
};
for (const [shell, path] of Object.entries(completions))
  cpSync(join(built, `completions/mailroll.${shell}`), at(path));
cpSync(join(built, "sbom.json"), at(`${doc}/sbom.json`));
put(
  `${doc}/copyright`,
  ["LICENSE", "THIRD-PARTY-LICENSES"].map((file) => readFileSync(join(built, file), "utf8")).join("\n\n"),
);

for (const script of ["postinst", "prerm", "postrm"])
  copy(`build/debian/${script}`, `DEBIAN/${script}`, 0o755);
put("DEBIAN/conffiles", "/etc/mailroll/environment\n");
const kilobytes = globSync("{etc,usr}/**", { cwd: tree, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length / 1024, 0);
put(
  "DEBIAN/control",
  `Package: mailroll
Version: ${version}
Architecture: ${architecture}
Maintainer: The Mailroll developers <developers@mailroll.invalid>
Installed-Size: ${Math.ceil(kilobytes)}
Depends: libc6 (>= 2.28), libstdc++6, passwd
Section: mail
Priority: optional
Description: subscriber lists and campaigns, with a SOAP interface
 A self-hosted server that shops, forms and CRMs call over SOAP 1.1 or 1.2 to
 add and remove subscribers, and that sends campaigns. It has a console, a JSON
 API and a command line, and brings its own Node.
`,
);
execFileSync("dpkg-deb", ["--root-owner-group", "-Zgzip", "--build", tree, folder], {
  stdio: ["ignore", "ignore", "inherit"],
});
rmSync(tree, { recursive: true });
console.log(`mailroll_${version}_${architecture}.deb`);
