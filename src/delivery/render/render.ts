/** Renders the message of one person. */
import type { MergeData } from "../../domain/ports/sending/mailings.ts";
import type { CannotRender, Prepared, Rendered } from "../messages.ts";

export function renderFor(
  _prepared: Prepared,
  _person: MergeData,
  _unsubscribeUrl: string,
): Rendered | CannotRender {
  return { cannotRender: "Content cannot be rendered yet." };
}
