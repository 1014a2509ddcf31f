/** The stylesheet and the script of the help pages. */
import { type Assets, assets } from "../../html/assets.ts";

export const helpAssets: Assets = assets(
  [new URL("./style/form.css", import.meta.url)],
  [new URL("./form.js", import.meta.url)],
);
