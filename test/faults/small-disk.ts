/** A real file system in a file, mounted as root, that can be filled up or turned read-only. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MIB = 1024 ** 2;
const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

export class SmallDisk {
  readonly #folder = mkdtempSync(join(tmpdir(), "mailroll-disk-"));
  readonly #image = join(this.#folder, "image");
  readonly path = join(this.#folder, "disk");
  readonly #ballast = join(this.path, "ballast");

  /** Throws if this user may not mount. */
  static make(mib = 32): SmallDisk {
    const disk = new SmallDisk();
    try {
      writeFileSync(disk.#image, "");
      truncateSync(disk.#image, mib * MIB);
      mkdirSync(disk.path);
      // PostgreSQL runs as another user.
      chmodSync(disk.#folder, 0o755);
      // No blocks are reserved for root, who would otherwise never see a full disk.
      run("mkfs.ext4", "-q", "-F", "-m", "0", disk.#image);
      disk.mount();
      return disk;
    } catch (error) {
      rmSync(disk.#folder, { recursive: true });
      throw error;
    }
  }

  mount(): void {
    run("mount", "-o", "loop,errors=remount-ro", this.#image, this.path);
  }

  fill(): void {
    const file = openSync(this.#ballast, "a");
    try {
      for (const size of [MIB, 4096]) while (append(file, size));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  /** What the kernel does when a disk fails. It stays read-only until `repair`. */
  turnReadOnly(): void {
    const device = run("findmnt", "--noheadings", "--output", "SOURCE", this.path).trim().split("/").at(-1);
    writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, "mailroll's test of a failing disk");
  }

  /** No process may have a file open. */
  repair(): void {
    run("umount", this.path);
    try {
      run("fsck.ext4", "-p", this.#image);
    } catch (error) {
      // Exit code 1: errors were found and repaired.
      if ((error as { readonly status?: number }).status !== 1) throw error;
    }
    this.mount();
  }

  remove(): void {
    run("umount", this.path);
    rmSync(this.#folder, { recursive: true });
  }
}

function append(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}

/** Why no disk can be mounted here; false if one can. */
export function whyNoDisk(): string | false {
  if (process.getuid?.() !== 0) return "only root may mount a disk of its own";
  try {
    SmallDisk.make().remove();
    return false;
  } catch (error) {
    return `a disk of its own cannot be mounted here: ${(error as Error).message}`;
  }
}
