// Takes a gSOAP client through the steps on standard input: client ENDPOINT. Made from the served WSDL by
//   wsdl2h -o mailroll.h ENDPOINT?wsdl && soapcpp2 -1 -j -C -L -x mailroll.h
// where -1 stands for SOAP 1.1 and -2 for SOAP 1.2.
#include <ctime>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <sstream>
#include <string>

// <connect>
#include "MailrollSoap.nsmap"
#include "soapMailrollSoapProxy.h"

// </connect>

using Parameters = std::map<std::string, std::string>;

// <fault>
// Why a call failed: a fault, or a network error.
struct Failed {
    std::string code;  // for the program; empty if it was not a fault
    std::string text;  // for a person
};

Failed failure(struct soap *soap) {
    const char *detail = soap_fault_detail(soap), *text = soap_fault_string(soap);
    std::string xml = detail ? detail : "";
    auto begin = xml.find("<code>"), end = xml.find("</code>");
    return {end == std::string::npos ? "" : xml.substr(begin + 6, end - begin - 6), text ? text : "no answer"};
}
// </fault>

// <call>
// Adds an address and returns the result as text.
std::string subscribe(MailrollSoapProxy &api, std::string key, int list, std::string address) {
    _ns1__Subscriber_x002eAdd request;
    request.APIKey = &key;
    request.SubscribersListID = list;
    request.EMail = &address;
    _ns1__Subscriber_x002eAddResponse answer;
    if (api.Subscriber_x002eAdd(&request, answer) != SOAP_OK) {
        Failed failed = failure(api.soap);
        return "fault " + failed.code + ": " + failed.text;
    }
    int byte = answer.Subscriber_x002eAddResult;
    return byte == 0 ? "done" : "refused: " + std::to_string(byte);  // refused: nothing was changed
}
// </call>

// JSON by hand: the answers of this program are all that needs it.
std::string json(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}
std::string json(const std::string *text) { return text ? json(*text) : "null"; }
template <typename Number> std::string number(Number value) { return json(std::to_string(value)); }
std::string boolean(bool value) { return value ? "\"true\"" : "\"false\""; }
std::string date(time_t value) {
    std::ostringstream out;
    out << std::put_time(gmtime(&value), "\"%Y-%m-%dT%H:%M:%SZ\"");
    return out.str();
}

std::string json(struct soap *soap, const ns1__field *f) {
    return "{\"FieldId\":" + number(f->FieldId) + ",\"Name\":" + json(f->Name) + ",\"IsPrivate\":" +
           boolean(f->IsPrivate) + ",\"DataType\":" + json(std::string(soap_ns1__DataType2s(soap, f->DataType))) + "}";
}
std::string json(struct soap *, const ns1__subscriberslist *l) {
    return "{\"SubscribersListID\":" + number(l->SubscribersListID) + ",\"Name\":" + json(l->Name) +
           ",\"CreationDate\":" + date(l->CreationDate) + ",\"SubscribersQuantity\":" + number(l->SubscribersQuantity) + "}";
}
std::string json(struct soap *, const ns1__campaign *c) {
    if (!c) return "null";
    return "{\"CampaignID\":" + number(c->CampaignID) + ",\"Name\":" + json(c->Name) + ",\"CreationDate\":" +
           date(c->CreationDate) + ",\"SentDate\":" + (c->SentDate ? date(*c->SentDate) : "null") + "}";
}
std::string json(struct soap *, const ns1__subscriber *s) {
    return "{\"FirstName\":" + json(s->FirstName) + ",\"LastName\":" + json(s->LastName) + ",\"EMail\":" +
           json(s->EMail) + ",\"SubscribedDate\":" + date(s->SubscribedDate) + ",\"UnsubscribedDate\":" +
           date(s->UnsubscribedDate) + "}";
}
template <typename Row> std::string json(struct soap *soap, const std::vector<Row *> &rows) {
    std::string out;
    for (const Row *row : rows) out += (out.empty() ? "" : ",") + json(soap, row);
    return "[" + out + "]";
}

// Asks for one operation: request and answer have the names that wsdl2h made of the WSDL's elements.
#define ASK(OPERATION)                                     \
    _ns1__##OPERATION##Response answer;                    \
    if (api.OPERATION(&request, answer) != SOAP_OK) throw failure(api.soap)
// A list that is not there at all is an empty one.
#define LIST(RESULT, ROWS) (answer.RESULT ? json(api.soap, answer.RESULT->ROWS) : "[]")

// What a request points to has to live as long as the call.
struct CustomFields {
    ns1__ArrayOfCustomField array;
    std::list<ns1__customField> fields;
    std::list<std::string> values;

    ns1__ArrayOfCustomField *read(const std::string &pairs) {
        std::istringstream in(pairs);
        for (std::string id, value; std::getline(in, id, '=') && std::getline(in, value, '|');) {
            values.push_back(value);
            fields.emplace_back();
            fields.back().Customfieldid = std::stoll(id);
            fields.back().Value = &values.back();
            array.customField.push_back(&fields.back());
        }
        return &array;
    }
};

std::string call(MailrollSoapProxy &api, const std::string &operation, Parameters &given) {
    struct soap *soap = api.soap;
    auto text = [&](const char *name) { return given.count(name) ? &given[name] : nullptr; };
    auto integer = [&](const char *name) { return given.count(name) ? std::stoi(given[name]) : 0; };

    if (operation == "Subscriber.Add")
        return json(subscribe(api, given["APIKey"], integer("SubscribersListID"), given["EMail"]));
    if (operation == "Subscriber.AddwithBasicandCustoms") {
        _ns1__Subscriber_x002eAddwithBasicandCustoms request;
        request.APIKey = text("APIKey");
        request.SubscribersListID = integer("SubscribersListID");
        request.FirstName = text("FirstName");
        request.LastName = text("LastName");
        request.EMail = text("EMail");
        request.Gender = text("Gender");
        request.CountryID = integer("CountryID");
        time_t birthday;
        if (auto *day = text("Birthday")) {
            soap_s2dateTime(soap, (*day + "T00:00:00Z").c_str(), &birthday);
            request.Birthday = &birthday;
        }
        CustomFields customs;
        if (auto *pairs = text("CustomsFields")) request.CustomsFields = customs.read(*pairs);
        ASK(Subscriber_x002eAddwithBasicandCustoms);
        return number(answer.Subscriber_x002eAddwithBasicandCustomsResult);
    }
    if (operation == "Subscriber.Remove") {
        _ns1__Subscriber_x002eRemove request;
        request.APIKey = text("APIKey");
        request.SubscribersListID = integer("SubscribersListID");
        request.EMail = text("EMail");
        ASK(Subscriber_x002eRemove);
        return number(answer.Subscriber_x002eRemoveResult);
    }
    if (operation == "Subscriber.Unsubscribe") {
        _ns1__Subscriber_x002eUnsubscribe request;
        request.APIKey = text("APIKey");
        request.EMail = text("EMail");
        ASK(Subscriber_x002eUnsubscribe);
        return number(answer.Subscriber_x002eUnsubscribeResult);
    }
    if (operation == "Field.Add") {
        _ns1__Field_x002eAdd request;
        request.APIKey = text("APIKey");
        request.fieldName = text("fieldName");
        request.isPrivate = given["isPrivate"] == "true";
        // A word that is no member of the enumeration becomes a number that is none.
        if (soap_s2ns1__DataType(soap, given["dataType"].c_str(), &request.dataType) != SOAP_OK)
            request.dataType = static_cast<ns1__DataType>(99);
        ASK(Field_x002eAdd);
        return number(answer.Field_x002eAddResult);
    }
    if (operation == "Field.GetFields") {
        _ns1__Field_x002eGetFields request;
        request.APIKey = text("APIKey");
        ASK(Field_x002eGetFields);
        return LIST(Field_x002eGetFieldsResult, field);
    }
    if (operation == "Client.GetSubscribersLists") {
        _ns1__Client_x002eGetSubscribersLists request;
        request.APIKey = text("APIKey");
        ASK(Client_x002eGetSubscribersLists);
        return LIST(Client_x002eGetSubscribersListsResult, subscriberslist);
    }
    if (operation == "Client.GetCampaignsList") {
        _ns1__Client_x002eGetCampaignsList request;
        request.APIKey = text("APIKey");
        ASK(Client_x002eGetCampaignsList);
        return LIST(Client_x002eGetCampaignsListResult, campaign);
    }
    if (operation == "Client.GetLastSentCampaign") {
        _ns1__Client_x002eGetLastSentCampaign request;
        request.APIKey = text("APIKey");
        ASK(Client_x002eGetLastSentCampaign);
        return json(soap, answer.Client_x002eGetLastSentCampaignResult);
    }
    if (operation == "Client.TestApiConnection") {
        _ns1__Client_x002eTestApiConnection request;
        request.APIKey = text("APIKey");
        ASK(Client_x002eTestApiConnection);
        return boolean(answer.Client_x002eTestApiConnectionResult);
    }
    if (operation == "Campaign.GetSubscribersLists") {
        _ns1__Campaign_x002eGetSubscribersLists request;
        request.APIKey = text("APIKey");
        request.CampaignID = integer("CampaignID");
        ASK(Campaign_x002eGetSubscribersLists);
        return LIST(Campaign_x002eGetSubscribersListsResult, subscriberslist);
    }
    if (operation == "Campaign.GetUnsubscribesList") {
        _ns1__Campaign_x002eGetUnsubscribesList request;
        request.APIKey = text("APIKey");
        request.CampaignID = integer("CampaignID");
        ASK(Campaign_x002eGetUnsubscribesList);
        return LIST(Campaign_x002eGetUnsubscribesListResult, subscriber);
    }
    if (operation == "Campaign.GetHardBouncesList") {
        _ns1__Campaign_x002eGetHardBouncesList request;
        request.APIKey = text("APIKey");
        request.CampaignID = integer("CampaignID");
        ASK(Campaign_x002eGetHardBouncesList);
        return LIST(Campaign_x002eGetHardBouncesListResult, subscriber);
    }
    if (operation == "Subscriber.AddwithName") {
        _ns1__Subscriber_x002eAddwithName request;
        request.APIKey = text("APIKey");
        request.SubscribersListID = integer("SubscribersListID");
        request.FirstName = text("FirstName");
        request.LastName = text("LastName");
        request.EMail = text("EMail");
        ASK(Subscriber_x002eAddwithName);
        return number(answer.Subscriber_x002eAddwithNameResult);
    }
    if (operation == "Subscriber.AddwithNameandCustoms") {
        _ns1__Subscriber_x002eAddwithNameandCustoms request;
        request.APIKey = text("APIKey");
        request.SubscribersListID = integer("SubscribersListID");
        request.FirstName = text("FirstName");
        request.LastName = text("LastName");
        request.EMail = text("EMail");
        CustomFields customs;
        if (auto *pairs = text("CustomsFields")) request.CustomsFields = customs.read(*pairs);
        ASK(Subscriber_x002eAddwithNameandCustoms);
        return number(answer.Subscriber_x002eAddwithNameandCustomsResult);
    }
    throw std::invalid_argument(operation);
}

int main(int, char **argv) {
    const char *endpoint = argv[1];

    // <connect>
    MailrollSoapProxy api(endpoint, SOAP_C_UTFSTRING);  // texts are UTF-8
    // </connect>

    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream cells(line);
        std::string operation, cell;
        std::getline(cells, operation, '\t');
        Parameters given;
        while (std::getline(cells, cell, '\t')) {
            auto equals = cell.find('=');
            given[cell.substr(0, equals)] = cell.substr(equals + 1);
        }
        try {
            std::string result = call(api, operation, given);
            std::cout << "{\"result\":" << result << "}" << std::endl;
        } catch (const Failed &failed) {
            std::string type = api.soap->error == SOAP_FAULT ? "SOAP_FAULT" : std::to_string(api.soap->error);
            std::cout << "{\"fault\":{\"type\":" << json(type) << ",\"code\":" << json(failed.code)
                      << ",\"text\":" << json(failed.text) << "}}" << std::endl;
        }
        api.destroy();
    }
}
