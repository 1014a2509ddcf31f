/**
 * Makes the message of every recipient of a campaign, and counts what is wrong with them. Nothing is sent and
 * nothing is changed, so a piece that is repeated is not counted twice: counts and position are saved
 * together.
 */
import { type MessageProblem, TemplateProblem } from "#delivery/previews/renderer.ts";
import type { JobResult } from "#domain/job/result.ts";
import type { Candidate, MergeData } from "#domain/ports/sending/mailings.ts";
import { Frequent } from "#domain/sending/domains.ts";
import { type DryRunReport, emptyReport, expectedDuration, found } from "#domain/sending/dry-run.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { JobWork } from "#jobs/do-job.ts";
import type { Services } from "#operations/caller.ts";
import { messageSource } from "../campaigns/preview.ts";
import type { MailTools } from "../kit/mail-tools.ts";

export interface PieceLimits {
  /** A piece ends after the messages that are being made then, also within a page. */
  readonly pieceMs: number;
  /** How many people are read at once. */
  readonly page: number;
  /** How many messages are made at once: also if each takes a second, well under the time of a lease. */
  readonly atOnce: number;
}
const usual: PieceLimits = { pieceMs: 1000, page: 250, atOnce: 10 };

export function dryRunCampaign(
  { store, clock, mail }: Services & { readonly mail: MailTools },
  { pieceMs, page: limit, atOnce }: PieceLimits = usual,
): JobWork<"dry-run-campaign"> {
  return async ({ account, args: { campaign }, progress, result }, signal) => {
    const { mailings } = store;
    const composed = await mailings.byId({ account, campaign });
    const before = (result as DryRunReport | null) ?? emptyReport(campaign);
    const stay = { next: progress ?? { after: null, domains: {} }, done: 0, result: asResult(before) };
    if (composed === null) return { ...stay, ending: { failed: `campaign ${campaign} was deleted` } };
    const source = await messageSource({ store, mail }, { account }, composed);
    const { lists, excludedLists, filter } = composed.content;
    const limits = source.sender;
    const domains = new Frequent(progress?.domains);
    const began = performance.now();
    let report = before;
    let after = progress?.after ?? null;
    let upTo = progress?.upTo;
    let isLeft = true;
    const isOver = (): boolean => performance.now() - began >= pieceMs || signal.aborted;
    try {
      // So that the time is that of messages alone, without that of preparing the templates.
      await mail.renderer.problems(source, []);
      do {
        const page = await mailings.candidates.page(
          { account, lists, excludedLists, filter },
          { after, limit },
        );
        const done = upTo ?? 0;
        const rows = page.rows.filter(({ person }) => person.subscriber > done);
        upTo = await addPage(rows);
        if (upTo !== undefined) break;
        after = page.next;
        isLeft = after !== null;
      } while (isLeft && !isOver());
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      return { ...stay, ending: { failed: `the messages cannot be made: ${error.message}` } };
    }
    report = { ...report, ...expectedDuration(report, limits, clock()) };
    return {
      next: { after, ...(upTo === undefined ? {} : { upTo }), domains: domains.counts },
      done: report.people - before.people,
      result: asResult(report),
      ...(isLeft ? {} : { ending: "finished" }),
    };

    /** Returns the last added recipient if the time was over before the end of the page. */
    async function addPage(rows: readonly Candidate[]): Promise<SubscriberId | undefined> {
      for (let at = 0; at < rows.length; at += atOnce) {
        const last = rows[at - 1];
        if (last !== undefined && isOver()) return last.person.subscriber;
        report = await withRows(report, rows.slice(at, at + atOnce));
      }
      return undefined;
    }

    async function withRows(earlier: DryRunReport, rows: readonly Candidate[]): Promise<DryRunReport> {
      let next: DryRunReport = { ...earlier, people: earlier.people + rows.length };
      const people: MergeData[] = [];
      for (const { person, leftOut } of rows)
        if (leftOut === null) people.push(person);
        else next = { ...next, leftOut: found(next.leftOut, leftOut, person.subscriber) };
      if (people.length === 0) return next;
      const start = performance.now();
      const problems = await mail.renderer.problems(source, people);
      for (const [index, person] of people.entries()) next = withPerson(next, person, problems[index] ?? []);
      return { ...next, renderMs: Math.round(next.renderMs + performance.now() - start) };
    }

    function withPerson(
      earlier: DryRunReport,
      { subscriber, address }: MergeData,
      problems: readonly MessageProblem[],
    ): DryRunReport {
      const next = problems.reduce((report, problem) => withProblem(report, subscriber, problem), earlier);
      if (problems.some(({ kind }) => kind === "not rendered" || kind === "needs SMTPUTF8")) return next;
      if (limits?.perDomainMinute != null)
        domains.add(address.slice(address.lastIndexOf("@") + 1).toLowerCase());
      return { ...next, recipients: next.recipients + 1, largestDomain: domains.largest };
    }
  };
}

function withProblem(report: DryRunReport, subscriber: number, problem: MessageProblem): DryRunReport {
  if (problem.kind === "empty field")
    return { ...report, emptyFields: found(report.emptyFields, problem.field, subscriber) };
  const { kind, ...more } = problem;
  return { ...report, problems: found(report.problems, kind, subscriber, more) };
}

const asResult = (report: DryRunReport): JobResult => ({ ...report }) as unknown as JobResult;
