/** A database file that was damaged: the start is refused in one line, and not a byte of the file is changed. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Figures } from "./figures.ts";
import { originOf, Site } from "./site.ts";

const noise = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, n) => (n * 167 + (n >> 3)) & 0xff));
const overwritten = (file: Buffer, at: number, bytes: Buffer): Buffer =>
  Buffer.concat([file.subarray(0, at), bytes, file.subarray(at + bytes.length)]);

/** SQLite's first hundred bytes are its header; what follows on the first page says which tables there are. */
const damages: Readonly<Record<string, (file: Buffer) => Buffer>> = {
  "all noise": (file) => noise(file.length),
  "noise over the header": (file) => overwritten(file, 0, noise(100)),
  "zeros over the header's numbers": (file) => overwritten(file, 16, Buffer.alloc(84)),
  "noise over the tables' names": (file) => overwritten(file, 100, noise(3000)),
  "zeros over the tables' names": (file) => overwritten(file, 100, Buffer.alloc(3996)),
  "cut in half": (file) => file.subarray(0, file.length / 2),
  "cut within the first page": (file) => file.subarray(0, 1000),
  "zeros to the end": (file) => overwritten(file, 4096, Buffer.alloc(file.length - 4096)),
};

export async function damageFile(seed: number): Promise<Figures> {
  const site = await Site.make(null, 16);
  try {
    const file = site.database.slice("sqlite:".length);
    const served = await site.serve();
    await site.serves(seed, [originOf(served)]);
    await served.stop();
    const whole = readFileSync(file);
    for (const [how, damage] of Object.entries(damages)) {
      const damaged = damage(whole);
      writeFileSync(file, damaged);
      for (const words of [
        ["serve", "--port", "0"],
        ["list", "list"],
      ]) {
        const { code, out, err } = await site.run(...words);
        assert.equal(code, 1, `${how}: ${words.join(" ")} is refused: ${out}${err}`);
        assert.match(err, /^mailroll: .*m\.db.*\n$/, how);
      }
      const doctor = await site.run("doctor");
      assert.equal(doctor.code, 1, `${how}: the doctor says so: ${doctor.out}${doctor.err}`);
      assert.ok(readFileSync(file).equals(damaged), `${how}: the file was changed`);
      assert.ok(!existsSync(`${file}-journal`), `${how}: a journal was left`);
    }
    // Damage that no start could find without reading everything is found by whoever does.
    writeFileSync(file, overwritten(whole, 4096 * Math.floor(whole.length / 8192), noise(8192)));
    assert.match((await site.run("doctor")).out, /^problem +(?:integrity|database) /m);
    writeFileSync(file, whole);
    await site.verify();
    const more = `each refused in one line, and the file left as it was: ${Object.keys(damages).join(", ")}`;
    return { rounds: Object.keys(damages).length, more, ...site.callers.tally };
  } finally {
    await site.remove();
  }
}
