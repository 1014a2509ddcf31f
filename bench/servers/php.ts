/** The PHP peer: SoapServer in php-fpm behind nginx, with generated configurations. */
import { resolve } from "node:path";
import { freePort } from "../../test/free-port.ts";
import { phpFpm } from "../installed.ts";
import { RunningProgram } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";
import { type Server, servingFrom } from "./server.ts";

const script = resolve(import.meta.dirname, "../peers/php/index.php");
const isRoot = process.getuid?.() === 0;
const CHILDREN = 4;

const poolOf = (socket: string, log: string): string => `[global]
error_log = ${log}
daemonize = no
[bench]
listen = ${socket}
${isRoot ? "user = root\ngroup = root" : ""}
pm = static
pm.max_children = ${CHILDREN}
pm.max_requests = 0
php_admin_value[memory_limit] = -1
php_admin_value[max_execution_time] = 0
php_admin_value[opcache.enable] = 1
php_admin_value[opcache.validate_timestamps] = 0
`;

const siteOf = (folder: string, port: number, socket: string, database: string, wsdl: string): string => `
daemon off;
worker_processes 1;
pid ${folder}/nginx-${port}.pid;
${isRoot ? "user root;" : ""}
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/nginx-body;
  fastcgi_temp_path ${folder}/nginx-fastcgi;
  proxy_temp_path ${folder}/nginx-proxy;
  uwsgi_temp_path ${folder}/nginx-uwsgi;
  scgi_temp_path ${folder}/nginx-scgi;
  client_body_buffer_size 64k;
  keepalive_timeout 60;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port} backlog=511;
    location / {
      fastcgi_pass unix:${socket};
      fastcgi_read_timeout 120;
      fastcgi_param SCRIPT_FILENAME ${script};
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param REQUEST_URI $request_uri;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param BENCH_DATABASE ${database};
      fastcgi_param BENCH_WSDL ${wsdl};
    }
  }
}
`;

export async function startPhp(
  folder: RunFolder,
  name: string,
  database: string,
  wsdl: string,
): Promise<Server> {
  const port = await freePort();
  const [socket, log] = [folder.file(`php-${port}.sock`), folder.file(`php-${port}.log`)];
  const pool = folder.write(`php-${port}.conf`, poolOf(socket, log));
  const site = folder.write(`nginx-${port}.conf`, siteOf(folder.path, port, socket, database, wsdl));
  const fpm = await RunningProgram.start(
    phpFpm() ?? "php-fpm",
    ["--nodaemonize", ...(isRoot ? ["--allow-to-run-as-root"] : []), "--fpm-config", pool],
    { cwd: folder.path, log },
  );
  const nginx = await RunningProgram.start("/usr/sbin/nginx", ["-e", log, "-c", site], {
    cwd: folder.path,
    log,
  });
  return servingFrom(database, name, port, nginx, fpm);
}
