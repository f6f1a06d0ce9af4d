#include "ui/model/rank_pairs.hpp"

#include "ui/model/filter_clicks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ui {
namespace {

template <class Key>
using Pair = core::BySide<std::optional<Key>>;

template <class Key>
bool is_before(const Pair<Key>& a, const Pair<Key>& b, bool by_number) {
    if (!by_number && a.baseline.has_value() != b.baseline.has_value()) return a.baseline.has_value();
    const Key left = a.baseline ? *a.baseline : *a.candidate;
    const Key right = b.baseline ? *b.baseline : *b.candidate;
    return left != right ? left < right : a.baseline.has_value() && !b.baseline.has_value();
}

template <class Key>
std::vector<Pair<Key>> pair_up(const std::map<Key, Key>& partners, bool by_number,
                               const core::BySide<std::vector<Key>>& keys) {
    std::set<Key> left(keys.candidate.begin(), keys.candidate.end());
    std::vector<Pair<Key>> pairs;
    for (const Key key : keys.baseline) {
        const auto partner = partners.find(key);
        const bool paired = partner != partners.end() && left.erase(partner->second) > 0;
        pairs.push_back({key, paired ? std::optional(partner->second) : std::nullopt});
    }
    for (const Key key : left) pairs.push_back({std::nullopt, key});
    std::ranges::stable_sort(
        pairs, [by_number](const Pair<Key>& a, const Pair<Key>& b) { return is_before(a, b, by_number); });
    return pairs;
}

}  // namespace

std::vector<RankPair> pair_ranks(const core::RunAlignment& alignment,
                                 const core::BySide<std::vector<core::RankKey>>& keys) {
    std::map<core::RankKey, core::RankKey> partners;
    for (const auto& pair : alignment.ranks) partners.emplace(pair.baseline, pair.candidate);
    return pair_up(partners, alignment.ranks_by_number, keys);
}

std::vector<StepPair> pair_steps(const core::RunAlignment& alignment,
                                 const core::BySide<std::vector<std::int64_t>>& numbers) {
    std::map<std::int64_t, std::int64_t> partners;
    for (const auto& pair : alignment.steps) partners.emplace(pair.baseline.number, pair.candidate.number);
    return pair_up(partners, alignment.steps_by_number, numbers);
}

bool comes_before(const RankPair& a, const RankPair& b, bool by_number) { return is_before(a, b, by_number); }

std::string label_of(const RankPair& pair) {
    if (!pair.baseline) return core::format_rank(*pair.candidate);
    std::string baseline = core::format_rank(*pair.baseline);
    if (!pair.candidate || *pair.candidate == *pair.baseline) return baseline;
    return baseline + " | " + core::format_rank(*pair.candidate);
}

std::optional<core::RankKey> named_rank(const core::RunAlignment* alignment, const RankPair& pair) {
    if (pair.baseline) return pair.baseline;
    return find_named_rank(alignment, core::Side::Candidate, *pair.candidate);
}

std::optional<std::int64_t> named_step(const core::RunAlignment* alignment, const StepPair& pair) {
    if (pair.baseline) return pair.baseline;
    return find_named_step(alignment, core::Side::Candidate, *pair.candidate);
}

}  // namespace ui
