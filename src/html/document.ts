/** The document around every page: the head, and where its style and script go. */
import type { PageAssets } from "./assets.ts";
import { type Html, html } from "./html.ts";

export const htmlDocument = (title: string, { head, end }: PageAssets, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${head}
</head>
<body>
${body}
${end}
</body>
</html>
`.html;
