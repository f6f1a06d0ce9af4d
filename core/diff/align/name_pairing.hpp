#pragma once
// Pairs names of two runs: manual pairs first, then a rule for all others.

#include "core/base/result.hpp"
#include "core/diff/align/side.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Normalised: names that differ only in numbers share a row, summed where possible. Operator:
// kernels launched by one operator share a row; without a known operator, kernels of one name.
enum class NameMatching : std::uint8_t { Exact, Normalised, Operator };
inline constexpr std::array<NameMatching, 3> kNameMatchings = {NameMatching::Exact, NameMatching::Normalised,
                                                               NameMatching::Operator};
constexpr std::string_view name_of(NameMatching matching) {
    constexpr std::array<std::string_view, 3> kNames = {"exact", "normalised", "operator"};
    return kNames[static_cast<std::size_t>(matching)];
}

// A baseline name and the candidate name that replaces it.
using NamePair = BySide<std::string>;

// Complete settings of name pairing.
struct NameRules {
    NameMatching matching = NameMatching::Exact;
    std::vector<NamePair> pairs;   // manual pairs, applied before the rule
    bool operator==(const NameRules&) const = default;
};

// "BASELINE = CANDIDATE" or "BASELINE=CANDIDATE"; if a name contains '=', blanks around the
// separating one identify it.
Result<NamePair> parse_name_pair(std::string_view text);
// One pair per line; skips empty lines and lines that start with '#'. Errors name the line.
Result<std::vector<NamePair>> parse_name_pairs(std::string_view text);

class NamePairing {
public:
    explicit NamePairing(NameMatching matching = NameMatching::Exact, std::span<const NamePair> pairs = {});

    NameMatching matching() const { return matching_; }
    // Names with equal keys are paired, whichever side they are from. Ignores operators: Exact
    // without them.
    std::string key(Side side, std::string_view name) const;
    // Display name of a row: the baseline's name of a pair, or the normalised form.
    std::string shown(Side side, std::string_view name) const;
    bool is_by_hand(Side side, std::string_view name) const { return find_group(side, name).has_value(); }

private:
    std::optional<std::size_t> find_group(Side side, std::string_view name) const;
    std::size_t group_of(const NamePair& pair);

    NameMatching matching_;
    BySide<std::map<std::string, std::size_t, std::less<>>> groups_;  // group of each paired name
    std::vector<std::string> titles_;  // by group
};

}  // namespace core
