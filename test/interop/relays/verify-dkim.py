"""Verifies the DKIM signature of a message on standard input. Argument: the text of the DNS record."""
import sys

import dkim

record = sys.argv[2].encode()


def text_record(name, timeout=5):
    return record if name.decode() == sys.argv[1] + "." else None


print("pass" if dkim.verify(sys.stdin.buffer.read(), dnsfunc=text_record) else "fail")
