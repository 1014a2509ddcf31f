// What soapcpp2 makes the gSOAP peer's messages of. "_x002e" is the dot of an operation's name.
#import "stlvector.h"

//gsoap ns service name: Mailroll
//gsoap ns service namespace: http://mailroll.example
//gsoap ns service style: document
//gsoap ns service encoding: literal
//gsoap ns schema elementForm: qualified

typedef unsigned char xsd__unsignedByte;
typedef time_t xsd__dateTime;

struct ns__subscriber {
  char *FirstName;
  char *LastName;
  char *EMail;
  xsd__dateTime SubscribedDate;
  xsd__dateTime UnsubscribedDate;
};

class ns__ArrayOfSubscriber {
public:
  std::vector<struct ns__subscriber> subscriber;
};

struct ns__Client_x002eTestApiConnectionResponse {
  bool Client_x002eTestApiConnectionResult 1;
};
int ns__Client_x002eTestApiConnection(char *APIKey, struct ns__Client_x002eTestApiConnectionResponse &response);

struct ns__Subscriber_x002eAddResponse {
  xsd__unsignedByte Subscriber_x002eAddResult 1;
};
int ns__Subscriber_x002eAdd(char *APIKey, int SubscribersListID, char *EMail,
                            struct ns__Subscriber_x002eAddResponse &response);

class ns__Campaign_x002eGetHardBouncesListResponse {
public:
  ns__ArrayOfSubscriber Campaign_x002eGetHardBouncesListResult;
};
int ns__Campaign_x002eGetHardBouncesList(char *APIKey, int CampaignID,
                                         ns__Campaign_x002eGetHardBouncesListResponse &response);
