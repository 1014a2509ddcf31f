// Adds a subscriber with names, custom fields, gender, birthday and country.
// Change the address, the key, the list and the ids of the custom fields.
import java.net.URL;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.ws.soap.SOAPFaultException;
import mailroll.*;

public class Client {
    static final String ENDPOINT = "https://mail.example.org/default.asmx";
    static final String API_KEY = "0123456789ABCDEF0123456789ABCDEF";
    static final int LIST_ID = 1;

    static CustomField customField(long id, String value) {
        CustomField field = new CustomField();
        field.setCustomfieldid(id);
        field.setValue(value);
        return field;
    }

    public static void main(String[] arguments) throws Exception {
        MailrollSoap api = new Mailroll(new URL(ENDPOINT + "?wsdl")).getMailrollSoap();
        ArrayOfCustomField customs = new ArrayOfCustomField();
        customs.getCustomField().add(customField(1, "Zürich")); // the id from Field.GetFields
        customs.getCustomField().add(customField(2, "premium"));
        try {
            int outcome = api.subscriberAddwithBasicandCustoms(
                API_KEY, LIST_ID, "Zoë", "Müller", "zoe@example.org", customs,
                "F", // Gender: M, F or X
                DatatypeFactory.newInstance().newXMLGregorianCalendar("1985-12-10T00:00:00"), // Birthday
                756); // CountryID: ISO 3166-1 numeric; 0 if the country is unknown
            System.out.println(outcome == 0 ? "added" : "refused: " + outcome); // 206: unsubscribed earlier
        } catch (SOAPFaultException exception) {
            // InvalidApiKey: the key is missing, unknown, revoked or expired.
            String code = exception.getFault().getDetail().getFirstChild().getFirstChild().getTextContent();
            System.out.println("fault " + code + ": " + exception.getFault().getFaultString());
        }
    }
}
