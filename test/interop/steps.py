"""The steps on standard input, and what came of each as a line of JSON: the same for all of Python's clients."""
import datetime
import json
import sys


def take_steps(call, fault_class, explain):
    for line in sys.stdin:
        operation, *cells = line.rstrip("\n").split("\t")
        parameters = dict(cell.split("=", 1) for cell in cells)
        if "CustomsFields" in parameters:
            pairs = (pair.split("=", 1) for pair in parameters["CustomsFields"].split("|"))
            fields = [{"Customfieldid": id, "Value": value} for id, value in pairs]
            parameters["CustomsFields"] = {"customField": fields}
        try:
            outcome = {"result": plain(call(operation, parameters))}
        except fault_class as fault:
            name = f"{type(fault).__module__}.{type(fault).__name__}"
            outcome = {"fault": {"type": name, **explain(fault)}}
        print(json.dumps(outcome, ensure_ascii=False), flush=True)


def plain(value):
    """As on the wire: every value a string."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return str(value)
