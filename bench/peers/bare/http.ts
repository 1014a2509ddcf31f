/**
 * The floor under every HTTP server on this Node: reads the body and answers fixed bytes under fixed headers.
 * Usage: http.ts PORT BODY HEADERS
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port = "", bodyFile = "", headersFile = ""] = process.argv.slice(2);
const body = readFileSync(bodyFile);
const headers = JSON.parse(readFileSync(headersFile, "utf8")) as Record<string, string>;

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    Buffer.concat(chunks);
    response.writeHead(200, headers);
    response.end(body);
  });
}).listen(Number(port), "127.0.0.1");
