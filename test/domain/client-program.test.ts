/** Which program a User-Agent names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programOf } from "#domain/access/client-program.ts";

const named: readonly (readonly [userAgent: string | undefined, program: string])[] = [
  [undefined, "(none)"],
  ["", "(none)"],
  ["  ", "(none)"],
  ["PHP-SOAP/7.4.3", "PHP-SOAP 7.4"],
  ["PHP-SOAP/8.2.0-1ubuntu2", "PHP-SOAP 8.2"],
  ["NuSOAP/0.9.5 (1.123)", "NuSOAP 0.9"],
  ["Axis/1.4", "Axis 1.4"],
  ["Axis2", "Axis2"],
  ["Apache-CXF/3.5.2", "Apache-CXF 3.5"],
  ["Apache CXF 3.1.1", "Apache CXF 3.1"],
  ["Apache-HttpClient/UNAVAILABLE (java 1.5)", "Apache-HttpClient"],
  ["JAX-WS RI 2.2.9-b14002 svn-revision#14002", "JAX-WS RI 2.2"],
  ["Java/1.8.0_181", "Java 1.8"],
  ["gSOAP/2.8", "gSOAP 2.8"],
  ["Zeep/4.1.0 (www.python-zeep.org)", "Zeep 4.1"],
  ["python-requests/2.31.0", "python-requests 2.31"],
  ["SOAP::Lite/Perl/1.27", "SOAP::Lite"],
  ["node-soap/1.0.0", "node-soap 1.0"],
  ["curl/7.68.0", "curl 7.68"],
  ["curl", "curl"],
  ["1C+Enterprise/8.3", "1C+Enterprise 8.3"],
  [
    "Mozilla/4.0 (compatible; MSIE 6.0; MS Web Services Client Protocol 4.0.30319.42000)",
    "MS Web Services Client Protocol 4.0",
  ],
  ["Mozilla/3.0 (compatible; Indy Library)", "Indy Library"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0", "Firefox"],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
    "Chrome",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 Edg/120.0",
    "Edge",
  ],
  ["Mozilla/5.0 (something else)", "Mozilla"],
];
for (const [userAgent, program] of named)
  test(`the User-Agent ${JSON.stringify(userAgent)} is the program ${program}`, () =>
    assert.equal(programOf(userAgent), program));

test("keeps neither an address nor a key of a User-Agent, and no more than a short text without control characters", () => {
  const hostile = [
    "ada@example.org",
    "ada%40example.org",
    "crawler ada@example.org",
    "x ada.lovelace@example.org/1.0",
    "0123456789ABCDEF0123456789ABCDEF",
    "Shop 0123456789ABCDEF0123456789ABCDEF",
    "x".repeat(100_000),
    "a b c d e f ".repeat(10_000),
    "1".repeat(100_000),
    "/".repeat(100_000),
    "Shop\u0000\u001b[31m\n/1.0",
    "Ünïcode/1.0",
    "<script>alert(1)</script>",
    "'; DROP TABLE call_day; --",
    "(other)",
  ];
  for (const text of hostile) {
    const program = programOf(text);
    assert.match(program, /^(?:\(other\)|[\w.:+ -]{1,72})$/, text);
    assert.doesNotMatch(program, /@|ada.*example|0123456789/, text);
  }
});
