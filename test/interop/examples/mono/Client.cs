// Adds a subscriber with names, custom fields, gender, birthday and country.
// Change the address, the key, the list and the ids of the custom fields.
using System;
using System.Web.Services.Protocols;

static class Client {
    const string Endpoint = "https://mail.example.org/default.asmx";
    const string ApiKey = "0123456789ABCDEF0123456789ABCDEF";
    const int ListId = 1;

    static void Main() {
        var api = new Mailroll { Url = Endpoint };
        var customs = new[] {
            new customField { Customfieldid = 1, Value = "Zürich" }, // the id from Field.GetFields
            new customField { Customfieldid = 2, Value = "premium" },
        };
        try {
            byte outcome = api.SubscriberAddwithBasicandCustoms(
                ApiKey, ListId, "Zoë", "Müller", "zoe@example.org", customs,
                "F", // Gender: M, F or X
                new DateTime(1985, 12, 10), true, // Birthday, and whether it is sent
                756); // CountryID: ISO 3166-1 numeric; 0 if the country is unknown
            Console.WriteLine(outcome == 0 ? "added" : "refused: " + outcome); // 206: unsubscribed earlier
        } catch (SoapException fault) {
            // InvalidApiKey: the key is missing, unknown, revoked or expired.
            Console.WriteLine("fault " + fault.Detail["error"]["code"].InnerText + ": " + fault.Message);
        }
    }
}
