#include "core/index/interned_names.hpp"

#include <deque>
#include <string>
#include <unordered_map>

namespace core {

struct InternedNames::Impl {
    struct Hash {
        std::size_t operator()(std::string_view text) const { return static_cast<std::size_t>(hash_text(text)); }
    };
    std::deque<std::string> texts;  // never moved, so views of them stay valid
    std::unordered_map<std::string_view, InternedName, Hash> ids;
    std::weak_ptr<const std::vector<InternedName>> last_table{};

    bool is_table_of(const std::vector<InternedName>& table, const StringTable& names) const {
        if (table.size() != names.size()) return false;
        for (std::size_t i = 0; i < table.size(); ++i)
            if (texts[index_of(table[i])] != names.text(NameId{static_cast<std::uint32_t>(i)})) return false;
        return true;
    }
};

InternedNames::InternedNames() : impl_(std::make_shared<Impl>()) {}

InternedName InternedNames::intern_locked(std::string_view text) {
    const auto known = impl_->ids.find(text);
    if (known != impl_->ids.end()) return known->second;
    const InternedName id{static_cast<std::uint32_t>(impl_->texts.size())};
    impl_->ids.emplace(impl_->texts.emplace_back(text), id);
    return id;
}

InternedName InternedNames::intern(std::string_view text) {
    const std::lock_guard lock(mutex_);
    return intern_locked(text);
}

std::string_view InternedNames::text(InternedName id) const {
    const std::lock_guard lock(mutex_);
    return index_of(id) < impl_->texts.size() ? std::string_view(impl_->texts[index_of(id)]) : std::string_view{};
}

std::shared_ptr<const std::vector<InternedName>> InternedNames::build_table(const StringTable& names) {
    const std::lock_guard lock(mutex_);
    // Ranks do the same work: thousands of them share few tables.
    if (auto last = impl_->last_table.lock(); last && impl_->is_table_of(*last, names)) return last;
    auto table = std::make_shared<std::vector<InternedName>>(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        (*table)[i] = intern_locked(names.text(NameId{static_cast<std::uint32_t>(i)}));
    impl_->last_table = table;
    return table;
}

}  // namespace core
