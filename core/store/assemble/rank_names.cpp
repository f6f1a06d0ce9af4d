#include "core/store/assemble/rank_names.hpp"

#include "core/store/assemble/device_names.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core {
namespace {

constexpr std::string_view kWord = "rank";
constexpr std::size_t kMostRankDigits = 7;

// Farthest apart first. Kinds that are not listed come between expert and data parallelism.
constexpr std::string_view kFarKinds[] = {"pp", "vp", "dp"};
constexpr std::string_view kNearKinds[] = {"ep", "cp", "sp", "tp"};
constexpr std::string_view kWholeJob[] = {"", "global", "world"};

bool is_letter_of_word(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit_of_rank(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return std::string_view(" -_.:=#[(").find(c) != std::string_view::npos; }

// The number after the word, with at most two separators between ("rank [0]").
std::optional<std::int32_t> number_behind(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && at < 2 && is_separator(text[at])) ++at;
    std::size_t end = at;
    std::int32_t number = 0;
    while (end < text.size() && end - at <= kMostRankDigits && is_digit_of_rank(text[end]))
        number = number * 10 + (text[end++] - '0');
    if (end == at || end - at > kMostRankDigits) return std::nullopt;
    return number;
}

// The two or three letters before the word that name a kind of parallelism ("DP rank", "dp_rank"), or "local",
// "global", "world"; other words say nothing of the kind.
std::string kind_before(std::string_view text) {
    if (!text.empty() && is_separator(text.back())) text.remove_suffix(1);
    std::size_t begin = text.size();
    while (begin > 0 && is_letter_of_word(text[begin - 1])) --begin;
    const std::string_view word = text.substr(begin);
    if (std::ranges::find(kWholeJob, word) != std::end(kWholeJob)) return "";
    const bool is_kind = word == "local" || (word.size() >= 2 && word.size() <= 3 && word.ends_with('p'));
    return is_kind ? std::string(word) : "";
}

// "[TP00-DP01] 83", "[DP0_TP3]": kinds with their numbers in brackets before the rest. Empty if anything else is there.
RankPosition parse_bracket(std::string_view text) {
    if (!text.starts_with('[')) return {};
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {};
    RankPosition position;
    for (std::size_t at = 1; at < end;) {
        std::size_t word = at;
        while (word < end && is_letter_of_word(text[word])) ++word;
        const std::string_view kind = text.substr(at, word - at);
        std::size_t digits = word;
        std::int32_t number = 0;
        while (digits < end && digits - word <= kMostRankDigits && is_digit_of_rank(text[digits]))
            number = number * 10 + (text[digits++] - '0');
        const bool is_kind = kind.size() == 2 && kind.back() == 'p';
        if (!is_kind || digits == word || digits - word > kMostRankDigits) return {};
        position.emplace(kind, number);
        at = digits;
        if (at < end && !is_separator(text[at++])) return {};
    }
    return position;
}

// Sorts kinds by distance.
std::size_t distance_of(const std::string& kind) {
    const auto* const far = std::ranges::find(kFarKinds, kind);
    if (far != std::end(kFarKinds)) return static_cast<std::size_t>(far - kFarKinds);
    const auto* const near = std::ranges::find(kNearKinds, kind);
    return std::size(kFarKinds) + 1 + (near == std::end(kNearKinds) ? 0 : static_cast<std::size_t>(near - kNearKinds));
}

// Whether the number of the one kind follows from that of the other, and says less: "TP03-DP01", as attention in data
// parallel splits the tensor ranks. Equal numbers say nothing: ranks between them may be missing.
bool follows_from(const std::string& kind, const std::string& other, std::span<const RankPosition> positions) {
    std::map<std::int32_t, std::int32_t> number_of;
    std::set<std::int32_t> numbers;
    for (const RankPosition& position : positions) {
        const std::int32_t number = position.at(kind);
        if (number_of.try_emplace(position.at(other), number).first->second != number) return false;
        numbers.insert(number);
    }
    return numbers.size() > 1 && (numbers.size() < number_of.size() || kind == "ep");
}

// The grid of all kinds would have places that no rank has.
void drop_dependent_kinds(std::vector<std::string>& kinds, std::span<const RankPosition> positions) {
    std::erase_if(kinds, [&](const std::string& kind) {
        return std::ranges::any_of(positions.front(), [&](const auto& other) {
            return other.first != kind && follows_from(kind, other.first, positions);
        });
    });
}

bool have_same_kinds(std::span<const RankPosition> positions) {
    return std::ranges::all_of(positions, [&](const RankPosition& position) {
        return std::ranges::equal(position, positions.front(), {}, &RankPosition::value_type::first,
                                  &RankPosition::value_type::first);
    });
}

}  // namespace

RankPosition parse_rank_position(std::string_view name) {
    const std::string lower = lower_case(name);
    const std::string_view text = lower;
    RankPosition position = parse_bracket(text);
    for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
        if (at > 0 && is_letter_of_word(text[at - 1])) continue;
        const std::optional<std::int32_t> number = number_behind(text.substr(at + kWord.size()));
        if (number) position.emplace(kind_before(text.substr(0, at)), *number);
    }
    return position;
}

std::optional<std::vector<std::int32_t>> number_ranks(std::span<const RankPosition> positions) {
    std::vector<std::int32_t> numbers;
    if (positions.empty()) return numbers;
    const bool all_stated = std::ranges::all_of(positions, [](const auto& position) { return position.contains(""); });
    if (all_stated) {
        for (const RankPosition& position : positions) numbers.push_back(position.at(""));
        return numbers;
    }
    if (!have_same_kinds(positions)) return std::nullopt;
    std::vector<std::string> kinds;
    for (const auto& [kind, number] : positions.front()) kinds.push_back(kind);
    std::ranges::stable_sort(kinds, {}, distance_of);
    drop_dependent_kinds(kinds, positions);
    numbers.assign(positions.size(), 0);
    std::int64_t ranks = 1;
    for (const std::string& kind : kinds) {
        std::int64_t size = 1;
        for (const RankPosition& position : positions) size = std::max<std::int64_t>(size, position.at(kind) + 1);
        ranks *= size;
        if (ranks > kMostRanksOfGrid) return std::nullopt;
        for (std::size_t i = 0; i < positions.size(); ++i)
            numbers[i] = static_cast<std::int32_t>(numbers[i] * size + positions[i].at(kind));
    }
    return numbers;
}

}  // namespace core
