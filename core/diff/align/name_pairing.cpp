#include "core/diff/align/name_pairing.hpp"

#include "core/diff/align/normalise_name.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
        ++count;
    return count;
}

Error refused(std::string message) { return {ErrorCode::BadInput, std::move(message)}; }

}  // namespace

Result<NamePair> parse_name_pair(std::string_view text) {
    const bool with_blanks = count_of(text, " = ") == 1;
    if (!with_blanks && count_of(text, "=") != 1) {
        return refused(
            "'" + std::string(text) +
            "' is not BASELINE=CANDIDATE with one = (in names that have one, put blanks around that between)");
    }
    const std::size_t at = text.find(with_blanks ? " = " : "=");
    NamePair pair{std::string(trimmed(text.substr(0, at))),
                  std::string(trimmed(text.substr(at + (with_blanks ? 3 : 1))))};
    if (pair.baseline.empty() || pair.candidate.empty())
        return refused("'" + std::string(text) + "': a name is missing beside the =");
    return pair;
}

Result<std::vector<NamePair>> parse_name_pairs(std::string_view text) {
    std::vector<NamePair> pairs;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.starts_with('#')) continue;
        Result<NamePair> pair = parse_name_pair(line);
        if (!pair) return std::move(pair).error().within("line " + std::to_string(number));
        pairs.push_back(*std::move(pair));
    }
    return pairs;
}

NamePairing::NamePairing(NameMatching matching, std::span<const NamePair> pairs) : matching_(matching) {
    for (const NamePair& pair : pairs) {
        const std::size_t group = group_of(pair);
        groups_.baseline[pair.baseline] = group;
        groups_.candidate[pair.candidate] = group;
    }
}

// Pairs that share a name form one group.
std::size_t NamePairing::group_of(const NamePair& pair) {
    const std::optional<std::size_t> baseline = find_group(Side::Baseline, pair.baseline);
    const std::optional<std::size_t> candidate = find_group(Side::Candidate, pair.candidate);
    if (!baseline && !candidate) {
        titles_.push_back(pair.baseline);
        return titles_.size() - 1;
    }
    const std::size_t group = baseline ? *baseline : *candidate;
    if (baseline && candidate && *baseline != *candidate) {
        for (const Side side : kSides) {
            for (auto& [name, of_name] : groups_[side]) of_name = of_name == *candidate ? group : of_name;
        }
    }
    return group;
}

std::optional<std::size_t> NamePairing::find_group(Side side, std::string_view name) const {
    const auto it = groups_[side].find(name);
    return it == groups_[side].end() ? std::nullopt : std::optional(it->second);
}

std::string NamePairing::key(Side side, std::string_view name) const {
    if (const std::optional<std::size_t> group = find_group(side, name)) return "#" + std::to_string(*group);
    return "=" + (matching_ == NameMatching::Normalised ? normalise_kernel_name(name) : std::string(name));
}

std::string NamePairing::shown(Side side, std::string_view name) const {
    if (const std::optional<std::size_t> group = find_group(side, name)) return titles_[*group];
    return matching_ == NameMatching::Normalised ? normalise_kernel_name(name) : std::string(name);
}

}  // namespace core
