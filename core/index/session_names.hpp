#pragma once
// Interned texts of the session: equal names compare equal across ranks and runs. Never use ids as
// an order, a colour or file content. Grows only; all members are thread-safe.

#include "core/store/rank_trace.hpp"

#include <mutex>
#include <vector>

namespace core {

class SessionNames {
public:
    SessionNames();
    SessionNames(const SessionNames&) = delete;
    SessionNames& operator=(const SessionNames&) = delete;

    SessionName intern(std::string_view text);
    std::string_view text(SessionName id) const;  // valid for the life of this object
    // The table local NameId → SessionName of one rank.
    std::shared_ptr<const std::vector<SessionName>> build_table(const StringTable&);

private:
    mutable std::mutex mutex_;
    struct Impl;
    std::shared_ptr<Impl> impl_;
    SessionName intern_locked(std::string_view text);
};

}  // namespace core
