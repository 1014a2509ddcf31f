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
def add_subscriber(key, list_id, address):
    """Gives back the byte: 0 is done; any other value is a refusal, and nothing was changed."""
    return service["Subscriber.Add"](APIKey=key, SubscribersListID=list_id, EMail=address)
# </call>


# <list>
def records(result):
    """The records of any operation that lists; suds gives an empty text where there are none."""
    if not result:
        return []
    [rows] = dict(result).values()
    return [dict(row) for row in rows]
# </list>


# <fault>
def explain(error):
    """What a program can decide by, and what a person should read."""
    return {"code": error.fault.detail.error.code, "text": error.fault.faultstring}
# </fault>


def call(operation, parameters):
    if operation == "Subscriber.Add":
        return add_subscriber(*parameters.values())
    result = service[operation](**parameters)
    if "List" in operation or operation == "Field.GetFields":
        return records(result)
    return dict(result) if hasattr(result, "CampaignID") else result


take_steps(call, suds.WebFault, explain)
