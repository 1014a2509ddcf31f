// Takes a JAX-WS client through the steps on standard input: Client ENDPOINT 1.1|1.2. Made from the served WSDL by
//   wsimport -extension -p mailroll ENDPOINT?wsdl
import java.util.Map;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
// <connect>
import javax.xml.ws.soap.SOAPFaultException;
import mailroll.*;

// </connect>

public class Client {
    // <call>
    /** Adds an address and returns the result as text. */
    static String subscribe(MailrollSoap api, String key, int list, String address) {
        try {
            int outcome = api.subscriberAdd(key, list, address);
            return outcome == 0 ? "done" : "refused: " + outcome; // refused: nothing was changed
        } catch (SOAPFaultException exception) {
            // The code is for the program, the text for a person.
            return "fault " + codeOf(exception) + ": " + exception.getFault().getFaultString();
        }
    }

    static String codeOf(SOAPFaultException exception) {
        return exception.getFault().getDetail().getFirstChild().getFirstChild().getTextContent();
    }
    // </call>

    static Object call(MailrollSoap api, String operation, Map<String, String> given) throws Exception {
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
            case "Field.GetFields" -> api.fieldGetFields(key).getField();
            case "Client.GetSubscribersLists" -> api.clientGetSubscribersLists(key).getSubscriberslist();
            case "Client.GetCampaignsList" -> api.clientGetCampaignsList(key).getCampaign();
            case "Client.GetLastSentCampaign" -> api.clientGetLastSentCampaign(key);
            case "Client.TestApiConnection" -> api.clientTestApiConnection(key);
            case "Campaign.GetSubscribersLists" -> api.campaignGetSubscribersLists(key, campaign).getSubscriberslist();
            case "Campaign.GetUnsubscribesList" -> api.campaignGetUnsubscribesList(key, campaign).getSubscriber();
            case "Campaign.GetHardBouncesList" -> api.campaignGetHardBouncesList(key, campaign).getSubscriber();
            case "Subscriber.AddwithName" -> api.subscriberAddwithName(
                key, list, given.get("FirstName"), given.get("LastName"), given.get("EMail"));
            case "Subscriber.AddwithNameandCustoms" -> api.subscriberAddwithNameandCustoms(
                key, list, given.get("FirstName"), given.get("LastName"), given.get("EMail"),
                customFields(given.get("CustomsFields")));
            default -> throw new IllegalArgumentException(operation);
        };
    }

    static XMLGregorianCalendar date(String day) throws Exception {
        return day == null ? null : DatatypeFactory.newInstance().newXMLGregorianCalendar(day + "T00:00:00");
    }
    /** A word that the enumeration does not have can only be left out. */
    static DataType dataType(String word) {
        try {
            return DataType.fromValue(word);
        } catch (IllegalArgumentException unknown) {
            return null;
        }
    }
    static ArrayOfCustomField customFields(String pairs) {
        if (pairs == null) return null;
        ArrayOfCustomField fields = new ArrayOfCustomField();
        for (String pair : pairs.split("\\|")) {
            CustomField field = new CustomField();
            field.setCustomfieldid(Long.parseLong(pair.split("=", 2)[0]));
            field.setValue(pair.split("=", 2)[1]);
            fields.getCustomField().add(field);
        }
        return fields;
    }

    public static void main(String[] arguments) throws Exception {
        String endpoint = arguments[0], version = arguments[1];

        // <connect>
        Mailroll service = new Mailroll(new java.net.URL(endpoint + "?wsdl"));
        MailrollSoap api = version.equals("1.2") ? service.getMailrollSoap12() : service.getMailrollSoap();
        // </connect>

        Steps.take((operation, given) -> call(api, operation, given), exception -> {
            if (!(exception instanceof SOAPFaultException fault)) throw exception;
            return Map.of("code", codeOf(fault), "text", fault.getFault().getFaultString());
        });
    }
}
