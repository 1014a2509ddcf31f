/** Imports of an account: when, by whom, and what came of them. */
import type { ImportId } from "../../domain/origin.ts";
import { action, type InAccount } from "../action.ts";
import { NotFound } from "../errors.ts";
import { type PageInputs, pageOf } from "../paging.ts";

/** The newest first. */
export const listImports = action(
  "import.list",
  "viewer",
  "nothing",
  ({ store }, { account, ...page }: InAccount & PageInputs) => pageOf(store.imports.all, { account }, page),
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
