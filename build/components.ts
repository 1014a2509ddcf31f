/** The packages that are part of the program: their licences, and a bill of materials (CycloneDX). */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { root } from "./bundle.ts";

export interface Component {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** The text of its licence; null if the package has none in a file. */
  readonly text: string | null;
  /** The hash of the package in the registry, in hexadecimal. */
  readonly sha512: string;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

/** `files`: of which the program was made, below the root. */
export function componentsOf(files: readonly string[]): readonly Component[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].toSorted().map((folder) => {
    const own = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const { integrity } = packages[folder] ?? {};
    if (own.license === undefined || integrity === undefined)
      throw new Error(`${folder} has no licence, or is not in the lockfile`);
    const [file] = globSync("{license,licence,copying}*", { cwd: join(root, folder) }).concat(
      globSync("{LICENSE,LICENCE,COPYING}*", { cwd: join(root, folder) }),
    );
    return {
      name: own.name,
      version: own.version,
      license: own.license,
      text: file === undefined ? null : readFileSync(join(root, folder, file), "utf8").trim(),
      sha512: Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex"),
    };
  });
}

export const licenses = (components: readonly Component[]): string =>
  [
    "Mailroll contains the following packages, under these licences.",
    ...components.map(
      ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text ?? ""}`,
    ),
  ].join(`\n\n${"-".repeat(80)}\n\n`);

export function billOfMaterials(components: readonly Component[]): string {
  const packageUrl = ({ name, version }: Pick<Component, "name" | "version">): string =>
    `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return JSON.stringify(
    {
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: {
        component: {
          type: "application",
          name: manifest.name,
          version: manifest.version,
          "bom-ref": packageUrl(manifest),
          licenses: [{ license: { id: manifest.license } }],
        },
      },
      components: components.map((component) => ({
        type: "library",
        "bom-ref": packageUrl(component),
        name: component.name,
        version: component.version,
        purl: packageUrl(component),
        licenses: [{ expression: component.license }],
        hashes: [{ alg: "SHA-512", content: component.sha512 }],
      })),
      dependencies: [{ ref: packageUrl(manifest), dependsOn: components.map(packageUrl) }],
    },
    null,
    2,
  );
}
