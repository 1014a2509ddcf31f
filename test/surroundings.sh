#!/bin/sh
# Runs a command in a clone of this one that is not as the tests might expect: its path has a space, the
# service runs in it on port 8080 and has left its data there, Mailroll's variables are set, time zone and
# language are others, and HOME is missing. A test that depends on what is around it fails.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -- "-$server" 2>/dev/null; wait; rm -rf "$folder"' EXIT
git clone -q . "$folder/a clone"
cp -al node_modules "$folder/a clone/"
cd "$folder/a clone"

if ! locale -a | grep -qx de_DE.utf8; then
  apt-get install -y -qq --no-install-recommends locales >/dev/null
  localedef -i de_DE -f UTF-8 de_DE.UTF-8
fi
export TZ=America/Sao_Paulo LANG=de_DE.UTF-8
unset HOME LC_ALL
setsid npm start >"$folder/out" 2>&1 &
server=$!
until grep -q "/default.asmx" "$folder/out"; do
  kill -0 "$server" || { cat "$folder/out"; exit 1; }
  sleep 0.2
done
[ -f data/mailroll.db ]

export MAILROLL_DATABASE=sqlite:./data/mailroll.db MAILROLL_PORT=8080 MAILROLL_LOG=debug
"$@"
