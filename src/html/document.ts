/** The frame of every page, and components that several pages share. */
import type { Assets } from "./assets.ts";
import { type Html, html, trusted } from "./html.ts";

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect y='2' width='16' height='12' rx='2' fill='%231f4e9c'/%3E%3Cpath d='m2 5 6 4 6-4' fill='none' stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E";

export const htmlDocument = (title: string, { stylesheet, script }: Assets, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${icon}">
<style>${trusted(stylesheet)}</style>
</head>
<body>
${body}
<script type="module">${trusted(script)}</script>
</body>
</html>
`.html;

/** Something to copy; the script adds the button. */
export const codeBlock = (label: string, code: Html | string): Html =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}" data-copy><code>${code}</code></pre></div>`;
