#pragma once
// How names of two runs become one row: pairs given by hand first, then by a rule for all others.

#include "core/base/result.hpp"
#include "core/diff/side.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Normalised: names that differ in numbers only are one row, added up where they can be. Operator: so are the
// kernels that one operator launched; where no operator is known, those of one name.
enum class NameMatching : std::uint8_t { Exact, Normalised, Operator };
inline constexpr std::array<NameMatching, 3> kNameMatchings = {NameMatching::Exact, NameMatching::Normalised,
                                                               NameMatching::Operator};
constexpr std::string_view name_of(NameMatching matching) {
    constexpr std::array<std::string_view, 3> kNames = {"exact", "normalised", "operator"};
    return kNames[static_cast<std::size_t>(matching)];
}

// A name of the baseline and the name that stands for it in the candidate.
using NamePair = BySide<std::string>;

// How names are paired, as a whole.
struct NameRules {
    NameMatching matching = NameMatching::Exact;
    std::vector<NamePair> pairs;   // by hand, before the rule
    bool operator==(const NameRules&) const = default;
};

// "BASELINE = CANDIDATE" or "BASELINE=CANDIDATE"; in names with a = of their own, blanks around the one that
// separates them tell which it is.
Result<NamePair> parse_name_pair(std::string_view text);
// One pair a line; empty lines and those that begin with # are passed over. Errors name the line.
Result<std::vector<NamePair>> parse_name_pairs(std::string_view text);

class NamePairing {
public:
    explicit NamePairing(NameMatching matching = NameMatching::Exact, std::span<const NamePair> pairs = {});

    NameMatching matching() const { return matching_; }
    // Equal keys are the same thing, whichever side they are of. Operators are not its business: Exact without them.
    std::string key(Side side, std::string_view name) const;
    // What a row with this name is called: the baseline's name of a pair, the normalised form.
    std::string shown(Side side, std::string_view name) const;
    bool is_by_hand(Side side, std::string_view name) const { return find_group(side, name).has_value(); }

private:
    std::optional<std::size_t> find_group(Side side, std::string_view name) const;
    std::size_t group_of(const NamePair& pair);

    NameMatching matching_;
    BySide<std::map<std::string, std::size_t, std::less<>>> groups_;  // names that are one, by the pairs that join them
    std::vector<std::string> titles_;  // by group
};

}  // namespace core
