/** States as other systems call them. */
import { type FactName, facts, type State } from "../domain/subscriber.ts";
import { bareName } from "./columns.ts";

const words: Readonly<Record<State, readonly string[]>> = {
  active: ["active", "subscribed", "confirmed", "activo", "ativo", "suscrito"],
  unsubscribed: ["unsubscribed", "unsubscribe", "opted out", "opt-out", "desuscrito", "descadastrado"],
  bounced: ["bounced", "bounce", "hard bounce", "cleaned"],
  complained: ["complained", "complaint", "spam", "spam complaint", "abuse"],
  blocked: ["blocked", "block", "blacklisted", "bloqueado"],
};

const byWord: ReadonlyMap<string, State> = new Map(
  (Object.keys(words) as State[]).flatMap((state) =>
    words[state].map((word) => [bareName(word), state] as const),
  ),
);

export const parseState = (text: string): State | null =>
  byWord.get(text) ?? byWord.get(bareName(text)) ?? null;
export const parseFact = (text: string): FactName | null =>
  facts.find((fact) => fact === parseState(text)) ?? null;

/** What a person is told that a state may be. */
export const stateNames = Object.keys(words).join(", ");
export const factNames = facts.join(", ");
