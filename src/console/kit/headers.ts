/** Headers of every reply of the console. */

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const consoleHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": policy,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // Without a referrer at all, a browser would not say which origin a form is sent from.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // For browsers that do not know frame-ancestors.
  "X-Frame-Options": "DENY",
};
