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
def add_subscriber(key, list_id, address):
    """Gives back the byte: 0 is done; any other value is a refusal, and nothing was changed."""
    return service["Subscriber.Add"](APIKey=key, SubscribersListID=list_id, EMail=address)
# </call>


# <list>
def records(result):
    """The records of any operation that lists, as dictionaries; zeep gives None where there are none."""
    return serialize_object(result, dict) or []


def last_sent_campaign(key):
    """Where nothing has been sent yet the result is nil, of which zeep makes a record of nothing but None."""
    campaign = service["Client.GetLastSentCampaign"](APIKey=key)
    return None if campaign.CampaignID is None else serialize_object(campaign, dict)
# </list>


# <fault>
def explain(fault):
    """What a program can decide by, and what a person should read."""
    return {"code": fault.detail.findtext(".//{*}code"), "text": fault.message}
# </fault>


def call(operation, parameters):
    if operation == "Subscriber.Add":
        return add_subscriber(*parameters.values())
    if operation == "Client.GetLastSentCampaign":
        return last_sent_campaign(*parameters.values())
    result = service[operation](**parameters)
    return records(result) if "List" in operation or operation == "Field.GetFields" else result


take_steps(call, zeep.exceptions.Fault, explain)
