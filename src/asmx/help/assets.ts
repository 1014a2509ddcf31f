/** The stylesheet and the script of the help pages. */
import { inlineAssets, type PageAssets } from "../../html/assets.ts";

export const helpAssets: PageAssets = inlineAssets(
  [new URL("./style/form.css", import.meta.url)],
  [new URL("./form.js", import.meta.url)],
);
