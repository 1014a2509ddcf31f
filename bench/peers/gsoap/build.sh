#!/bin/sh
# Makes the gSOAP peer in the folder given: soapcpp2 writes the messages, g++ compiles.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
cd "$1"
soapcpp2 -S -L -x -w -d . -I/usr/share/gsoap/import "$here/mailroll.h" >soapcpp2.log || { cat soapcpp2.log >&2; exit 1; }
g++ -O2 -std=c++17 -I. -I"$here" "$here"/*.cpp soapC.cpp soapServer.cpp -o server -lgsoap++ -lsqlite3 -lpthread
