/** The field for a code of the second factor, or a recovery code. */
import { textField } from "#html/components/fields.ts";
import type { Html } from "#html/html.ts";
import type { ShownForm } from "../../kit/forms/form.ts";
import { code } from "./sign-in.texts.ts";

export const codeField = (shown: ShownForm, hint: string, isOptional = false): Html =>
  textField({
    name: "code",
    label: code,
    hint,
    error: shown.problem("code"),
    autocomplete: "one-time-code",
    width: "medium",
    isOptional,
  });
