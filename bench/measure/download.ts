/** Downloads one response with curl, which costs next to nothing itself. */
import { runToEnd } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";

export interface Download {
  readonly bytes: number;
  readonly seconds: number;
  readonly firstByteMs: number;
}

const FORMAT = "%{http_code} %{size_download} %{time_starttransfer} %{time_total}";

export function readDownload(text: string): Download {
  const [status, bytes = 0, firstByte = 0, seconds = 0] = text.trim().split(" ").map(Number);
  if (status !== 200) throw new Error(`HTTP ${status}`);
  return { bytes, seconds, firstByteMs: firstByte * 1000 };
}

let messages = 0;

export async function download(folder: RunFolder, url: string, message: string): Promise<Download> {
  messages += 1;
  const file = folder.write(`download-${messages}.xml`, message);
  const args = ["--silent", "--show-error", "--output", "/dev/null", "--write-out", FORMAT];
  const request = [
    "--header",
    "Content-Type: text/xml; charset=utf-8",
    "--header",
    "Expect:",
    "--data-binary",
    `@${file}`,
  ];
  return readDownload(await runToEnd("curl", [...args, ...request, url]));
}
