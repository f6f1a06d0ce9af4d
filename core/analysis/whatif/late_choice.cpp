#include "core/analysis/whatif/late_choice.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kMostNamed = 64;
constexpr double kLeastKept = 0.05;  // share of what all save together; a rank that adds less is left out
// Ranks that are late by turns stand out in a step of their own, and in no more than half of the steps.
constexpr std::int64_t kStandsOut = 2;
constexpr std::size_t kMany = 4;

class LateChooser {
public:
    explicit LateChooser(const LateEvidence& evidence) : evidence_(evidence) {}

    Result<LateRanks> choose() const {
        LateRanks late;
        late.length = evidence_.length;
        std::vector<std::uint32_t> named = collect_candidates();
        if (named.empty()) return late;
        Result<std::int64_t> saved = evidence_.save(named);
        if (!saved) return saved.error();
        if (is_too_little(*saved)) return late;
        if (const Result<bool> done = leave_out_innocents(named, *saved); !done) return done.error();
        late.by_turns = are_late_by_turns(named);
        if (!late.by_turns) leave_out_noise(named);
        saved = evidence_.save(named);
        if (!saved) return saved.error();
        if (is_too_little(*saved)) return late;
        late.saved = *saved;
        for (const std::uint32_t part : named) {
            const Result<std::int64_t> alone = evidence_.save({part});
            if (!alone) return alone.error();
            late.slots.push_back(evidence_.slots[part]);
            late.excess.push_back(evidence_.excess[part]);
            late.saved_alone.push_back(std::max<std::int64_t>(*alone, 0));
        }
        return late;
    }

private:
    bool is_too_little(std::int64_t saved) const {
        return static_cast<double>(saved) < kLeastSaved * static_cast<double>(evidence_.length);
    }

    // Ranks with an excess that could matter; the replay decides how much it costs.
    std::vector<std::uint32_t> collect_candidates() const {
        std::vector<std::uint32_t> candidates;
        const auto matters = [&](std::int64_t time) {
            return static_cast<double>(time) >= kLeastSaved / 2 * static_cast<double>(evidence_.length);
        };
        for (std::uint32_t p = 0; p < evidence_.excess.size(); ++p) {
            if (evidence_.suspects.left_out[p]) continue;
            if (evidence_.suspects.examined[p] || std::ranges::any_of(evidence_.excess[p].time, matters))
                candidates.push_back(p);
        }
        std::ranges::stable_sort(candidates, std::greater{},
                                 [&](std::uint32_t p) { return evidence_.excess[p].total(); });
        if (candidates.size() > kMostNamed) candidates.resize(kMostNamed);
        return candidates;
    }

    // Drops ranks, the least excess first, while the others save as much without them. Most candidates are innocent and
    // every replay costs a pass over the graph, so all are dropped at once, and half as many where that loses too much.
    Result<bool> leave_out_innocents(std::vector<std::uint32_t>& named, std::int64_t saved) const {
        const auto least = static_cast<std::int64_t>(static_cast<double>(saved) * (1 - kLeastKept));
        if (const Result<bool> done = leave_out(named, 1, named.size(), least); !done) return done.error();
        return named.size() > 1 ? leave_out(named, 0, 1, least) : Result<bool>(true);
    }

    // Tries to drop [begin, end), the last part of `named` that has not been tried.
    Result<bool> leave_out(std::vector<std::uint32_t>& named, std::size_t begin, std::size_t end,
                           std::int64_t least) const {
        if (begin >= end) return true;
        std::vector<std::uint32_t> others = named;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(begin),
                     others.begin() + static_cast<std::ptrdiff_t>(end));
        const Result<std::int64_t> without = evidence_.save(others);
        if (!without) return without.error();
        if (*without >= least) {
            named = std::move(others);
            return true;
        }
        if (end - begin == 1) return true;
        const std::size_t middle = begin + (end - begin) / 2;
        if (const Result<bool> done = leave_out(named, middle, end, least); !done) return done.error();
        return leave_out(named, begin, middle, least);
    }

    // Drops ranks whose excess is within the spread of the others: one is always last, and where hosts jitter half of
    // the run would be named. Repeats with the others' median and robust deviation until no more ranks are dropped.
    void leave_out_noise(std::vector<std::uint32_t>& named) const {
        for (std::size_t before = 0; before != named.size();) {
            before = named.size();
            leave_out_nearest(named);
        }
    }
    void leave_out_nearest(std::vector<std::uint32_t>& named) const {
        constexpr double kDeviations = 3.5, kNormal = 1.4826;
        std::vector<double> others;
        for (std::uint32_t p = 0; p < evidence_.excess.size(); ++p)
            if (!evidence_.suspects.left_out[p] && std::ranges::find(named, p) == named.end())
                others.push_back(static_cast<double>(evidence_.excess[p].total()));
        if (others.size() < 2) return;
        const double middle = take_median(others);
        for (double& one : others) one = std::abs(one - middle);
        const double least = middle + kDeviations * kNormal * take_median(others);
        std::erase_if(named, [&](std::uint32_t p) { return static_cast<double>(evidence_.excess[p].total()) < least; });
    }

    std::int64_t excess_of(std::uint32_t step, std::uint32_t part) const {
        const auto it = evidence_.of_steps.find({step, part});
        return it == evidence_.of_steps.end() ? 0 : it->second;
    }

    // True for many ranks, most of which do more than the mean in some steps and less in others: uneven input, not slow
    // ranks. The mean decides, because a few long inputs put most steps of a rank on one side of the median.
    bool are_many_and_unsteady(const std::vector<std::uint32_t>& named) const {
        if (named.size() < kMany || named.size() * 4 < evidence_.slots.size()) return false;
        std::vector<Wide> sums(evidence_.steps, 0);
        for (const auto& [place, excess] : evidence_.of_steps)
            if (place.first < sums.size()) sums[place.first] += excess;
        const auto count = static_cast<std::int64_t>(evidence_.slots.size());
        const auto is_steady = [&](std::uint32_t part) {
            std::size_t late = 0;
            for (std::uint32_t step = 0; step < evidence_.steps; ++step)
                late += Wide{excess_of(step, part)} * count > sums[step] ? 1 : 0;
            return late * 4 > evidence_.steps * 3;
        };
        return static_cast<std::size_t>(std::ranges::count_if(named, is_steady)) * 2 < named.size();
    }

    bool are_late_by_turns(const std::vector<std::uint32_t>& named) const {
        if (named.size() < 2 || evidence_.steps < 3) return false;
        if (are_many_and_unsteady(named)) return true;
        const std::int64_t step = evidence_.length / static_cast<std::int64_t>(evidence_.steps);
        std::map<std::uint32_t, std::size_t> turns;  // steps in which a part stands out
        std::size_t counted = 0;
        for (std::uint32_t s = 0; s < evidence_.steps; ++s) {
            std::vector<std::pair<std::int64_t, std::uint32_t>> of_step;
            for (const std::uint32_t part : named) {
                of_step.emplace_back(excess_of(s, part), part);
            }
            std::ranges::sort(of_step, std::greater{});
            if (static_cast<double>(of_step[0].first) < kLeastSaved * static_cast<double>(step)) continue;
            ++counted;
            if (of_step[0].first >= kStandsOut * of_step[1].first) ++turns[of_step[0].second];
        }
        if (counted < 3) return false;
        const std::size_t standing_out =
            std::accumulate(turns.begin(), turns.end(), std::size_t{0},
                            [](std::size_t sum, const auto& turn) { return sum + turn.second; });
        const auto most = std::ranges::max_element(turns, {}, [](const auto& turn) { return turn.second; });
        return standing_out * 2 > counted && turns.size() > 1 && most->second * 2 <= counted;
    }

    const LateEvidence& evidence_;
};

}  // namespace

Result<LateRanks> choose_late_ranks(const LateEvidence& evidence) { return LateChooser(evidence).choose(); }

}  // namespace core
