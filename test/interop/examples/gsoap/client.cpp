// Adds a subscriber with names, custom fields, gender, birthday and country.
// Change the address, the key, the list and the ids of the custom fields.
#include <iostream>
#include <string>

#include "MailrollSoap.nsmap"
#include "soapMailrollSoapProxy.h"

const char *ENDPOINT = "https://mail.example.org/default.asmx";
std::string API_KEY = "0123456789ABCDEF0123456789ABCDEF";
const int LIST_ID = 1;

// The code of a fault; empty if the service was not reached.
std::string code_of(struct soap *soap) {
    const char *detail = soap_fault_detail(soap);
    std::string xml = detail ? detail : "";
    auto begin = xml.find("<code>"), end = xml.find("</code>");
    return end == std::string::npos ? "" : xml.substr(begin + 6, end - begin - 6);
}

int main() {
    MailrollSoapProxy api(ENDPOINT, SOAP_C_UTFSTRING);  // texts are UTF-8

    // gSOAP takes pointers: a null pointer omits the parameter.
    std::string first_name = "Zoë", last_name = "Müller", email = "zoe@example.org", gender = "F";
    std::string town = "Zürich", plan = "premium";
    ns1__customField fields[2];
    fields[0].Customfieldid = 1;  // the id from Field.GetFields
    fields[0].Value = &town;
    fields[1].Customfieldid = 2;
    fields[1].Value = &plan;
    ns1__ArrayOfCustomField customs;
    customs.customField = {&fields[0], &fields[1]};
    time_t birthday;
    soap_s2dateTime(api.soap, "1985-12-10T00:00:00Z", &birthday);  // gSOAP sends UTC

    _ns1__Subscriber_x002eAddwithBasicandCustoms request;
    request.APIKey = &API_KEY;
    request.SubscribersListID = LIST_ID;
    request.FirstName = &first_name;
    request.LastName = &last_name;
    request.EMail = &email;
    request.CustomsFields = &customs;
    request.Gender = &gender;  // M, F or X
    request.Birthday = &birthday;
    request.CountryID = 756;  // ISO 3166-1 numeric; 0 if the country is unknown

    _ns1__Subscriber_x002eAddwithBasicandCustomsResponse answer;
    if (api.Subscriber_x002eAddwithBasicandCustoms(&request, answer) != SOAP_OK) {
        // InvalidApiKey: the key is missing, unknown, revoked or expired.
        const char *text = soap_fault_string(api.soap);
        std::cout << "fault " << code_of(api.soap) << ": " << (text ? text : "no answer") << std::endl;
        return 1;
    }
    int byte = answer.Subscriber_x002eAddwithBasicandCustomsResult;
    if (byte == 0) std::cout << "added" << std::endl;
    else std::cout << "refused: " << byte << std::endl;  // 206: unsubscribed earlier; nothing was changed
}
