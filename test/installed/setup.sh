#!/bin/sh
# What the tests of installations need: a way to make a bare Debian, and a builder of images without a daemon.
set -e
missing=
for tool in debootstrap buildah dpkg-deb:dpkg curl; do
  command -v "${tool%%:*}" >/dev/null || missing="$missing ${tool#*:}"
done
# shellcheck disable=SC2086 # a list of words
[ -z "$missing" ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; }
