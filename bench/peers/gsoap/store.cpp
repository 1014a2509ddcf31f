#include "store.h"

#include <chrono>

namespace {

long long now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

const char *const FIND_PERSON = "SELECT id FROM subscriber WHERE account_id = ? AND address_key = ?";
const char *const ADD_PERSON =
    "INSERT INTO subscriber (account_id, address, address_key, known_since) VALUES (?, ?, ?, ?)";
const char *const ADD_MEMBER =
    "INSERT INTO membership (account_id, list_id, subscriber_id, joined_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
const char *const COUNT_MEMBER = "UPDATE list SET member_count = member_count + 1 WHERE id = ?";
const char *const ADD_HISTORY =
    "INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id) VALUES (?, ?, ?, 'joined', 'key', ?)";
const char *const FIND_LIST = "SELECT 1 FROM list WHERE id = ? AND account_id = ?";
const char *const FIND_CAMPAIGN = "SELECT 1 FROM campaign WHERE id = ? AND account_id = ?";
const char *const BOUNCED =
    "SELECT s.first_name, s.last_name, s.address, e.joined_at, e.at FROM campaign_event AS e "
    "JOIN subscriber AS s ON s.id = e.subscriber_id "
    "WHERE e.campaign_id = ? AND e.event = 'hard-bounce' ORDER BY e.at, e.id";
const char *const BEGIN = "BEGIN IMMEDIATE";
const char *const COMMIT = "COMMIT";

bool is_found(Connection &db, const char *sql, int id, int account) {
  sqlite3_stmt *find = db.statement(sql);
  sqlite3_bind_int(find, 1, id);
  sqlite3_bind_int(find, 2, account);
  const bool found = sqlite3_step(find) == SQLITE_ROW;
  sqlite3_reset(find);
  return found;
}

const char *text(sqlite3_stmt *row, int column) {
  return reinterpret_cast<const char *>(sqlite3_column_text(row, column));
}

}  // namespace

Store::Store(const std::string &file) : file_(file), writer_(file) {
  sqlite3_stmt *keys = writer_.statement("SELECT key, account_id FROM api_key");
  while (sqlite3_step(keys) == SQLITE_ROW) keys_[text(keys, 0)] = sqlite3_column_int(keys, 1);
  sqlite3_reset(keys);
}

int Store::account_of(const char *key) const {
  const auto found = key == nullptr ? keys_.end() : keys_.find(key);
  return found == keys_.end() ? 0 : found->second;
}

bool Store::add(int account, int list, const char *address) {
  const std::lock_guard<std::mutex> lock(writing_);
  const long long now = now_ms();
  writer_.run(writer_.statement(BEGIN));
  const bool known_list = is_found(writer_, FIND_LIST, list, account);
  if (known_list) {
    sqlite3_stmt *find = writer_.statement(FIND_PERSON);
    sqlite3_bind_int(find, 1, account);
    sqlite3_bind_text(find, 2, address, -1, SQLITE_STATIC);
    long long person = sqlite3_step(find) == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    sqlite3_reset(find);
    if (person == 0) {
      sqlite3_stmt *add = writer_.statement(ADD_PERSON);
      sqlite3_bind_int(add, 1, account);
      sqlite3_bind_text(add, 2, address, -1, SQLITE_STATIC);
      sqlite3_bind_text(add, 3, address, -1, SQLITE_STATIC);
      sqlite3_bind_int64(add, 4, now);
      writer_.run(add);
      person = sqlite3_last_insert_rowid(writer_.handle());
    }
    sqlite3_stmt *join = writer_.statement(ADD_MEMBER);
    sqlite3_bind_int(join, 1, account);
    sqlite3_bind_int(join, 2, list);
    sqlite3_bind_int64(join, 3, person);
    sqlite3_bind_int64(join, 4, now);
    writer_.run(join);
    if (sqlite3_changes(writer_.handle()) == 1) {
      sqlite3_stmt *count = writer_.statement(COUNT_MEMBER);
      sqlite3_bind_int(count, 1, list);
      writer_.run(count);
      sqlite3_stmt *happened = writer_.statement(ADD_HISTORY);
      sqlite3_bind_int(happened, 1, account);
      sqlite3_bind_int64(happened, 2, person);
      sqlite3_bind_int64(happened, 3, now);
      sqlite3_bind_int(happened, 4, list);
      writer_.run(happened);
    }
  }
  writer_.run(writer_.statement(COMMIT));
  return known_list;
}

bool Store::each_bounced(int account, int campaign, const std::function<void(const Bounced &)> &take) {
  thread_local Connection reader(file_);
  if (!is_found(reader, FIND_CAMPAIGN, campaign, account)) return false;
  sqlite3_stmt *rows = reader.statement(BOUNCED);
  sqlite3_bind_int(rows, 1, campaign);
  while (sqlite3_step(rows) == SQLITE_ROW)
    take({text(rows, 0), text(rows, 1), text(rows, 2), static_cast<time_t>(sqlite3_column_int64(rows, 3) / 1000),
          static_cast<time_t>(sqlite3_column_int64(rows, 4) / 1000)});
  sqlite3_reset(rows);
  return true;
}
