#!/bin/sh
# Makes sure that every client, proxy and mail server of the interoperability run is there: Debian's packages,
# installed once, as root, and strong-soap with its own lockfile. A client that cannot be installed is a failure.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
cache=$here/../../node_modules/.cache/mailroll-interop
export DEBIAN_FRONTEND=noninteractive

packages="curl jq php-cli php-soap python3-zeep python3-suds libsoap-lite-perl gsoap libgsoap-dev libssl-dev g++ mono-devel mono-mcs
  jaxws libaxis-java default-jdk-headless libxml2-utils python3-xmlschema postfix python3-dkim dnsmasq-base
  libdb5.3 libgnutls-dane0 libidn12 libnsl2 libpcre2-8-0"
# Only unpacked: the schema of SOAP 1.2 comes with a server, and an installed proxy would begin to serve.
schema_package=erlang-yaws
proxies="nginx caddy"
# Excludes Postfix as a package. It needs the libraries above, and a user by this name.
exim=exim4-daemon-light
exim_user=Debian-exim

fail() {
  echo "The interoperability run needs $1, and $2." >&2
  exit 1
}
apt() { apt-get -qq -o DPkg::Lock::Timeout=300 "$@"; }

missing=
for package in $packages; do
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
    missing="$missing $package"
done
is_unpacked() {
  [ -s "$cache/soap12-envelope.xsd" ] && [ -x "$cache/nginx" ] && [ -x "$cache/caddy" ] && [ -x "$cache/exim4" ]
}
if [ -n "$missing" ] || ! is_unpacked; then
  command -v apt-get >/dev/null 2>&1 || fail "Debian packages:$missing" "there is no apt-get to install them with"
  [ "$(id -u)" -eq 0 ] || [ -z "$missing" ] || fail "Debian packages:$missing" "only root can install them"
  echo "Installing clients and mail servers (only the first time):$missing"
  log=$(mktemp)
  {
    apt update
    # shellcheck disable=SC2086 # a list of words
    [ -z "$missing" ] || apt install --yes --no-install-recommends $missing
  } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "Debian packages:$missing" "apt-get could not install them"
  }
  rm -f "$log"
fi

if ! is_unpacked; then
  scratch=$(mktemp -d)
  chmod 755 "$scratch"
  mkdir -p "$cache"
  (
    # shellcheck disable=SC2086 # a list of words
    cd "$scratch" && apt download "$schema_package" $proxies "$exim" &&
      for package in ./*.deb; do dpkg-deb --extract "$package" . || exit 1; done &&
      set -- usr/lib/yaws*/priv/soap-envelope.xsd && cp "$1" "$cache/soap12-envelope.xsd" &&
      cp usr/sbin/nginx usr/bin/caddy usr/sbin/exim4 "$cache"
  ) >"$scratch/log" 2>&1 || {
    tail -n 20 "$scratch/log" >&2
    fail "the schema of SOAP 1.2, nginx, Caddy and Exim" "they could not be taken from Debian's packages"
  }
  rm -rf "$scratch"
fi

getent passwd "$exim_user" >/dev/null ||
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$exim_user" ||
  fail "the user $exim_user" "only root can create it"

for client in strong-soap api-client; do
  modules=$here/$client/node_modules/.package-lock.json
  if [ ! "$modules" -nt "$here/$client/package-lock.json" ]; then
    npm ci --prefix "$here/$client" --loglevel=error >/dev/null || fail "$client" "npm could not install it"
    touch "$modules"
  fi
done
