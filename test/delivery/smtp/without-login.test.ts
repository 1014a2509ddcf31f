/** The password of a relay in a reply of several lines. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutLogin } from "#delivery/smtp/without-login.ts";

const user = "shop";
const split = (form: string, at: number, between: string): string =>
  form.slice(0, at) + between + form.slice(at);

test("masks a password that a relay splits over two lines, wherever it splits it", () => {
  for (const password of ["TopSecretPw", "key-Top-Secret", "p:ss/w@rd %+ü.*"]) {
    const hide = withoutLogin({ user, password });
    const login = Buffer.from(`\0${user}\0${password}`).toString("base64").replace(/=+$/, "");
    for (const form of [password, login])
      for (let at = 1; at < form.length; at += 1)
        for (const [first, next] of [
          ["535-5.7.8 ", "535 5.7.8 "],
          ["535-", "535-"],
          ["Invalid login: 535-", "535 "],
        ] as const)
          assert.equal(
            hide(`${first}not ${split(form, at, `\n${next}`)}, sorry\n535 bye`),
            `${first}not <password>\n${next}, sorry\n535 bye`,
            `${form} after ${at}`,
          );
  }
});

test("masks a password that a relay splits at its space, and one over three lines", () => {
  const hide = withoutLogin({ user, password: "correct horse battery" });
  assert.equal(
    hide("535-5.7.8 (correct\n535-5.7.8   horse\n535 5.7.8 battery)"),
    "535-5.7.8 (<password>\n535-5.7.8 \n535 5.7.8 )",
  );
});

test("leaves other lines as they are", () => {
  const reply = "550-5.1.1 Top\n550-5.1.1 secret\n550 5.1.1 Pw";
  assert.equal(withoutLogin({ user, password: "TopSecretWord" })(reply), reply);
  assert.equal(withoutLogin({ user, password: "ab" })("550-a bad\n550 band"), "550-a bad\n550 band");
  assert.equal(withoutLogin({ user, password: "550" })("550-no\n550 no"), "550-no\n550 no");
});

test("reads a long reply quickly, whatever the password is", () => {
  const replies = [" ", " \n", "\n--", "\n535--", "a", "a \n", "a\n\n"].map(
    (part) => `535 a${part.repeat(20_000)}c`,
  );
  for (const password of [" ".repeat(60), `a${" ".repeat(60)}b`, "-".repeat(60), `${"a".repeat(60)}b`]) {
    const hide = withoutLogin({ user, password });
    for (const reply of replies) assert.ok(hide(reply).startsWith("535 "));
  }
});
