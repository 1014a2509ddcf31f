// Takes an Axis 1.4 client through the steps on standard input: Client ENDPOINT. Made from the served WSDL by
//   java org.apache.axis.wsdl.WSDL2Java -p mailroll ENDPOINT?wsdl
import java.util.Arrays;
import java.util.Calendar;
import java.util.Map;
import java.util.TimeZone;
// <connect>
import java.rmi.RemoteException;
import mailroll.*;
import org.apache.axis.AxisFault;

// </connect>

public class Client {
    // <call>
    /** Adds an address and returns the result as text. */
    static String subscribe(MailrollSoap_PortType api, String key, int list, String address) throws RemoteException {
        try {
            int outcome = api.subscriberAdd(key, list, address).intValue();
            return outcome == 0 ? "done" : "refused: " + outcome; // refused: nothing was changed
        } catch (AxisFault fault) {
            // The code is for the program, the text for a person.
            return "fault " + codeOf(fault) + ": " + fault.getFaultString();
        }
    }

    static String codeOf(AxisFault fault) {
        return fault.getFaultDetails()[0].getFirstChild().getTextContent();
    }
    // </call>

    static Object call(MailrollSoap_PortType api, String operation, Map<String, String> given) throws Exception {
        String key = given.get("APIKey");
        int list = Steps.number(given, "SubscribersListID"), campaign = Steps.number(given, "CampaignID");
        return switch (operation) {
            case "Subscriber.Add" -> subscribe(api, key, list, given.get("EMail"));
            case "Subscriber.AddwithBasicandCustoms" -> api.subscriberAddwithBasicandCustoms(
                key, list, given.get("FirstName"), given.get("LastName"), given.get("EMail"),
                customFields(given.get("CustomsFields")), given.get("Gender"), date(given.get("Birthday")),
                Steps.number(given, "CountryID"));
            case "Subscriber.Remove" -> api.subscriberRemove(key, list, given.get("EMail"));
            case "Subscriber.Unsubscribe" -> api.subscriberUnsubscribe(key, given.get("EMail"));
            case "Field.Add" -> api.fieldAdd(
                key, given.get("fieldName"), given.get("isPrivate").equals("true"), dataType(given.get("dataType")));
            case "Field.GetFields" -> api.fieldGetFields(key);
            case "Client.GetSubscribersLists" -> api.clientGetSubscribersLists(key);
            case "Client.GetCampaignsList" -> api.clientGetCampaignsList(key);
            case "Client.GetLastSentCampaign" -> api.clientGetLastSentCampaign(key);
            case "Client.TestApiConnection" -> api.clientTestApiConnection(key);
            case "Campaign.GetSubscribersLists" -> api.campaignGetSubscribersLists(key, campaign);
            case "Campaign.GetUnsubscribesList" -> api.campaignGetUnsubscribesList(key, campaign);
            case "Campaign.GetHardBouncesList" -> api.campaignGetHardBouncesList(key, campaign);
            case "Subscriber.AddwithName" -> api.subscriberAddwithName(
                key, list, given.get("FirstName"), given.get("LastName"), given.get("EMail"));
            case "Subscriber.AddwithNameandCustoms" -> api.subscriberAddwithNameandCustoms(
                key, list, given.get("FirstName"), given.get("LastName"), given.get("EMail"),
                customFields(given.get("CustomsFields")));
            default -> throw new IllegalArgumentException(operation);
        };
    }

    /** Axis sends dates in UTC, where local midnight may be another day. */
    static Calendar date(String day) {
        if (day == null) return null;
        Calendar date = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        date.setTimeInMillis(java.time.LocalDate.parse(day).toEpochDay() * 86_400_000);
        return date;
    }
    /** A word that the enumeration does not have can only be left out. */
    static DataType dataType(String word) {
        try {
            return DataType.fromString(word);
        } catch (IllegalArgumentException unknown) {
            return null;
        }
    }
    static CustomField[] customFields(String pairs) {
        if (pairs == null) return null;
        return Arrays.stream(pairs.split("\\|")).map(pair -> pair.split("=", 2))
            .map(pair -> new CustomField(Long.parseLong(pair[0]), pair[1])).toArray(CustomField[]::new);
    }

    public static void main(String[] arguments) throws Exception {
        String endpoint = arguments[0];

        // <connect>
        MailrollSoap_PortType api = new MailrollLocator().getMailrollSoap(new java.net.URL(endpoint));
        // </connect>

        Steps.take((operation, given) -> call(api, operation, given), exception -> {
            if (!(exception instanceof AxisFault fault)) throw exception;
            return Map.of("code", codeOf(fault), "text", fault.getFaultString());
        });
    }
}
