"""Takes zeep through the steps on standard input. python3 client.py ENDPOINT 1.1|1.2"""
import sys

sys.path.insert(0, f"{sys.path[0]}/..")
from steps import take_steps

endpoint, version = sys.argv[1:]

# <connect>
import zeep
from zeep.helpers import serialize_object

port = "MailrollSoap12" if version == "1.2" else "MailrollSoap"
service = zeep.Client(f"{endpoint}?wsdl").bind("Mailroll", port)
# </connect>


# <call>
def subscribe(key, list_id, address):
    """Adds an address and returns the result as text."""
    try:
        byte = service["Subscriber.Add"](APIKey=key, SubscribersListID=list_id, EMail=address)
    except zeep.exceptions.Fault as fault:
        # The code is for the program, the message for a person.
        return f"fault {code_of(fault)}: {fault.message}"
    return "done" if byte == 0 else f"refused: {byte}"  # refused: nothing was changed


def code_of(fault):
    return fault.detail.findtext(".//{*}code")
# </call>


# <list>
def records(result):
    """The records of a list operation, as dictionaries. If there are none, zeep returns None."""
    return serialize_object(result, dict) or []


def last_sent_campaign(key):
    """The last sent campaign, or None. If there is none, zeep returns a record in which every value is None."""
    campaign = service["Client.GetLastSentCampaign"](APIKey=key)
    return None if campaign.CampaignID is None else serialize_object(campaign, dict)
# </list>


def call(operation, parameters):
    if operation == "Subscriber.Add":
        return subscribe(*parameters.values())
    if operation == "Client.GetLastSentCampaign":
        return last_sent_campaign(*parameters.values())
    result = service[operation](**parameters)
    return records(result) if "List" in operation or operation == "Field.GetFields" else result


take_steps(call, zeep.exceptions.Fault, lambda fault: {"code": code_of(fault), "text": fault.message})
