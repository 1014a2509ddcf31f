// SQLite for the gSOAP peer: statements are prepared once per connection, and an answer is committed before it is given.
#pragma once

#include <sqlite3.h>

#include <string>
#include <unordered_map>

[[noreturn]] void give_up(const std::string &what);

class Connection {
public:
  explicit Connection(const std::string &file);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  sqlite3 *handle() const { return db_; }
  // The statement of this text, ready to be bound and run again. The text must be a literal: it is known by its address.
  sqlite3_stmt *statement(const char *sql);
  // Runs a statement that gives no rows.
  void run(sqlite3_stmt *statement);

private:
  sqlite3 *db_ = nullptr;
  std::unordered_map<const char *, sqlite3_stmt *> statements_;
};
