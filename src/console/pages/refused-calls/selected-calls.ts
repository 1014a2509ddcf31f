/** Replays or dismisses the calls that were selected in a group, one by one; one sentence says the result. */
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { dismissRefusal, replayRefusal } from "#admin/refusals/refusals.ts";
import type { RefusalId } from "#domain/refusal.ts";
import { FormRefused } from "../../kit/failures.ts";
import { type Redirect, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./selected-calls.texts.ts";

type GroupVisit = Visit<"/{account}">;

/** As many as a page of a group shows, so that one request stays short. */
export const MAX_SELECTED = 50;

/** `skipped`: another user has dealt with the call meanwhile, or it cannot be replayed. */
type Outcome = "done" | "refused" | "skipped";

async function replayOne({ perform, account }: GroupVisit, id: RefusalId): Promise<Outcome> {
  const { byte } = await perform(replayRefusal, { account: account.id, id, corrections: {} });
  return byte === 0 ? "done" : "refused";
}
async function dismissOne({ perform, account }: GroupVisit, id: RefusalId): Promise<Outcome> {
  await perform(dismissRefusal, { account: account.id, id });
  return "done";
}
function asSkipped(error: unknown): Outcome {
  const isOfThisCall = [InvalidInput, NotFound, NotPossible].some((one) => error instanceof one);
  if (isOfThisCall) return "skipped";
  throw error;
}

/** Stays on the same page of the group. If nothing has changed, the selection stays, too. */
export async function submitSelected(visit: GroupVisit): Promise<Redirect> {
  const { form, formats, path, query } = visit;
  const ids = [...new Set(form.ids("id"))];
  if (ids.length === 0) throw new FormRefused({ message: texts.nothingSelected });
  if (ids.length > MAX_SELECTED)
    throw new FormRefused({ message: texts.tooMany(formats.number(MAX_SELECTED)) });
  const [one, said] =
    form.text("step") === "replay" ? [replayOne, texts.replayed] : ([dismissOne, texts.dismissed] as const);
  const counts = { done: 0, refused: 0, skipped: 0 };
  for (const id of ids) counts[await one(visit, id).catch(asSkipped)] += 1;
  const result = said(counts);
  if (counts.done === 0) throw new FormRefused({ message: result });
  return redirect(`${path}?${query.toString()}`, result);
}
