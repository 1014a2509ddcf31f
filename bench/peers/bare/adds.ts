/**
 * What both loops share: groups of addresses for so many seconds, and what came of it as JSON. Addresses are
 * scattered over the index like those that the load generator makes.
 */
export const GROUP = 64;
const SCATTER = 2_654_435_761n;

function group(from: number): readonly string[] {
  return Array.from({ length: GROUP }, (_, i) => {
    const number = BigInt(from + i);
    const scattered = ((number * SCATTER) & 0xffff_ffffn).toString(16).padStart(8, "0");
    return `${scattered}${number.toString(16).padStart(8, "0")}-${process.pid}@example.org`;
  });
}

export async function addFor(seconds: number, add: (addresses: readonly string[]) => unknown): Promise<void> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  let rows = 0;
  let passed = 0;
  while (passed < seconds) {
    await add(group(rows + 1));
    rows += GROUP;
    passed = (performance.now() - start) / 1000;
  }
  const { user, system } = process.cpuUsage(cpu);
  process.stdout.write(JSON.stringify({ rows, seconds: passed, cpuSeconds: (user + system) / 1e6 }));
}
