/**
 * The floor under every HTTP server on this Node: reads the body and answers fixed bytes with as many headers as
 * Mailroll. Usage: http.ts PORT ANSWER
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port = "", file = ""] = process.argv.slice(2);
const answer = readFileSync(file);
const headers = {
  "Content-Type": "text/xml; charset=utf-8",
  "Cache-Control": "private, max-age=0",
  "X-Content-Type-Options": "nosniff",
  "Content-Length": answer.length,
};

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    Buffer.concat(chunks);
    response.writeHead(200, headers);
    response.end(answer);
  });
}).listen(Number(port), "127.0.0.1");
