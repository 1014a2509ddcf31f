/** The stylesheet and the script of the help pages of a service. */
import type { Service } from "#contract/service.ts";
import { inlineAssets, type PageAssets } from "#html/assets.ts";

const byRoot = new Map<string, PageAssets>();

/** From a page of the service to the base address. */
export const rootOf = ({ path }: Service): string => "../".repeat(Math.max(0, path.split("/").length - 2));

export function helpAssets(service: Service): PageAssets {
  const root = rootOf(service);
  const made =
    byRoot.get(root) ??
    inlineAssets(
      root,
      [new URL("./style/form.css", import.meta.url)],
      [new URL("./form.js", import.meta.url)],
    );
  byRoot.set(root, made);
  return made;
}
