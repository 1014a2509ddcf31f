#!/bin/sh
# Installs what the bench's peers and its load generator need, on Debian. Run it as root. What is missing all the same is
# left out of the measurement by name; only wrk and curl cannot be done without.
set -eu
command -v apt-get >/dev/null || { echo "bench/setup.sh: this machine has no apt-get; install wrk, curl, gSOAP, g++, SQLite's headers, nginx and php-fpm with soap and sqlite by hand" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "bench/setup.sh: run it as root, such as: sudo sh bench/setup.sh" >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive
# The bench starts its own servers, on configurations and ports of its own: none is to run by itself.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends \
  wrk curl postfix \
  gcc g++ gsoap libgsoap-dev libsqlite3-dev \
  nginx-light php-fpm php-soap php-sqlite3
echo "bench/setup.sh: done"
