/** The temporary folder of one run: databases, messages, configurations and logs. Removed at its end. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class RunFolder {
  readonly path = mkdtempSync(join(tmpdir(), "mailroll-bench-"));

  file(name: string): string {
    return join(this.path, name);
  }
  write(name: string, content: string | Buffer): string {
    const path = this.file(name);
    writeFileSync(path, content);
    return path;
  }
  copy(from: string, name: string): string {
    const path = this.file(name);
    copyFileSync(from, path);
    return path;
  }
  close(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
