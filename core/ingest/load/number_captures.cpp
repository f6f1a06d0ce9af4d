#include "core/ingest/load/number_captures.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace core {
namespace {

// One per claim; of dumps none counts.
using Numbers = std::vector<std::int32_t>;

class CaptureNumbers {
public:
    CaptureNumbers(std::span<const RankClaim> claims, std::span<const RankIdentity> ranks)
        : claims_(claims), ranks_(ranks) {
        for (std::size_t i = 0; i < claims.size(); ++i)
            if (!claims[i].is_dump) traces_.push_back(i);
    }

    Numbers find() const {
        Numbers by_name = number_by_name();
        if (std::ranges::all_of(by_name, [](std::int32_t number) { return number == 0; })) return by_name;
        Numbers together = number_by_label();
        if (together.empty()) together = number_by_time();
        return together.empty() || is_consistent(by_name, together) ? by_name : together;
    }

private:
    Numbers number_by_name() const {
        Numbers numbers(claims_.size(), 0);
        std::map<std::int32_t, std::int32_t> next;
        for (const std::size_t i : traces_) numbers[i] = next[number_of(i)]++;
        return numbers;
    }

    // Empty: some have no label, or a rank has one twice.
    Numbers number_by_label() const {
        std::map<std::pair<std::int64_t, std::string>, std::int32_t>
            labels;  // iterations by number, others as they come
        std::vector<std::pair<std::int64_t, std::string>> keys(claims_.size());
        for (const std::size_t i : traces_) {
            const std::string label = find_label_in_path(claims_[i].path);
            if (label.empty()) return {};
            keys[i] = {iteration_of(label), label};
            labels.try_emplace(keys[i], 0);
        }
        std::int32_t count = 0;
        for (auto& [key, number] : labels) number = count++;
        Numbers numbers(claims_.size(), 0);
        for (const std::size_t i : traces_) numbers[i] = labels.at(keys[i]);
        return has_repeats(numbers) ? Numbers{} : numbers;
    }

    // Captures that overlap, directly or through others, are of one moment. Empty: a rank has two in one moment, or no
    // chain of shared moments leads from each rank to each other, as where their clocks have nothing in common.
    Numbers number_by_time() const {
        std::vector<std::size_t> order = traces_;
        if (std::ranges::any_of(order, [&](std::size_t i) { return claims_[i].window.empty(); })) return {};
        std::ranges::sort(order, {}, [&](std::size_t i) { return claims_[i].window.begin; });
        Numbers numbers(claims_.size(), 0);
        std::int32_t moment = 0;
        RankTime end = claims_[order.front()].window.end;
        for (const std::size_t i : order) {
            if (claims_[i].window.begin >= end && i != order.front()) ++moment;
            end = std::max(end, claims_[i].window.end);
            numbers[i] = moment;
        }
        return has_repeats(numbers) || !are_connected(numbers) ? Numbers{} : numbers;
    }

    bool has_repeats(const Numbers& numbers) const {
        std::set<std::pair<std::int32_t, std::int32_t>> seen;
        return std::ranges::any_of(traces_, [&](std::size_t i) {
            return !seen.insert({number_of(i), numbers[i]}).second;
        });
    }

    // Spreads from the first rank over the moments of its captures, and from these to their ranks.
    bool are_connected(const Numbers& numbers) const {
        std::map<std::int32_t, std::vector<std::size_t>> of_rank, of_moment;
        for (const std::size_t i : traces_) {
            of_rank[number_of(i)].push_back(i);
            of_moment[numbers[i]].push_back(i);
        }
        std::set<std::int32_t> reached{number_of(traces_.front())}, moments;
        std::vector<std::int32_t> open(reached.begin(), reached.end());
        while (!open.empty()) {
            const std::int32_t rank = open.back();
            open.pop_back();
            for (const std::size_t i : of_rank.at(rank)) {
                if (!moments.insert(numbers[i]).second) continue;
                for (const std::size_t other : of_moment.at(numbers[i]))
                    if (reached.insert(number_of(other)).second) open.push_back(number_of(other));
            }
        }
        return reached.size() == of_rank.size();
    }

    // Whether the letters by name part the captures exactly as these do.
    bool is_consistent(const Numbers& by_name, const Numbers& together) const {
        std::map<std::int32_t, std::int32_t> forward, back;
        return std::ranges::all_of(traces_, [&](std::size_t i) {
            return forward.try_emplace(by_name[i], together[i]).first->second == together[i] &&
                   back.try_emplace(together[i], by_name[i]).first->second == by_name[i];
        });
    }

    static std::int64_t iteration_of(std::string_view label) {
        const std::string_view digits = label.substr(label.find(' ') + 1);
        std::int64_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return number;
    }

    std::int32_t number_of(std::size_t i) const { return ranks_[i].key.number; }

    std::span<const RankClaim> claims_;
    std::span<const RankIdentity> ranks_;
    std::vector<std::size_t> traces_;
};

}  // namespace

void number_captures(std::span<const RankClaim> claims, std::span<RankIdentity> ranks) {
    const Numbers numbers = CaptureNumbers(claims, ranks).find();
    std::map<std::int32_t, std::int32_t> behind;  // the traces of a rank
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (claims[i].is_dump) continue;
        ranks[i].key.capture = numbers[i];
        std::int32_t& next = behind[ranks[i].key.number];
        next = std::max(next, numbers[i] + 1);
    }
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (claims[i].is_dump) ranks[i].key.capture = behind[ranks[i].key.number]++;
}

}  // namespace core
