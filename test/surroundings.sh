#!/bin/sh
# Runs a command in a clone of this one that is not as the tests might expect: its path has a space, the
# service runs in it on port 8080 and has left its data there, Mailroll's variables are set, time zone and
# language are others, and HOME is missing. A test that depends on what is around it fails. With --as USER, as
# another user, who may not do what root may.
set -eu
cd "$(dirname "$0")/.."
if [ "$1" = --as ]; then
  user=$2
  shift 2
  run="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
else
  user=$(id -un)
  run=
fi
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -- "-$server" 2>/dev/null || true; wait || true; rm -rf "$folder"' EXIT
clone="$folder/a clone"
git clone -q . "$clone"
# Links, unless temporary files are on another disk.
cp -al node_modules "$clone/" 2>/dev/null || { rm -rf "$clone/node_modules" && cp -a node_modules "$clone/"; }
# Not linked: the lockfile, so that it is newer than the clone's and nothing is installed, and what Node writes.
rm -rf "$clone/node_modules/.package-lock.json" "$clone/node_modules/.cache"
mkdir -p node_modules/.cache
cp -r node_modules/.package-lock.json node_modules/.cache "$clone/node_modules/"
[ -z "$run" ] || {
  chown "$user" "$folder" "$clone/node_modules"
  chown -R "$user" "$clone/node_modules/.cache"
  find "$clone" -name node_modules -prune -o -exec chown "$user" {} +
}
cd "$clone"

if ! locale -a | grep -qx de_DE.utf8; then
  [ -e /usr/share/i18n/locales/de_DE ] || apt-get install -y -qq --no-install-recommends locales >/dev/null
  localedef -i de_DE -f UTF-8 de_DE.UTF-8
fi
export TZ=America/Sao_Paulo LANG=de_DE.UTF-8
unset HOME LC_ALL
# shellcheck disable=SC2086 # a list of words
setsid $run npm start >"$folder/out" 2>&1 &
server=$!
until grep -q "/default.asmx" "$folder/out"; do
  kill -0 "$server" || { cat "$folder/out"; exit 1; }
  sleep 0.2
done
[ -f data/mailroll.db ]

export MAILROLL_DATABASE=sqlite:./data/mailroll.db MAILROLL_PORT=8080 MAILROLL_LOG=debug
# What only root may do is then skipped.
[ -z "$run" ] || unset CI
# shellcheck disable=SC2086
$run "$@"
