// Takes the framework's own SOAP proxy through the steps on standard input: Client.exe ENDPOINT 1.1|1.2.
// Made from the served WSDL by: wsdl -out:Mailroll.cs 'ENDPOINT?wsdl&names=dotted'
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
// <connect>
using System.Web.Services.Protocols;

// </connect>

static class Client {
    // <call>
    /// Adds an address and returns the result as text.
    static string Subscribe(Mailroll api, string key, int list, string address) {
        try {
            byte outcome = api.SubscriberAdd(key, list, address);
            return outcome == 0 ? "done" : "refused: " + outcome; // refused: nothing was changed
        } catch (SoapException fault) {
            // The code is for the program, the message for a person.
            return "fault " + CodeOf(fault) + ": " + fault.Message;
        }
    }

    static string CodeOf(SoapException fault) {
        return fault.Detail["error"]["code"].InnerText;
    }
    // </call>

    static object Call(Mailroll api, string operation, Dictionary<string, string> given) {
        string key = given["APIKey"];
        Func<string, string> text = name => given.ContainsKey(name) ? given[name] : null;
        Func<string, int> number = name => given.ContainsKey(name) ? int.Parse(given[name]) : 0;
        switch (operation) {
            case "Subscriber.Add":
                return Subscribe(api, key, number("SubscribersListID"), text("EMail"));
            case "Subscriber.AddwithBasicandCustoms":
                var birthday = text("Birthday");
                return api.SubscriberAddwithBasicandCustoms(
                    key, number("SubscribersListID"), text("FirstName"), text("LastName"), text("EMail"),
                    CustomFields(text("CustomsFields")), text("Gender"),
                    birthday == null ? default(DateTime) : DateTime.Parse(birthday), birthday != null,
                    number("CountryID"));
            case "Subscriber.Remove":
                return api.SubscriberRemove(key, number("SubscribersListID"), text("EMail"));
            case "Subscriber.Unsubscribe":
                return api.SubscriberUnsubscribe(key, text("EMail"));
            case "Field.Add":
                var type = (DataType) Enum.Parse(typeof(DataType), text("dataType"));
                return api.FieldAdd(key, text("fieldName"), text("isPrivate") == "true", type);
            case "Field.GetFields":
                return api.FieldGetFields(key);
            case "Client.GetSubscribersLists":
                return api.ClientGetSubscribersLists(key);
            case "Client.GetCampaignsList":
                return api.ClientGetCampaignsList(key);
            case "Client.GetLastSentCampaign":
                return api.ClientGetLastSentCampaign(key);
            case "Client.TestApiConnection":
                return api.ClientTestApiConnection(key);
            case "Campaign.GetSubscribersLists":
                return api.CampaignGetSubscribersLists(key, number("CampaignID"));
            case "Campaign.GetUnsubscribesList":
                return api.CampaignGetUnsubscribesList(key, number("CampaignID"));
            case "Campaign.GetHardBouncesList":
                return api.CampaignGetHardBouncesList(key, number("CampaignID"));
            case "Subscriber.AddwithName":
                return api.SubscriberAddwithName(
                    key, number("SubscribersListID"), text("FirstName"), text("LastName"), text("EMail"));
            case "Subscriber.AddwithNameandCustoms":
                return api.SubscriberAddwithNameandCustoms(
                    key, number("SubscribersListID"), text("FirstName"), text("LastName"), text("EMail"),
                    CustomFields(text("CustomsFields")));
            default:
                throw new ArgumentException(operation);
        }
    }

    static customField[] CustomFields(string pairs) {
        if (pairs == null) return null;
        return pairs.Split('|').Select(pair => pair.Split(new[] {'='}, 2)).Select(pair =>
            new customField { Customfieldid = long.Parse(pair[0]), Value = pair[1] }).ToArray();
    }

    /// Values as they are on the wire, in JSON.
    static string Json(object value) {
        if (value == null) return "null";
        if (value is bool) return Json((bool) value ? "true" : "false");
        if (value is DateTime) return Json(((DateTime) value).ToUniversalTime().ToString("yyyy-MM-ddTHH:mm:ssZ"));
        if (value is Array) return "[" + string.Join(",", ((Array) value).Cast<object>().Select(Json)) + "]";
        if (value is string) return "\"" + ((string) value).Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
        if (value is ValueType) return Json(value.ToString());
        var members = value.GetType().GetProperties();
        var names = new HashSet<string>(members.Select(member => member.Name));
        var shown = members.Where(member => !member.Name.EndsWith("Specified")).Where(member => {
            return !names.Contains(member.Name + "Specified")
                || (bool) value.GetType().GetProperty(member.Name + "Specified").GetValue(value, null);
        });
        var pairs = shown.Select(member => Json(member.Name) + ":" + Json(member.GetValue(value, null)));
        return "{" + string.Join(",", pairs) + "}";
    }

    static void Main(string[] arguments) {
        Console.InputEncoding = Console.OutputEncoding = new UTF8Encoding(false);
        string endpoint = arguments[0], version = arguments[1];

        // <connect>
        var api = new Mailroll {
            Url = endpoint,
            SoapVersion = version == "1.2" ? SoapProtocolVersion.Soap12 : SoapProtocolVersion.Soap11,
        };
        // </connect>

        string line;
        while ((line = Console.In.ReadLine()) != null) {
            var cells = line.Split('\t');
            var given = cells.Skip(1).Select(cell => cell.Split(new[] {'='}, 2)).ToDictionary(cell => cell[0], cell => cell[1]);
            try {
                Console.WriteLine("{\"result\":" + Json(Call(api, cells[0], given)) + "}");
            } catch (SoapException fault) {
                Console.WriteLine("{\"fault\":{\"type\":" + Json(fault.GetType().FullName) + ",\"code\":"
                    + Json(CodeOf(fault)) + ",\"text\":" + Json(fault.Message) + "}}");
            }
        }
    }
}
