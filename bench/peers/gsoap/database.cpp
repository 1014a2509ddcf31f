#include "database.h"

#include <cstdio>
#include <cstdlib>

void give_up(const std::string &what) {
  std::fprintf(stderr, "gsoap peer: %s\n", what.c_str());
  std::exit(1);
}

Connection::Connection(const std::string &file) {
  if (sqlite3_open_v2(file.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    give_up("cannot open " + file);
  sqlite3_busy_timeout(db_, 5000);
  const char *pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY";
  if (sqlite3_exec(db_, pragmas, nullptr, nullptr, nullptr) != SQLITE_OK) give_up(sqlite3_errmsg(db_));
}

Connection::~Connection() {
  for (auto &[sql, prepared] : statements_) sqlite3_finalize(prepared);
  sqlite3_close(db_);
}

sqlite3_stmt *Connection::statement(const char *sql) {
  sqlite3_stmt *&prepared = statements_[sql];
  if (prepared == nullptr) {
    if (sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr) != SQLITE_OK)
      give_up(sqlite3_errmsg(db_));
  } else {
    sqlite3_reset(prepared);
  }
  return prepared;
}

void Connection::run(sqlite3_stmt *prepared) {
  const int code = sqlite3_step(prepared);
  if (code != SQLITE_DONE && code != SQLITE_ROW) give_up(sqlite3_errmsg(db_));
  sqlite3_reset(prepared);
}
