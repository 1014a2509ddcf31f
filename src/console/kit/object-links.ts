/** The addresses of the pages of things, for links wherever one is mentioned. */
import type { Origin } from "#domain/access/origin.ts";
import { type Html, html } from "#html/html.ts";
import type { PageContext } from "./page.ts";

type Id = number | bigint | string;
export const objectLinks = ({ link }: Pick<PageContext, "link">) => ({
  subscriber: (id: Id) => link(`/subscribers/${id}`),
  list: (id: Id) => link(`/lists/${id}`),
  campaign: (id: Id) => link(`/campaigns/${id}`),
  key: (id: Id) => link(`/integrations/${id}`),
  /** Of the account. */
  user: (id: Id) => link(`/settings/users/${id}`),
  import: (id: Id) => link(`/imports/${id}`),
  blocks: link("/settings/blocks"),
});
export type ObjectLinks = ReturnType<typeof objectLinks>;

export const linkTo = (href: string, text: Html | string): Html => html`<a href="${href}">${text}</a>`;

/** Who did something: the kind of origin with what is known about it. */
export interface KnownActor {
  readonly kind: Origin["kind"];
  readonly id: Id | null;
  /** As people call it; null: unknown, or it no longer exists. */
  readonly name: string | null;
}

/** At the end of a sentence, such as "by the key Shop (f3a9…)". */
export function byActor({ kind, id, name }: KnownActor, links: ObjectLinks): Html {
  switch (kind) {
    case "key":
      return id === null || name === null
        ? html`by a key that no longer exists`
        : html`by the key ${linkTo(links.key(id), name)}`;
    case "import":
      return id === null ? html`by an import` : html`by the ${linkTo(links.import(id), `import ${id}`)}`;
    case "operator":
      return name === null ? html`on the command line` : html`by ${name} on the command line`;
    case "user":
      return id === null || name === null
        ? html`by a user who no longer exists`
        : html`by ${linkTo(links.user(id), name)}`;
    case "link":
      return html`through a link in a mail`;
    case "bounce":
      return html`by the processing of bounces`;
  }
}
