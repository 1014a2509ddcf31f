/**
 * Common headings of subscriber files in English, Spanish, Portuguese, German, French, Italian and Dutch. The
 * first one of each column is used for exports. Compared ignoring case, accents, spaces, dots, hyphens,
 * apostrophes and underscores. Ambiguous words (Name, Stato) are left out: they need `--map`. So does
 * a whole name, because where to split it is not certain.
 */
import type { Field } from "#domain/field/field.ts";
import type { BasicData, State, SuppressionKind } from "#domain/subscriber/subscriber.ts";

/** What a cell says about the state, in words of a product. null: nothing; undefined: it is no such word. */
export type StateReader = (text: string) => State | "pending" | null | undefined;

export type StandardColumn =
  | { readonly kind: "email" }
  | { readonly kind: "joined" }
  /** `isConsent`: the column only says whether somebody wants mail. */
  | {
      readonly kind: "state";
      readonly reads?: StateReader;
      readonly isConsent?: true;
      /** An empty cell says that somebody has not agreed. */
      readonly isPendingIfEmpty?: true;
    }
  | { readonly kind: "ignored" }
  | { readonly kind: "basic"; readonly name: keyof BasicData }
  /** First and last name together. */
  | { readonly kind: "name" }
  /**
   * A JSON object whose members are values of fields. `fields`: by the keys of their names, when they are
   * known.
   */
  | { readonly kind: "attributes"; readonly fields?: ReadonlyMap<string, Field> }
  /** A text field with the name of the heading; the import creates it. */
  | { readonly kind: "new field" }
  | {
      readonly kind: "suppression";
      readonly suppression: SuppressionKind;
      /** The column has words instead of dates. There may be several for one suppression. */
      readonly reads?: StateReader;
      /** The table has only such people, also in rows without a date. */
      readonly isOfAll?: true;
    };

type Names = readonly [string, ...string[]];

/** The columns that a file of rejected rows adds, so that it can be imported again. */
export const rejectedColumns = ["rejected_line", "rejected_reason"] as const;

export const headings: readonly (readonly [column: StandardColumn, names: Names])[] = [
  [
    { kind: "email" },
    [
      ...(["email", "email_address", "mail", "mail_address"] as const),
      ...["correo", "correo_electronico", "direccion_de_correo", "endereco_de_email", "endereco_email"],
      ...["emailadresse", "mailadresse", "courriel", "adresse_email", "adresse_mail", "adresse_courriel"],
      ...["adresse_electronique", "indirizzo_email", "posta_elettronica", "emailadres", "mailadres"],
    ],
  ],
  [
    { kind: "basic", name: "firstName" },
    [
      ...(["first_name", "fname", "given_name", "forename"] as const),
      ...["nombre", "nombres", "nome", "vorname", "rufname", "prenom", "voornaam"],
    ],
  ],
  [
    { kind: "basic", name: "lastName" },
    [
      ...(["last_name", "lname", "surname", "family_name"] as const),
      ...["apellido", "apellidos", "sobrenome", "apelido", "nachname", "familienname", "zuname"],
      ...["nom", "nom_de_famille", "cognome", "achternaam", "familienaam"],
    ],
  ],
  [{ kind: "name" }, ["full_name"]],
  [{ kind: "attributes" }, ["json_attributes"]],
  [{ kind: "new field" }, ["new_field"]],
  [
    { kind: "basic", name: "gender" },
    ["gender", "sex", "sexo", "genero", "geschlecht", "sexe", "genre", "sesso", "genere", "geslacht"],
  ],
  [
    { kind: "basic", name: "birthday" },
    [
      ...(["birthday", "birth_date", "date_of_birth", "dob"] as const),
      ...["fecha_de_nacimiento", "fecha_nacimiento", "cumpleanos", "data_de_nascimento", "data_nascimento"],
      ...["geburtstag", "geburtsdatum", "geboren_am", "date_de_naissance", "date_naissance", "ne_le"],
      ...["anniversaire", "data_di_nascita", "data_nascita", "compleanno", "geboortedatum", "verjaardag"],
    ],
  ],
  [
    { kind: "basic", name: "country" },
    [
      ...(["country", "country_code", "country_id", "pais", "codigo_de_pais", "codigo_do_pais"] as const),
      ...["land", "landercode", "laendercode", "landerkennzeichen", "laenderkennzeichen"],
      ...["pays", "code_pays", "paese", "nazione", "codice_paese", "landcode"],
    ],
  ],
  [
    { kind: "joined" },
    [
      ...(["subscribed_at", "subscribed", "subscribed_date", "subscription_date", "signup_date"] as const),
      ...["newsletter_since", "newsletter_seit", "newsletter_desde", "suscrito_desde", "abonne_depuis"],
      ...["joined", "joined_at", "date_added", "optin_time", "optin_date"],
      ...["fecha_de_alta", "fecha_de_suscripcion", "suscrito_el", "data_de_inscricao", "data_de_cadastro"],
      ...["angemeldet_am", "anmeldedatum", "eingetragen_am", "abonniert_am"],
      ...["date_d_inscription", "date_inscription", "inscrit_le", "abonne_le"],
      ...["data_di_iscrizione", "data_iscrizione", "iscritto_il"],
      ...["inschrijfdatum", "ingeschreven_op", "aangemeld_op", "aanmelddatum"],
    ],
  ],
  [{ kind: "state" }, ["state", "status", "estado", "statut", "etat"]],
  [
    { kind: "suppression", suppression: "unsubscribed" },
    [
      ...(["unsubscribed_at", "unsubscribed", "unsubscribed_date", "unsubscribe_date"] as const),
      ...["optout_time", "optout_date", "unsub_time", "fecha_de_baja", "data_de_descadastro"],
      ...["abgemeldet_am", "abmeldedatum", "ausgetragen_am", "desinscrit_le", "desabonne_le"],
      ...["date_de_desinscription", "date_de_desabonnement", "disiscritto_il", "data_di_disiscrizione"],
      ...["uitgeschreven_op", "uitschrijfdatum", "afgemeld_op", "afmelddatum"],
    ],
  ],
  [{ kind: "suppression", suppression: "bounced" }, ["bounced_at", "bounced", "bounced_date", "bounce_date"]],
  [{ kind: "suppression", suppression: "complained" }, ["complained_at", "complained", "complained_date"]],
  [
    { kind: "suppression", suppression: "blocked" },
    ["blocked_at", "blocked", "blocked_date", "gesperrt_am", "bloque_le", "bloccato_il", "geblokkeerd_op"],
  ],
  ...rejectedColumns.map((name) => [{ kind: "ignored" }, [name]] as const),
];

/** Longer than any known name, and than the name of any field. */
const MAX_NAME = 1000;

/** Equal for spellings of the same name. A text that is longer than any name stays as it is. */
export const bareName = (name: string): string =>
  name.length > MAX_NAME
    ? name
    : name
        .normalize("NFD")
        .replace(/\p{M}/gu, "")
        .toLowerCase()
        .replace(/[\s._'’-]+/g, "");

/** What a heading means in any table, in normalized form. */
export const columnByName: ReadonlyMap<string, StandardColumn> = new Map(
  headings.flatMap(([column, names]) => names.map((name) => [bareName(name), column] as const)),
);

/** Yes or no: whether somebody wants mail. */
const consentHeadings = [
  ...["consent", "email_consent", "consent_to_email", "email_permission", "gdpr_consent", "email_opt_in"],
  ...["ok_to_email", "receive_emails", "email_marketing", "einwilligung", "werbeeinwilligung", "dsgvo"],
  ...["consentimiento", "boletin", "consentement", "infolettre", "consentimento", "boletim"],
  ...["newsletter", "accepts_marketing", "accepts_email_marketing", "marketing_consent", "opt_in"],
  ...["acepta_comunicaciones", "acepta_publicidad", "aceita_comunicacoes", "aceita_newsletter"],
  ...["accepte_la_newsletter", "accepte_les_emails", "recevoir_la_newsletter", "newsletter_erwunscht"],
];
/** Columns that are usually not needed: they are left out without an error, and the import names them. */
const otherHeadings = [
  ...["title", "company", "job_title", "phone", "phone_number", "telephone", "mobile", "fax", "website"],
  ...["address", "address_1", "address_2", "street", "house_number", "zip", "zip_code", "postal_code"],
  ...["postcode", "city", "town", "region", "county", "notes", "note", "comment", "comments", "id", "no"],
  ...["anrede", "titel", "firma", "unternehmen", "position", "telefon", "telefonnummer", "handy", "mobil"],
  ...["adresse", "anschrift", "strasse", "straße", "hausnummer", "plz", "postleitzahl", "ort", "stadt"],
  ...["bundesland", "webseite", "bemerkung", "bemerkungen", "notiz", "notizen", "kommentar", "kundennummer"],
  ...["tratamiento", "empresa", "cargo", "telefono", "movil", "direccion", "calle", "codigo_postal", "cp"],
  ...["ciudad", "poblacion", "localidad", "provincia", "observaciones", "notas", "comentarios", "dni", "nif"],
  ...["civilite", "societe", "entreprise", "fonction", "telephone_portable", "portable", "rue", "ville"],
  ...["code_postal", "departement", "remarque", "remarques", "commentaire", "commentaires", "titre"],
  ...["telefone", "celular", "endereco", "rua", "numero", "bairro", "cidade", "cep", "distrito"],
  ...["concelho", "codigo_postal", "observacoes", "comentario", "tratamento", "cpf"],
];
/** The codes of languages are also those of countries. */
const languageHeadings = [
  ...["language", "language_code", "lang", "locale", "sprache", "idioma", "langue", "lingua", "taal"],
];
const [consents, others, languages] = [consentHeadings, otherHeadings, languageHeadings].map(
  (names) => new Set(names.map((name) => bareName(name))),
);
/** Parts of headings that may say who must not be mailed. */
const aboutConsent = [
  ...["status", "state", "unsub", "optout", "optin", "optedout", "bounce", "complain", "spam", "block"],
  ...["suppress", "consent", "permission", "newsletter", "mailing", "marketing", "gdpr", "donotmail"],
  ...["abgemeldet", "abmeld", "abbestell", "austrag", "ausgetragen", "sperr", "widerruf", "widerspr"],
  ...["kundig", "einwillig", "werb", "aktiv", "dsgvo", "zustand", "gelosch", "storn", "erlaub", "austritt"],
  ...["active", "allow", "permit", "contact", "kontakt", "delet", "remov", "exclu", "donot", "nomail"],
  ...["emailing", "deceased", "verstorben", "invalid", "ungultig", "retir", "elimin", "blocc", "cancell"],
  ...["estado", "baja", "desuscri", "activo", "contacto", "cancel", "rebot", "queja", "bloque"],
  ...[
    "publicidad",
    "comunicacion",
    "consentimiento",
    "rgpd",
    "inactiv",
    "inativ",
    "descadastr",
    "removid",
    "lgpd",
    "recus",
  ],
  ...["statut", "etat", "desinscri", "desabon", "refus", "plainte", "stato", "disiscri", "uitgeschr"],
  "afgemeld",
];
/** Somebody has to decide what becomes of such a column: it is not left out without being asked. */
export const mayBeAboutConsent = (heading: string): boolean => {
  const name = bareName(heading);
  return aboutConsent.some((part) => name.includes(part));
};
export const asksForConsent = (heading: string): boolean => consents?.has(bareName(heading)) === true;
export const isOfLanguages = (heading: string): boolean => languages?.has(bareName(heading)) === true;
export const isUsuallyLeftOut = (heading: string): boolean => others?.has(bareName(heading)) === true;

/** What every subscriber has besides custom fields, as it is called in the console. */
const builtIn = ["E-mail address", "First name", "Last name", "Gender", "Birthday", "Country"] as const;
const builtInNames: ReadonlyMap<string, string> = new Map([
  ...builtIn.map((name) => [bareName(name), name] as const),
  [bareName("E-mail"), builtIn[0]],
]);
/**
 * The built-in field that a custom field of this name would be taken for; null: none. Only its own name
 * counts, not the words that other tables have for it: Genre may be a field of a bookshop.
 */
export const builtInNamed = (name: string): string | null => builtInNames.get(bareName(name)) ?? null;

/** The headings of a column in normalized form. */
export const namesOf = (kind: StandardColumn["kind"]): readonly string[] =>
  headings.filter(([column]) => column.kind === kind).flatMap(([, names]) => names.map(bareName));
