/**
 * Exim, unpacked by setup.sh: as a package it excludes Postfix. It takes three messages of a connection only.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MailServer } from "./mail-server.ts";

const program = join(import.meta.dirname, "../../../node_modules/.cache/mailroll-interop/exim4");

export const exim: MailServer = {
  name: "Exim",
  user: "Debian-exim",
  folders: ["spool", "mail"],
  configure: ({ folder, port, certificate }) => ({
    "exim.conf": `exim_path = ${program}
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
pid_file_path = ${folder}/spool/pid
primary_hostname = exim.example
local_interfaces = <; 127.0.0.1
daemon_smtp_ports = ${port}
deliver_drop_privilege = true
host_lookup =
rfc1413_hosts =
keep_environment =
smtp_accept_max_per_connection = 3
message_size_limit = 200000
tls_advertise_hosts = *
tls_certificate = ${certificate.cert}
tls_privatekey = ${certificate.key}
auth_advertise_hosts = *
acl_smtp_mail = check_mail
acl_smtp_rcpt = check_rcpt

begin acl
check_mail:
  deny senders = banned@example.org
       message = Not you
  accept
check_rcpt:
  deny senders = unverified@example.org
       ! verify = sender
  deny ! domains = example.com
       message = relay not permitted
  defer recipients = later@example.com
        message = Come again
  deny recipients = full@example.com
       message = 552 5.2.2 Over quota
  deny recipients = spam@example.com
       message = Looks like spam
  deny recipients = member@example.com
       ! authenticated = *
  require verify = recipient
  accept

begin routers
local:
  driver = accept
  local_parts = good : also : jürgen : member
  transport = folder

begin transports
folder:
  driver = appendfile
  directory = ${folder}/mail
  directory_file = \${local_part}.\${message_exim_id}
  create_directory = false
  user = Debian-exim

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{news}}{eq{$auth3}{secret}}}}
  server_set_id = $auth2
`,
  }),
  run: ({ folder }) => [program, "-C", join(folder, "exim.conf"), "-bdf"],
  stop: null,
  delivered: ({ folder }, person) => {
    const box = join(folder, "mail");
    return readdirSync(box)
      .filter((name) => name.startsWith(`${person}.`))
      .map((name) => join(box, name));
  },
  log: ({ folder }) => {
    const file = join(folder, "spool/mainlog");
    return existsSync(file) ? readFileSync(file, "utf8").slice(-2000) : "";
  },
};
