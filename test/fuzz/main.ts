/**
 * Fuzzes the program and checks every response. The run prints its seed; `--seed` repeats its requests,
 * `--only` sends one of them and shows it, `--climb` only searches for the most expensive message. A full run
 * without a complaint writes its section of docs/reference/reliability.md.
 */
import { parseArgs } from "node:util";
import { writeSection } from "../reliability-page.ts";
import { complaint } from "./answers.ts";
import { type Case, makeCase } from "./cases.ts";
import { fuzzSection, hillClimbText, kindOf, Tally } from "./figures.ts";
import { type HillClimbLimits, hillClimb } from "./hill-climb.ts";
import { KEY, NAMESPACE, type Program, startProgram } from "./program.ts";
import { costs } from "./shapes.ts";
import { closeConnections, send } from "./wire.ts";

const FULL = 200_000;
const AT_ONCE = 32;
/** How many are sent a second time, one by one. */
const ALONE = 5000;
const MAX_COMPLAINTS = 20;
/** How much the program's memory may grow after the first quarter. */
const MAX_GROWTH_MIB = 128;

/** The limits of the search for the most expensive message. A short run visits every start once. */
const CLIMB: HillClimbLimits = { tries: 100_000, cpuSeconds: 120 };
const SHORT_CLIMB: HillClimbLimits = { tries: 7000, cpuSeconds: 40 };

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    requests: { type: "string", default: String(FULL) },
    only: { type: "string" },
    climb: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000_007);
const requests = Number(values.requests);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(requests) || requests < 1) {
  console.error("Usage: npm run test:fuzz -- [--seed NUMBER] [--requests NUMBER] [--only INDEX] [--climb]");
  process.exit(2);
}
if (values.climb) {
  console.log(`seed ${seed}`);
  const searched = await hillClimb(seed, CLIMB);
  console.log(hillClimbText(searched));
  if (searched.complaint !== null) console.error(searched.complaint);
  process.exit(searched.complaint === null ? 0 : 1);
}
console.log(`seed ${seed}, ${requests} requests`);

const complaints: string[] = [];
const program = await startProgram();
const target = { namespace: NAMESPACE, key: KEY };
const [sent, answered] = [new Tally(), new Tally()];
let section: string | null = null;
const caseOf = (index: number): Case => makeCase(seed + index, target);

async function judge(index: number): Promise<void> {
  const given = caseOf(index);
  const complain = (text: string) => complaints.push(`--seed ${seed} --only ${index}: ${text}`);
  try {
    sent.add(given.kind);
    const answers = await send(program.port, given);
    const [least, most] = given.answers;
    if (answers.length === 0) answered.add("nothing, because the request was incomplete");
    if (answers.length < least || answers.length > most) complain(`${answers.length} answers`);
    for (const answer of answers) {
      answered.add(kindOf(answer));
      const wrong = complaint(answer, given);
      if (wrong !== null) complain(wrong);
    }
  } catch (error) {
    complain((error as Error).message);
  }
}

async function run(from: number, to: number, atOnce = AT_ONCE): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next < to && complaints.length < MAX_COMPLAINTS && !program.hasEnded()) {
      const index = next;
      next += 1;
      await judge(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function isWell({ origin }: Program): Promise<boolean> {
  const response = await fetch(`${origin}/default.asmx`, {
    method: "POST",
    headers: { "Content-Type": "text/xml" },
    body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Client.TestApiConnection xmlns="${NAMESPACE}"><APIKey>${KEY}</APIKey></Client.TestApiConnection></e:Body></e:Envelope>`,
  });
  return (await response.text()).includes("<Client.TestApiConnectionResult>true<");
}

async function showOnly(index: number): Promise<void> {
  const given = caseOf(index);
  console.log(given, "\n", (given.raw ?? given.body).toString("latin1").slice(0, 5000));
  const answers = await send(program.port, given);
  for (const { status, contentType, body } of answers)
    console.log(status, contentType, String(body).slice(0, 2000));
  await judge(index);
}

try {
  if (values.only !== undefined) await showOnly(Number(values.only));
  else {
    // Resets the measurement after the start.
    await program.look();
    await run(0, Math.ceil(requests / 4));
    const before = program.hasEnded() ? 0 : program.residentMiB();
    await run(Math.ceil(requests / 4), requests);
    if (program.hasEnded()) complaints.push("the program has ended");
    else {
      const after = program.residentMiB();
      const { longestTurnMs: together } = await program.look();
      const again = Math.min(ALONE, requests);
      await run(0, again, 1);
      const { longestTurnMs: alone } = await program.look();
      const longestTurnMs = { together, alone };
      const memoryMiB = { quarter: before, end: after };
      const found = { seed, requests, again, sent, answered, longestTurnMs, memoryMiB };
      const measured = await costs(program, target);
      const searched = await hillClimb(seed, requests >= FULL ? CLIMB : SHORT_CLIMB);
      section = fuzzSection({ ...found, costs: measured, climb: searched });
      console.log(section);
      if (searched.complaint !== null) complaints.push(`--seed ${seed}: ${searched.complaint}`);
      if (after > before + MAX_GROWTH_MIB) complaints.push(`it grew from ${before} to ${after} MiB`);
      if (!(await isWell(program))) complaints.push("a good call gets no good answer any more");
    }
  }
} finally {
  closeConnections();
  const code = await program.stop();
  if (code !== 0) complaints.push(`it ended with ${code}`);
}
for (const line of program.errors.slice(0, MAX_COMPLAINTS)) complaints.push(`logged: ${line.slice(0, 1000)}`);
for (const text of complaints) console.error(text);
console.log(complaints.length === 0 ? "nothing to complain of" : `${complaints.length} complaints`);
if (section !== null && requests >= FULL && complaints.length === 0) writeSection("Fuzzing", section);
process.exitCode = complaints.length === 0 ? 0 : 1;
