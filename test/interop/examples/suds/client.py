"""Adds a subscriber with names, custom fields, gender, birthday and country.

Change the address, the key, the list and the ids of the custom fields. Then: python3 client.py
"""
import datetime

import suds
import suds.client

ENDPOINT = "https://mail.example.org/default.asmx"
API_KEY = "0123456789ABCDEF0123456789ABCDEF"
LIST_ID = 1

service = suds.client.Client(f"{ENDPOINT}?wsdl").service["MailrollSoap"]

try:
    byte = service["Subscriber.AddwithBasicandCustoms"](
        APIKey=API_KEY,
        SubscribersListID=LIST_ID,
        FirstName="Zoë",
        LastName="Müller",
        EMail="zoe@example.org",
        CustomsFields={
            "customField": [
                {"Customfieldid": 1, "Value": "Zürich"},  # the id from Field.GetFields
                {"Customfieldid": 2, "Value": "premium"},
            ]
        },
        Gender="F",  # M, F or X
        Birthday=datetime.datetime(1985, 12, 10),
        CountryID=756,  # ISO 3166-1 numeric; 0 if the country is unknown
    )
    print("added" if byte == 0 else f"refused: {byte}")  # 206: unsubscribed earlier; nothing was changed
except suds.WebFault as error:
    # InvalidApiKey: the key is missing, unknown, revoked or expired.
    print(f"fault {error.fault.detail.error.code}: {error.fault.faultstring}")
