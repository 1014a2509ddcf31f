/** A QR code as SVG. It is dark on white in the dark mode, too: many cameras do not read inverted codes. */
import { encode } from "uqr";
import { type Html, html } from "../html.ts";

/** Empty modules around the code, without which cameras do not find it. */
const QUIET_ZONE = 4;

/** Each run of dark modules as a rectangle. */
const rowPath = (row: readonly boolean[], y: number): string =>
  [
    ...row
      .map((isDark) => (isDark ? "#" : "."))
      .join("")
      .matchAll(/#+/g),
  ]
    .map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`)
    .join("");

export function qrCode(label: string, text: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${data.map(rowPath).join("")}"/></svg>`;
}

/** A code to scan, and what else can be done with what it contains. */
export const besideCode = (code: Html, rest: Html): Html =>
  html`<div class="beside-code">${code}<div class="stack">${rest}</div></div>`;
