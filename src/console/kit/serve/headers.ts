/** Headers of every reply of the console. */
import { CONSOLE_POLICY } from "#html/served-assets.ts";

export const consoleHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": CONSOLE_POLICY,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // Without a referrer at all, a browser would not say which origin a form is sent from.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // For browsers that do not know frame-ancestors.
  "X-Frame-Options": "DENY",
};

/**
 * Of a document within a frame of the console, which anybody may have written: styles of its own and images
 * that it contains, but no script, no form, no request, and an origin of its own.
 */
export const framedHeaders: Readonly<Record<string, string>> = {
  ...consoleHeaders,
  "Content-Security-Policy": [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox",
  ].join("; "),
  "X-Frame-Options": "SAMEORIGIN",
};
