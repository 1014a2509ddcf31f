"""Reads documents with expat: paths on standard input, for each a line of JSON: what is in it, or why it is none."""
import json
import sys
from xml.parsers import expat


def read(path):
    events = []
    text = []

    def end_text():
        if text:
            events.append(["text", "".join(text)])
            text.clear()

    def name(given):
        uri, _, local = given.rpartition("\n")
        return [uri, local]

    def start(tag, attributes):
        end_text()
        pairs = zip(attributes[::2], attributes[1::2])
        events.append(["start", name(tag), sorted([*name(key), value] for key, value in pairs)])

    def end(tag):
        end_text()
        events.append(["end", name(tag)])

    parser = expat.ParserCreate(namespace_separator="\n")
    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    try:
        with open(path, "rb") as file:
            parser.ParseFile(file)
    except (expat.ExpatError, LookupError, ValueError) as error:
        return {"refused": str(error)}
    return {"events": events}


for line in sys.stdin:
    print(json.dumps(read(line.rstrip("\n"))))
