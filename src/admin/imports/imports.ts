/** Imports of an account: when, by whom, and what came of them. */
import type { ImportId } from "../../domain/origin.ts";
import { action, type InAccount } from "../action.ts";
import { NotFound } from "../errors.ts";

/** The newest. */
export const listImports = action(
  "import.list",
  "viewer",
  "nothing",
  async ({ store }, { account, limit }: InAccount & { readonly limit: number }) =>
    (await store.imports.all.page({ account }, { after: null, limit })).rows,
);

export const findImport = action(
  "import.show",
  "viewer",
  "nothing",
  async ({ store }, { account, id }: InAccount & { readonly id: ImportId }) => {
    const batch = await store.imports.byId({ account, id });
    if (batch === null) throw new NotFound("import", id);
    return batch;
  },
);
