#pragma once
// Interned texts of the session: equal names compare equal across ranks and runs. Never use ids as
// an order, a colour or file content. Grows only; all members are thread-safe.

#include "core/store/rank_trace.hpp"

#include <mutex>
#include <vector>

namespace core {

class InternedNames {
public:
    InternedNames();
    InternedNames(const InternedNames&) = delete;
    InternedNames& operator=(const InternedNames&) = delete;

    InternedName intern(std::string_view text);
    std::string_view text(InternedName id) const;  // valid for the life of this object
    // The table local NameId → InternedName of one rank.
    std::shared_ptr<const std::vector<InternedName>> build_table(const StringTable&);

private:
    mutable std::mutex mutex_;
    struct Impl;
    std::shared_ptr<Impl> impl_;
    InternedName intern_locked(std::string_view text);
};

}  // namespace core
