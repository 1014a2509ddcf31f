/**
 * Postfix, installed by setup.sh. Its own instance is not touched: every path is in the folder of the test.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MailServer } from "./mail-server.ts";

const users = ["good", "also", "jürgen"];

/** All services that a message needs; none of them in a chroot. */
const services = `pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

export const postfix: MailServer = {
  name: "Postfix",
  user: "postfix",
  folders: ["spool", "data", "mail"],
  configure: ({ folder, port, certificate, uid, gid }) => ({
    "master.cf": `127.0.0.1:${port} inet n - n - - smtpd\n${services}`,
    "main.cf": `compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
maillog_file = ${folder}/data/log
maillog_file_prefixes = ${folder}
myhostname = postfix.example
mydestination =
mynetworks =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
virtual_mailbox_domains = example.com
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = inline:{ ${users.map((user) => `{ ${user}@example.com = ${user}/ }`).join(" ")} }
virtual_minimum_uid = 1
virtual_uid_maps = static:${uid}
virtual_gid_maps = static:${gid}
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access inline:{
  { later@example.com = 450 4.2.0 Come again }
  { full@example.com = 552 5.2.2 Over quota }
  { spam@example.com = 554 5.7.1 Looks like spam } }
smtpd_sender_restrictions = check_sender_access inline:{ { banned@example.org = 550 5.7.1 Not you } }
message_size_limit = 200000
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${certificate.cert}
smtpd_tls_key_file = ${certificate.key}
`,
  }),
  run: ({ folder }) => ["postfix", "-c", folder, "start-fg"],
  stop: ({ folder }) => ["postfix", "-c", folder, "stop"],
  delivered: ({ folder }, person) => {
    const box = join(folder, "mail", person, "new");
    return existsSync(box) ? readdirSync(box).map((name) => join(box, name)) : [];
  },
  log: ({ folder }) => {
    const file = join(folder, "data/log");
    return existsSync(file) ? readFileSync(file, "utf8").slice(-2000) : "";
  },
};
