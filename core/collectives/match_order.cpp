#include "core/collectives/match_order.hpp"

#include "core/collectives/check_matches.hpp"
#include "core/collectives/clocks.hpp"

#include <limits>
#include <map>

namespace core {
namespace {

constexpr std::size_t kLeastPairs = 4;
constexpr std::size_t kMostPairs = 256;             // of longer lists as many, evenly spread
constexpr std::size_t kQuickPairs = 48;              // of longer lists, tell whether a shift is worth a closer look
constexpr std::int64_t kQuickTimes = 8;             // it is not if it deviates by so many times what fits
constexpr std::int64_t kNearOffset = 10'000'000;    // ns: clocks of one machine
constexpr std::int64_t kFitSlack = 50'000;          // ns: a shift fits as well within 4 times the best and this
constexpr std::int64_t kFitTimes = 4;
constexpr std::int64_t kSureDeviation = 1'000'000;  // ns: a far shift that fits worse is not evidence

// ---------------------------------------------------------------- guessing clocks

struct ShiftFit {
    std::int64_t shift = 0;
    std::int64_t offset = 0;
    std::int64_t deviation = 0;
};

// b[i + shift] against a[i], both counted from the end.
std::optional<ShiftFit> fit_shift(std::span<const std::int64_t> a, std::span<const std::int64_t> b, std::int64_t shift,
                                  std::size_t most_pairs) {
    const std::size_t skip_a = shift < 0 ? static_cast<std::size_t>(-shift) : 0;
    const std::size_t skip_b = shift > 0 ? static_cast<std::size_t>(shift) : 0;
    if (a.size() <= skip_a || b.size() <= skip_b) return std::nullopt;
    const std::size_t pairs = std::min(a.size() - skip_a, b.size() - skip_b);
    if (pairs < std::max(kLeastPairs, (std::min(a.size(), b.size()) + 1) / 2)) return std::nullopt;
    const std::size_t taken = std::min(pairs, most_pairs);
    std::vector<std::int64_t> apart(taken);
    for (std::size_t i = 0; i < taken; ++i) {
        const std::size_t k = i * pairs / taken;
        apart[i] = b[b.size() - 1 - skip_b - k] - a[a.size() - 1 - skip_a - k];
    }
    ShiftFit fit{.shift = shift, .offset = take_middle(apart), .deviation = 0};
    for (std::int64_t& d : apart) d = d < fit.offset ? fit.offset - d : d - fit.offset;
    fit.deviation = take_middle(apart);
    return fit;
}

std::vector<std::int64_t> collect_ends(const RankMembers& rank) {
    std::vector<std::int64_t> ends;
    for (std::uint32_t i = 0; i < rank.events.size(); ++i) ends.push_back(rank.end(i));
    std::ranges::sort(ends);
    return ends;
}

struct Guess {
    std::int64_t offset = 0;
    bool may_be_shifted = false;
};

Guess guess_clock(std::span<const std::int64_t> a, std::span<const std::int64_t> b, const MatchParams& params) {
    std::vector<ShiftFit> fits;
    std::int64_t least = std::numeric_limits<std::int64_t>::max() / 64;
    const bool is_long = std::min(a.size(), b.size()) > kMostPairs;
    for (std::int64_t k = 0; k <= 2 * params.shifts; ++k) {
        const std::int64_t shift = k % 2 == 0 ? k / 2 : -(k + 1) / 2;  // 0, −1, 1, −2, …
        if (is_long) {
            const std::optional<ShiftFit> quick = fit_shift(a, b, shift, kQuickPairs);
            if (!quick || quick->deviation > kQuickTimes * (kFitTimes * least + kFitSlack)) continue;
        }
        const std::optional<ShiftFit> fit = fit_shift(a, b, shift, kMostPairs);
        if (!fit) continue;
        least = std::min(least, fit->deviation);
        fits.push_back(*fit);
    }
    if (fits.empty()) return {};
    const ShiftFit best = *std::ranges::min_element(
        fits, {}, [](const ShiftFit& f) { return std::tuple(f.deviation, f.shift < 0 ? -f.shift : f.shift); });
    if (best.deviation > params.tolerance) return {};  // no shift fits: the ends tell nothing of clocks
    const std::int64_t limit = kFitTimes * best.deviation + kFitSlack;
    Guess guess;
    bool near = false;
    for (const ShiftFit& fit : fits) {
        if (fit.deviation > limit) continue;
        near = near || (fit.offset <= kNearOffset && fit.offset >= -kNearOffset);
        const std::int64_t apart = fit.offset < best.offset ? best.offset - fit.offset : fit.offset - best.offset;
        guess.may_be_shifted = guess.may_be_shifted || (fit.deviation < limit && apart > params.tolerance);
    }
    guess.offset = near ? 0 : best.offset;
    guess.may_be_shifted = guess.may_be_shifted || (!near && best.deviation > kSureDeviation);
    return guess;
}

// ---------------------------------------------------------------- rounds

struct Head {
    std::uint32_t index = 0;
    std::int64_t end = 0;
};

using ListKey = std::pair<std::uint32_t, Operation>;
using Lists = std::map<ListKey, std::vector<std::vector<Head>>>;  // by place, in launch order

bool can_be_ambiguous(Operation operation) {
    return operation == Operation::AllToAll || is_pairwise(operation) || operation == Operation::Gather ||
           operation == Operation::Scatter;
}

// Events whose operation no text decides join the only list of their group that they can belong to.
void place_ambiguous(Lists& lists) {
    std::vector<ListKey> unknown;
    for (const auto& [key, list] : lists)
        if (key.second == Operation::Unknown || key.second == Operation::SendRecv) unknown.push_back(key);
    for (const ListKey& key : unknown) {
        std::vector<std::vector<Head>>* only = nullptr;
        std::size_t candidates = 0;
        for (auto& [other, list] : lists) {
            if (other.first != key.first || !can_be_ambiguous(other.second)) continue;
            ++candidates;
            only = &list;
        }
        if (candidates != 1) continue;
        const auto node = lists.extract(key);
        for (std::size_t place = 0; place < only->size(); ++place) {
            std::vector<Head>& to = (*only)[place];
            const std::vector<Head>& from = node.mapped()[place];
            to.insert(to.end(), from.begin(), from.end());
            std::ranges::sort(to, {}, &Head::index);  // the table is in launch order
        }
    }
}

class RoundMatcher {
public:
    RoundMatcher(const MatchInput& input, std::span<const std::vector<Head>> lists, Operation operation)
        : input_(input), lists_(lists), operation_(operation), left_(lists.size()) {
        for (std::size_t place = 0; place < lists.size(); ++place) left_[place] = lists[place].size();
    }

    void run(std::vector<Match>& matches) {
        for (std::optional<std::size_t> leader = find_leader(); leader; leader = find_leader())
            matches.push_back(match_round(*leader));
    }

private:
    const Head& head(std::size_t place) const { return lists_[place][left_[place] - 1]; }
    const MemberEvent& member(std::size_t place) const {
        return input_.ranks[input_.cohort->slots[place]].events[head(place).index];
    }

    std::optional<std::size_t> find_leader() const {
        std::optional<std::size_t> leader;
        for (std::size_t place = 0; place < lists_.size(); ++place)
            if (left_[place] > 0 && (!leader || head(place).end > head(*leader).end)) leader = place;
        return leader;
    }

    bool belongs(std::size_t place, std::size_t leader) const {
        const std::int64_t end = head(place).end;
        const std::int64_t latest = head(leader).end;
        if (latest - end > input_.params.tolerance || contradicts(member(place), member(leader))) return false;
        if (left_[leader] < 2) return true;
        const std::int64_t before = lists_[leader][left_[leader] - 2].end;
        return latest - end <= (end < before ? before - end : end - before);
    }

    static bool contradicts(const MemberEvent& a, const MemberEvent& b) {
        if (!has_equal_bytes(a.operation) || !has_equal_bytes(b.operation)) return false;
        if (a.type != 0 && b.type != 0 && a.type != b.type) return true;
        return a.in_bytes != kNoBytes && b.in_bytes != kNoBytes && a.in_bytes != b.in_bytes;
    }

    Match match_round(std::size_t leader) {
        std::vector<std::size_t> places;
        for (std::size_t place = 0; place < lists_.size(); ++place)
            if (left_[place] > 0 && (place == leader || belongs(place, leader))) places.push_back(place);
        Match match;
        match.operation = operation_;
        for (const std::size_t place : places) {
            match.members.push_back({input_.cohort->slots[place], head(place).index});
            --left_[place];
        }
        return match;
    }

    const MatchInput& input_;
    std::span<const std::vector<Head>> lists_;
    Operation operation_;
    std::vector<std::size_t> left_;
};

}  // namespace

ClockGuess guess_clocks(const MatchInput& input) {
    const std::vector<std::uint32_t>& slots = input.cohort->slots;
    ClockGuess guess{std::vector<std::int64_t>(slots.size(), 0), std::vector<bool>(slots.size(), false)};
    std::vector<std::int64_t> first;
    for (std::size_t place = 0; place < slots.size(); ++place) {
        std::vector<std::int64_t> ends = collect_ends(input.ranks[slots[place]]);
        if (ends.empty()) continue;
        if (first.empty()) {
            first = std::move(ends);
            continue;
        }
        const Guess one = guess_clock(first, ends, input.params);
        guess.offset[place] = one.offset;
        guess.may_be_shifted[place] = one.may_be_shifted;
    }
    return guess;
}

std::vector<Match> match_by_order(const MatchInput& input, const OrderedMembers& rest, const ToTrue& to_true) {
    Lists lists;
    for (std::uint32_t place = 0; place < rest.size(); ++place) {
        const RankMembers& rank = input.ranks[input.cohort->slots[place]];
        for (const std::uint32_t i : rest[place]) {
            std::vector<std::vector<Head>>& list = lists[{rank.group(i), rank.events[i].operation}];
            list.resize(rest.size());
            list[place].push_back({i, to_true(place, rank.end(i))});
        }
    }
    place_ambiguous(lists);
    std::vector<Match> matches;
    for (const auto& [key, list] : lists) RoundMatcher(input, list, key.second).run(matches);
    for (Match& match : matches) check_match(input, match);
    return matches;
}

}  // namespace core
