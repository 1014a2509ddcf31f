// What the gSOAP peer knows and keeps. All adds go through one connection behind a mutex: threads with a connection each
// spend their time in SQLite's busy handler and were slower. Lists are read on a connection of the reading thread.
#pragma once

#include <ctime>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "database.h"

struct Bounced {
  const char *first_name;
  const char *last_name;
  const char *address;
  time_t joined_at;
  time_t at;
};

class Store {
public:
  explicit Store(const std::string &file);

  // The account of a key, 0 where there is none.
  int account_of(const char *key) const;
  // False where the account has no such list.
  bool add(int account, int list, const char *address);
  // False where the account has no such campaign.
  bool each_bounced(int account, int campaign, const std::function<void(const Bounced &)> &take);

private:
  std::string file_;
  std::unordered_map<std::string, int> keys_;
  std::mutex writing_;
  Connection writer_;
};
