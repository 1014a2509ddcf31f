#!/bin/sh
# Makes sure that there is a Chromium for the browser tests: Debian's, installed once, as root.
[ -x /usr/bin/chromium ] || command -v chromium >/dev/null 2>&1 && exit 0
fail() {
  echo "The browser tests need Chromium, and $1. Install it (Debian: apt-get install chromium) and try again." >&2
  exit 1
}
[ "$(id -u)" -eq 0 ] || fail "only root can install it"
command -v apt-get >/dev/null 2>&1 || fail "there is no apt-get to install it with"
echo "Installing Chromium for the browser tests (only the first time) ..."
export DEBIAN_FRONTEND=noninteractive
{ apt-get update -qq && apt-get install -qq --yes --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 ||
  fail "apt-get could not install it"
