"""Takes suds through the steps on standard input. python3 client.py ENDPOINT"""
import sys

sys.path.insert(0, f"{sys.path[0]}/..")
from steps import take_steps

endpoint = sys.argv[1]

# <connect>
import suds.client

client = suds.client.Client(f"{endpoint}?wsdl")
service = client.service["MailrollSoap"]
# </connect>


# <call>
def subscribe(key, list_id, address):
    """Adds an address and returns the result as text."""
    try:
        byte = service["Subscriber.Add"](APIKey=key, SubscribersListID=list_id, EMail=address)
    except suds.WebFault as error:
        # The code is for the program, the text for a person.
        return f"fault {error.fault.detail.error.code}: {error.fault.faultstring}"
    return "done" if byte == 0 else f"refused: {byte}"  # refused: nothing was changed
# </call>


# <list>
def records(result):
    """The records of a list operation. If there are none, suds returns an empty string."""
    if not result:
        return []
    [rows] = dict(result).values()
    return [dict(row) for row in rows]
# </list>


def call(operation, parameters):
    if operation == "Subscriber.Add":
        return subscribe(*parameters.values())
    result = service[operation](**parameters)
    if "List" in operation or operation == "Field.GetFields":
        return records(result)
    return dict(result) if hasattr(result, "CampaignID") else result


def explain(error):
    return {"code": error.fault.detail.error.code, "text": error.fault.faultstring}


take_steps(call, suds.WebFault, explain)
