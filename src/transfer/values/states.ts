/** Names of subscriber states in other systems. */
import { type State, type SuppressionKind, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { bareName } from "../table/known-headings.ts";

const words: Readonly<Record<State, readonly string[]>> = {
  active: [
    ...["active", "subscribed", "confirmed", "activo", "ativo", "suscrito", "inscrito", "confirmado"],
    ...["aktiv", "angemeldet", "abonniert", "bestätigt", "actif", "inscrit", "abonné", "confirmé"],
    ...["attivo", "iscritto", "confermato", "actief", "ingeschreven", "aangemeld", "bevestigd"],
    ...["alta", "activa", "suscrita", "inscrita", "confirmada", "ativa", "inscrite", "abonnée", "confirmée"],
    ...["attiva", "iscritta", "confermata"],
  ],
  unsubscribed: [
    ...["unsubscribed", "unsubscribe", "opted out", "opt-out", "desuscrito", "dado de baja", "baja"],
    ...["descadastrado", "abgemeldet", "ausgetragen", "désinscrit", "désabonné", "disiscritto"],
    ...["uitgeschreven", "afgemeld", "desuscrita", "dada de baja", "descadastrada", "désinscrite"],
    ...["désabonnée", "disiscritta"],
  ],
  bounced: ["bounced", "bounce", "hard bounce", "cleaned", "rebotado", "unzustellbar"],
  complained: ["complained", "complaint", "spam", "spam complaint", "marked as spam", "abuse"],
  blocked: [
    ...["blocked", "block", "blacklisted", "blocklisted", "bloqueado", "bloqueada", "gesperrt"],
    ...["blockiert", "bloqué", "bloquée", "bloccato", "bloccata", "geblokkeerd"],
  ],
};

const byWord: ReadonlyMap<string, State> = new Map(
  (Object.keys(words) as State[]).flatMap((state) =>
    words[state].map((word) => [bareName(word), state] as const),
  ),
);

/** Not yet confirmed by the person, in other systems too. */
const pendingWords = new Set(
  [
    ...["pending", "unconfirmed", "not confirmed", "awaiting confirmation", "pendiente", "pendente"],
    ...["unbestätigt", "nicht bestätigt", "en attente", "non confirmé", "in attesa", "non confermato"],
    ...["onbevestigd", "niet bevestigd"],
  ].map(bareName),
);
export const isPendingState = (text: string): boolean => pendingWords.has(bareName(text));

export const parseState = (text: string): State | null =>
  byWord.get(text) ?? byWord.get(bareName(text)) ?? null;
export const parseSuppression = (text: string): SuppressionKind | null =>
  suppressionKinds.find((suppression) => suppression === parseState(text)) ?? null;

/** For messages. */
export const stateNames = Object.keys(words).join(", ");
export const suppressionNames = suppressionKinds.join(", ");
