#include "core/index/session_names.hpp"

#include <deque>
#include <string>
#include <unordered_map>

namespace core {

struct SessionNames::Impl {
    struct Hash {
        std::size_t operator()(std::string_view text) const { return static_cast<std::size_t>(hash_text(text)); }
    };
    std::deque<std::string> texts;  // never moved, so views of them stay valid
    std::unordered_map<std::string_view, SessionName, Hash> ids;
    std::weak_ptr<const std::vector<SessionName>> last_table{};

    bool is_table_of(const std::vector<SessionName>& table, const StringTable& names) const {
        if (table.size() != names.size()) return false;
        for (std::size_t i = 0; i < table.size(); ++i)
            if (texts[index_of(table[i])] != names.text(NameId{static_cast<std::uint32_t>(i)})) return false;
        return true;
    }
};

SessionNames::SessionNames() : impl_(std::make_shared<Impl>()) {}

SessionName SessionNames::intern_locked(std::string_view text) {
    const auto known = impl_->ids.find(text);
    if (known != impl_->ids.end()) return known->second;
    const SessionName id{static_cast<std::uint32_t>(impl_->texts.size())};
    impl_->ids.emplace(impl_->texts.emplace_back(text), id);
    return id;
}

SessionName SessionNames::intern(std::string_view text) {
    const std::lock_guard lock(mutex_);
    return intern_locked(text);
}

std::string_view SessionNames::text(SessionName id) const {
    const std::lock_guard lock(mutex_);
    return index_of(id) < impl_->texts.size() ? std::string_view(impl_->texts[index_of(id)]) : std::string_view{};
}

std::shared_ptr<const std::vector<SessionName>> SessionNames::build_table(const StringTable& names) {
    const std::lock_guard lock(mutex_);
    // Ranks do the same work: thousands of them share few tables.
    if (auto last = impl_->last_table.lock(); last && impl_->is_table_of(*last, names)) return last;
    auto table = std::make_shared<std::vector<SessionName>>(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        (*table)[i] = intern_locked(names.text(NameId{static_cast<std::uint32_t>(i)}));
    impl_->last_table = table;
    return table;
}

}  // namespace core
