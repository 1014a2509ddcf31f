/** From the body of a request to a form. The body is in memory, and limited, before it gets here. */
import { Fault } from "../../contract/faults.ts";
import { emptyForm, Form, type SentFile } from "./form.ts";

const is = (type: string, contentType: string): boolean =>
  contentType.split(";")[0]?.trim().toLowerCase() === type;

/** Throws InvalidMessage and UnsupportedMediaType. */
export async function readForm(body: Buffer | undefined, contentType: string): Promise<Form> {
  if (body === undefined || body.length === 0) return emptyForm;
  if (is("application/x-www-form-urlencoded", contentType))
    return new Form(new URLSearchParams(body.toString()));
  if (is("multipart/form-data", contentType)) return await readParts(body, contentType);
  throw new Fault("UnsupportedMediaType", "The request must be sent by a form of this page.");
}

async function readParts(body: Buffer, contentType: string): Promise<Form> {
  const texts: [string, string][] = [];
  const files = new Map<string, SentFile>();
  for (const [name, value] of await parts(body, contentType)) {
    if (typeof value === "string") texts.push([name, value]);
    // A browser sends a file without name and bytes if none was chosen.
    else if (value.name !== "" || value.size > 0)
      files.set(name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return new Form(texts, files);
}

async function parts(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "Content-Type": contentType } }).formData();
  } catch {
    throw new Fault(
      "InvalidMessage",
      "The form could not be read. Open the page again and send it once more.",
    );
  }
}
