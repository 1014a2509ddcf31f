/** Icons as inline SVG: 16 pixels, drawn with lines in the colour of the text. They only accompany text. */
import { type Html, html, trusted } from "./html.ts";

const paths = {
  overview: "M2.5 13.5h11M4 11V8M8 11V3.5M12 11V6",
  lists: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  people:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.7a2.5 2.5 0 0 1 0 4.6M12.5 9.9c1.3.6 2 1.8 2 3.6",
  import: "M8 2.5v7.5M5 7l3 3 3-3M2.5 11v1.5a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V11",
  export: "M8 10V2.5M5 5.5l3-3 3 3M2.5 11v1.5a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V11",
  fields: "M2.5 4.5h11M2.5 8h7M2.5 11.5h9",
  campaigns: "M2.5 6.5v3l7.5 3V3.5ZM10 5.5c1.8 0 3 1 3 2.5s-1.2 2.5-3 2.5M4.5 10.2l.8 3.3h1.7l-.6-2.5",
  refused: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.5M8 11h.01",
  integrations:
    "M6.5 9.5l3-3M7 4.5l1.3-1.3a2.9 2.9 0 0 1 4.1 4.1L11.1 8.6M4.9 7.4 3.6 8.7a2.9 2.9 0 0 0 4.1 4.1L9 11.5",
  settings:
    "M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M9.5 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  installation: "M3 2.5h10v4H3ZM3 9.5h10v4H3ZM5.5 4.5h.01M5.5 11.5h.01",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  close: "M4 4l8 8M12 4l-8 8",
  down: "M4.5 6.5 8 10l3.5-3.5",
  left: "M9.5 4.5 6 8l3.5 3.5",
  right: "M6.5 4.5 10 8l-3.5 3.5",
  check: "M3.5 8.5l3 3 6-7",
  plus: "M8 3.5v9M3.5 8h9",
  more: "M3.5 7.7v.6M8 7.7v.6M12.5 7.7v.6",
  edit: "M3 13l.7-3L10.5 3.2a1.4 1.4 0 0 1 2 0l.3.3a1.4 1.4 0 0 1 0 2L6 12.3Z",
  delete: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9",
  copy: "M6 5.5h6.5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H6.5a1 1 0 0 1-1-1V6M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5h.01",
  warning: "M8 2.5 14.3 13.5H1.7ZM8 6.5v3M8 11.5h.01",
  mail: "M3 3.5h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1ZM2.3 4.5 8 8.7l5.7-4.2",
  bounce: "M3 12.5V9a4 4 0 0 1 4-4h6M10.5 2.5 13 5l-2.5 2.5",
  block: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4",
  user: "M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8ZM2.8 13.8c0-2.6 2.3-4.2 5.2-4.2s5.2 1.6 5.2 4.2",
  key: "M5.5 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM7.7 7.9l5.3-5.4M11 4.5l2 2M9 6.5l1.5 1.5",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.3 6.3a1.7 1.7 0 1 1 2.5 1.5c-.6.3-.8.7-.8 1.2M8 11.3h.01",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  external: "M9.5 2.5h4v4M13.5 2.5 8 8M11.5 9v3.5a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1H7",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.5",
  sign_out: "M6 13.5H3.5a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1H6M10.5 11l3-3-3-3M13.5 8h-8",
} as const;

export type IconName = keyof typeof paths;

export const icon = (name: IconName): Html =>
  html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${trusted(paths[name])}"/></svg>`;

/** The mark: an M that is the flap of an envelope. */
export const mark: Html = trusted(
  '<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M5.5 17V8.2l6.5 5 6.5-5V17"/></svg>',
);
