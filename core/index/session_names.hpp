#pragma once
// Texts of the session, so that equal names compare equal across ranks and runs. Ids are never an
// order, a colour or file content. Grows only; all members may be called from any thread.

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
