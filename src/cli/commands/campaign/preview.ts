/** `mailroll campaign preview|test|check`: how a message looks, and whether the campaign is ready. */

import { checkCampaign } from "#admin/campaigns/checks.ts";
import {
  MAX_TEST_ADDRESSES,
  type MessageProblem,
  previewCampaign,
  type RenderedMessage,
  testSend,
} from "#admin/campaigns/preview.ts";
import { inWords } from "#admin/kit/in-words.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { requireOutputFile, saveFile } from "../../kit/files.ts";
import { parseId } from "../../kit/parse-call.ts";
import { counted, formatNumber } from "../../kit/terminal/text.ts";

const problemText = (problem: MessageProblem): string => {
  switch (problem.kind) {
    case "empty field":
      return `${problem.field} has no value; a default helps: {{ ${problem.field} | default: "…" }}`;
    case "long line":
      return `a line has ${formatNumber(problem.characters)} characters; servers that encode the message again may break lines of more than 998`;
    case "large":
      return `the HTML has ${formatNumber(Math.ceil(problem.bytes / 1024))} KB; Gmail clips it at 102 KB`;
    case "needs SMTPUTF8":
      return "the address needs a relay that supports SMTPUTF8";
    case "refused value":
      return `${problem.text} has a value that is not allowed there, such as a link to a script; it is left out`;
    case "joined links":
      return `two links of the text run into each other: ${problem.text}; put a space between them`;
    case "not rendered":
      return problem.text;
  }
};

const partOf = ({ html, text, source }: RenderedMessage, file: string): string => {
  if (file.endsWith(".eml")) return source;
  if (file.endsWith(".txt")) return text;
  if (html === null) throw new Failure("the campaign has no HTML; give a file that ends in .eml or .txt");
  return html;
};
async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}

async function preview({ args, option, has, config, performInAccount, out }: Context): Promise<void> {
  const file = option("output");
  if (file !== undefined) {
    if (!/\.(?:eml|html|txt)$/.test(file))
      throw new UsageError("--output FILE must end in .eml (the whole message), .html or .txt");
    const otherwise = "give the path of a file";
    requireOutputFile(file, config.database, { otherwise, mayReplace: has("force") });
  }
  const message = await performInAccount(previewCampaign, {
    campaign: parseId(args[0], "ID"),
    email: option("for") ?? null,
  });
  for (const problem of message.problems) out.note(`note: ${problemText(problem)}`);
  if (file !== undefined) {
    const { signal } = new AbortController();
    await saveFile(whole(partOf(message, file)), file, { signal, mayReplace: has("force") });
    out.result(
      { file, bytes: message.size },
      () => `Wrote ${file}. Its unsubscribe link unsubscribes nobody.`,
    );
    return;
  }
  const { framedHtml: _, preheader: _preheader, missing: _missing, problems, ...rest } = message;
  const document = {
    ...inWords(rest, { size: "sizeBytes", htmlSize: "htmlBytes" }),
    problems: problems.map((problem) =>
      problem.kind === "empty field" ? inWords(problem, { field: "mergeField" }) : problem,
    ),
  };
  out.result(document, () =>
    [
      ...message.headers.map(({ name, value }) => `${name}: ${value}`),
      "",
      message.text,
      "",
      `${formatNumber(message.size)} bytes, ${formatNumber(message.htmlSize)} of HTML. The unsubscribe link unsubscribes nobody.`,
    ].join("\n"),
  );
}

async function test({ args, option, performInAccount, out }: Context): Promise<void> {
  const campaign = parseId(args[0], "ID");
  const to = (option("to") ?? "").split(",").map((one) => one.trim());
  const results = await performInAccount(testSend, { campaign, to });
  const lines = results.map(
    ({ address, reply, isAccepted }) => `${isAccepted ? "sent" : "failed"}  ${address}  ${reply}`,
  );
  const failures = results.filter(({ isAccepted }) => !isAccepted);
  const document = { results: results.map((result) => inWords(result, { address: "email" })) };
  out.result(document, () => lines.join("\n"));
  if (failures.length === 0) return;
  out.json(document);
  throw new Failure(`${counted(failures.length, "test message")} could not be handed over to the relay`);
}

async function check({ args, has, performInAccount, out }: Context): Promise<void> {
  const campaign = parseId(args[0], "ID");
  const { checks, size } = await performInAccount(checkCampaign, { campaign, allowsHttp: has("allow-http") });
  const failures = checks.filter(({ status }) => status === "failed");
  out.result({ isReady: failures.length === 0, recipients: size, checks }, () =>
    checks
      .map(({ name, status, text, advice }) =>
        [
          `${status.padEnd(8)} ${name}: ${text}`,
          ...(advice === null ? [] : [`${" ".repeat(9)}${advice}`]),
        ].join("\n"),
      )
      .join("\n"),
  );
  if (failures.length > 0)
    throw new Failure(
      `campaign ${campaign} is not ready to be sent: ${counted(failures.length, "check")} failed`,
      "NotReady",
    );
}

export const allowHttp = {
  "allow-http": { doc: "Allow unsubscribe links with http. Only for trying out." },
};

export const previewCommands: readonly Command[] = [
  {
    name: "campaign preview",
    args: ["ID"],
    options: {
      for: { value: "EMAIL", doc: "The message of this subscriber (default: of a sample person)." },
      output: {
        value: "FILE",
        doc: "Write it to a file that ends in .eml (the whole message), .html or .txt.",
      },
      force: { doc: "Replace the file if it exists." },
    },
    doc: "Shows the message that a subscriber would get. Nothing is sent.",
    details: "The unsubscribe link in a preview unsubscribes nobody.",
    example: "campaign preview 1 --for ada@example.org",
    inputs: { email: "for" },
    run: preview,
  },
  {
    name: "campaign test",
    args: ["ID"],
    options: {
      to: {
        value: "EMAIL",
        required: true,
        doc: `The addresses, separated by commas; at most ${MAX_TEST_ADDRESSES}.`,
      },
    },
    doc: "Sends a test message, now, through the relay of the sender.",
    details: `The subject begins with [Test]. The unsubscribe link unsubscribes nobody. A subscriber gets their own message, any
other address that of a sample person. A suppressed address is refused. A test does not count as sent.`,
    example: "campaign test 1 --to ada@example.org",
    run: test,
  },
  {
    name: "campaign check",
    args: ["ID"],
    options: allowHttp,
    doc: "Checks whether a campaign is ready to be sent, and says what to do if it is not.",
    example: "campaign check 1",
    run: check,
  },
];
