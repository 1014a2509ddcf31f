/** `mailroll user totp …`: the second factor of a user's log-in. */
import { confirmUserTotp, enrolUserTotp, removeUserTotp } from "#admin/users/credentials.ts";
import type { Command, Context } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { userDocument } from "../../kit/documents.ts";
import { findUser } from "./find-user.ts";

async function remove(context: Context): Promise<void> {
  const { perform, out } = context;
  const { id, email } = await findUser(context);
  await requireConfirmation(context, {
    verb: "Remove",
    does: "removes",
    done: "removed",
    what: `the second factor of user ${id} (${email})`,
    consequence: "The user then logs in with the password alone.",
  });
  const user = await perform(removeUserTotp, { account: null, id });
  out.result(userDocument(user), () => `The second factor of user ${id} (${email}) was removed.`);
}

export const totpCommands: readonly Command[] = [
  {
    name: "user totp enrol",
    args: ["EMAIL"],
    options: {},
    doc: "Creates a secret for the authenticator app of a user, and shows it once.",
    details: `The user adds the secret to the app. The new second factor takes effect with 'user totp confirm'; until then, an earlier one
stays in effect.`,
    example: "user totp enrol ada@example.org",
    inAccount: false,
    run: async (context) => {
      const { perform, out } = context;
      const { id, email } = await findUser(context);
      const enrolment = await perform(enrolUserTotp, { account: null, id });
      out.result(
        enrolment,
        () =>
          `${enrolment.secret}\n${enrolment.uri}\n\nAdd this to the authenticator app, then run: mailroll user totp confirm ${email} CODE`,
      );
    },
  },
  {
    name: "user totp confirm",
    args: ["EMAIL", "CODE"],
    options: {},
    doc: "Confirms the authenticator app with its current code, and shows recovery codes once.",
    details: `From then on the user logs in with the password and a code of the app. A user who has lost the app can log in with a recovery
code instead; each recovery code works once.`,
    example: "user totp confirm ada@example.org 123456",
    inAccount: false,
    ifNotShown:
      "The second factor is in effect, but the recovery codes were not shown: enrol again with 'mailroll user totp enrol EMAIL'",
    run: async (context) => {
      const { args, perform, out } = context;
      const { id, email } = await findUser(context);
      const result = await perform(confirmUserTotp, { account: null, id, code: args[1] ?? "" });
      out.result(
        result,
        () =>
          `${result.recoveryCodes.join("\n")}\n\nLog-ins of user ${id} (${email}) need a code now. These are the recovery codes; each works once. They are shown only once: save them now.`,
      );
    },
  },
  {
    name: "user totp remove",
    args: ["EMAIL"],
    options: yesOption,
    doc: "Removes the second factor of a user, after confirmation: for somebody who has lost the app.",
    example: "user totp remove ada@example.org --yes",
    inAccount: false,
    run: remove,
  },
];
