/** `/console`: leads to the only account of the user, or to the choice of one. */
import { page, redirect } from "../kit/page.ts";

export const home = page({
  path: "/",
  show: async ({ accounts, base }) => {
    const [first, ...others] = accounts;
    return redirect(first === undefined || others.length > 0 ? `${base}/accounts` : `${base}/${first.id}`);
  },
});
