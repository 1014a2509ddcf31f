// The gSOAP peer: one thread per connection out of a pool, kept alive as long as the caller likes.
// Usage: server PORT DATABASE
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "Mailroll.nsmap"
#include "soapH.h"
#include "store.h"

namespace {

// More than the connections that are ever open at once, so that none waits for another one's end.
const int THREADS = 128;
const int BACKLOG = 512;
// As Mailroll's own answer for a list that is not there.
const unsigned char UNKNOWN_LIST = 101;

Store *store = nullptr;

// A short answer is fastest with its length before it, a long one in chunks: gSOAP writes it twice to know the length.
void answer_shortly(struct soap *soap) { soap_clr_omode(soap, SOAP_IO_CHUNK); }
void answer_at_length(struct soap *soap) { soap_set_omode(soap, SOAP_IO_CHUNK); }

int key_fault(struct soap *soap) { return soap_sender_fault(soap, "InvalidKey", nullptr); }

void serve(struct soap *listening) {
  struct soap *soap = soap_copy(listening);
  for (;;)
    if (soap_valid_socket(soap_accept(soap))) {
      soap_serve(soap);
      soap_destroy(soap);
      soap_end(soap);
    }
}

}  // namespace

int ns__Client_x002eTestApiConnection(struct soap *soap, char *key,
                                      ns__Client_x002eTestApiConnectionResponse &response) {
  answer_shortly(soap);
  response.Client_x002eTestApiConnectionResult = store->account_of(key) != 0;
  return SOAP_OK;
}

int ns__Subscriber_x002eAdd(struct soap *soap, char *key, int list, char *address,
                            ns__Subscriber_x002eAddResponse &response) {
  answer_shortly(soap);
  const int account = store->account_of(key);
  if (account == 0) return key_fault(soap);
  if (address == nullptr) return soap_sender_fault(soap, "InvalidParameter", nullptr);
  response.Subscriber_x002eAddResult = store->add(account, list, address) ? 0 : UNKNOWN_LIST;
  return SOAP_OK;
}

int ns__Campaign_x002eGetHardBouncesList(struct soap *soap, char *key, int campaign,
                                         ns__Campaign_x002eGetHardBouncesListResponse &response) {
  answer_at_length(soap);
  const int account = store->account_of(key);
  if (account == 0) return key_fault(soap);
  auto &people = response.Campaign_x002eGetHardBouncesListResult.subscriber;
  const bool known = store->each_bounced(account, campaign, [&](const Bounced &one) {
    people.emplace_back();
    auto &person = people.back();
    person.FirstName = soap_strdup(soap, one.first_name);
    person.LastName = soap_strdup(soap, one.last_name);
    person.EMail = soap_strdup(soap, one.address);
    person.SubscribedDate = one.joined_at;
    person.UnsubscribedDate = one.at;
  });
  return known ? SOAP_OK : soap_sender_fault(soap, "UnknownCampaign", nullptr);
}

int main(int argc, char **argv) {
  if (argc != 3) give_up("usage: server PORT DATABASE");
  std::signal(SIGPIPE, SIG_IGN);
  Store opened(argv[2]);
  store = &opened;
  // As a tree, so that pointers are not compared.
  struct soap *soap =
      soap_new2(SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING, SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING | SOAP_XML_TREE);
  soap->bind_flags = SO_REUSEADDR;
  soap->max_keep_alive = 0;
  if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", std::atoi(argv[1]), BACKLOG))) give_up("cannot listen");
  std::vector<std::thread> pool;
  for (int i = 0; i < THREADS; ++i) pool.emplace_back(serve, soap);
  for (auto &thread : pool) thread.join();
  return 0;
}
