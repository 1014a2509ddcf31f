// Adds a subscriber with names, custom fields, gender, birthday and country.
// Change the address, the key, the list and the ids of the custom fields.
import java.net.URL;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.TimeZone;
import mailroll.*;
import org.apache.axis.AxisFault;

public class Client {
    static final String ENDPOINT = "https://mail.example.org/default.asmx";
    static final String API_KEY = "0123456789ABCDEF0123456789ABCDEF";
    static final int LIST_ID = 1;

    public static void main(String[] arguments) throws Exception {
        MailrollSoap_PortType api = new MailrollLocator().getMailrollSoap(new URL(ENDPOINT));
        CustomField[] customs = {
            new CustomField(1, "Zürich"), // the id from Field.GetFields
            new CustomField(2, "premium"),
        };
        // Axis sends dates in UTC, where local midnight may be another day.
        Calendar birthday = new GregorianCalendar(TimeZone.getTimeZone("UTC"));
        birthday.clear();
        birthday.set(1985, Calendar.DECEMBER, 10);
        try {
            int outcome = api.subscriberAddwithBasicandCustoms(
                API_KEY, LIST_ID, "Zoë", "Müller", "zoe@example.org", customs,
                "F", // Gender: M, F or X
                birthday,
                756).intValue(); // CountryID: ISO 3166-1 numeric; 0 if the country is unknown
            System.out.println(outcome == 0 ? "added" : "refused: " + outcome); // 206: unsubscribed earlier
        } catch (AxisFault fault) {
            // InvalidApiKey: the key is missing, unknown, revoked or expired.
            String code = fault.getFaultDetails()[0].getFirstChild().getTextContent();
            System.out.println("fault " + code + ": " + fault.getFaultString());
        }
    }
}
