#include "core/collectives/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

namespace core {
namespace {

constexpr double kLeastDuration = 10'000;       // ns: members of short collectives leave within about so much
constexpr int kMostRounds = 60;
constexpr std::int64_t kStill = 1;              // ns: offsets that move by no more have settled
constexpr std::size_t kMostEvidence = 2048;
constexpr std::uint32_t kLeastTogether = 4;     // of every rank, else all operations take part at once
constexpr std::size_t kMostSlopePoints = 384;   // all pairs of so many points
constexpr std::size_t kLeastSlopePoints = 64;
constexpr double kMostSlopePairs = 4e6;         // of all ranks together, where that leaves enough points
constexpr std::size_t kMostSamples = 1 << 17;   // of all evidence, where that leaves enough of it
constexpr std::size_t kLeastEvidence = 128;
constexpr std::uint32_t kLeastOfRank = 24;  // collectives of every rank that has so many, whatever the others have

std::int64_t rounded(double ns) { return static_cast<std::int64_t>(std::floor(ns + 0.5)); }

struct Residual {
    std::uint32_t rank = 0;
    double time = 0;  // own end
    double late = 0;  // own end − moment, before the rank's own clock is taken off
    double weight = 0;
};

class ClockFitter {
public:
    ClockFitter(const ClockProblem& problem, std::vector<std::uint32_t> used)
        : problem_(problem), used_(std::move(used)), clocks_(problem.ranks) {
        find_middles();
    }

    void set_clocks(std::vector<MeasuredClock> clocks) { clocks_ = std::move(clocks); }

    // One rank after another, until none moves; then whole groups, since where groups are small each rank is content
    // with its own group, however far that is from the next one.
    void solve_offsets() {
        solve_ranks();
        if (blocks_.empty()) find_blocks();
        for (int round = 0; round < kMostRounds && move_blocks() > kStill; ++round) solve_ranks();
    }

    bool can_drift() const {
        std::vector<std::uint32_t> counts(problem_.ranks, 0);
        count_samples(counts);
        return std::ranges::all_of(counts, [this](std::uint32_t n) { return n >= problem_.least_for_drift; });
    }

    void solve_drift() {
        std::vector<std::vector<Residual>> of_rank(problem_.ranks);
        for (const Residual& r : collect_residuals()) of_rank[r.rank].push_back(r);
        for (std::uint32_t rank = 0; rank < problem_.ranks; ++rank) clocks_[rank].drift = find_slope(of_rank[rank]);
        solve_offsets();
    }

    double total_noise() const {
        std::vector<Weighted> noise;
        for (const Residual& r : collect_residuals()) noise.push_back({std::abs(r.late - own_shift(r)), r.weight});
        return take_weighted_quantile(noise, 0.5);
    }

    // Offsets and drifts count from the lowest rank of each part.
    void set_frame() {
        std::vector<std::uint32_t> parent(problem_.ranks);
        std::iota(parent.begin(), parent.end(), 0U);
        const auto root = [&](std::uint32_t at) {
            while (parent[at] != at) at = parent[at] = parent[parent[at]];
            return at;
        };
        for (const std::uint32_t e : used_) {
            const ClockEvidence& evidence = problem_.evidence[e];
            const std::uint32_t first = root(problem_.samples[evidence.first].rank);
            for (std::uint32_t i = 1; i < evidence.count; ++i) {
                const std::uint32_t other = root(problem_.samples[evidence.first + i].rank);
                const std::uint32_t low = std::min(root(first), other);
                parent[root(first)] = low;
                parent[other] = low;
            }
        }
        for (std::uint32_t rank = 0; rank < problem_.ranks; ++rank) clocks_[rank].part = root(rank);
        const std::vector<MeasuredClock> before = clocks_;
        for (std::uint32_t rank = 0; rank < problem_.ranks; ++rank) {
            MeasuredClock& own = clocks_[rank];
            const MeasuredClock& low = before[own.part];
            // In true time: where clocks are seconds apart, so are the middles that they show.
            const double apart = static_cast<double>((own.middle - own.offset) - (low.middle - low.offset));
            own.offset -= low.offset + rounded(low.drift * apart);
            own.drift -= low.drift;
        }
    }

    ClockFit finish() const {
        ClockFit fit;
        fit.ranks = clocks_;
        std::vector<std::uint32_t> counts(problem_.ranks, 0);
        count_samples(counts);
        std::vector<std::vector<Weighted>> of_rank(problem_.ranks);
        std::vector<Weighted> all;
        for (const Residual& r : collect_residuals()) {
            const Weighted one{std::abs(r.late - own_shift(r)), r.weight};
            of_rank[r.rank].push_back(one);
            all.push_back(one);
        }
        for (std::uint32_t rank = 0; rank < problem_.ranks; ++rank) {
            fit.ranks[rank].collectives = counts[rank];
            fit.ranks[rank].noise = rounded(take_weighted_quantile(of_rank[rank], 0.5));
        }
        fit.any = !all.empty();
        fit.residual = rounded(take_weighted_quantile(all, 0.5));
        fit.residual_p90 = rounded(take_weighted_quantile(all, 0.9));
        fit.width = find_width();
        return fit;
    }

    const std::vector<MeasuredClock>& clocks() const { return clocks_; }

private:
    // Groups without a common rank: their ranks move together.
    struct Family {
        std::vector<std::uint32_t> block_of_rank;  // kNoBlock: of none
        std::uint32_t blocks = 0;
    };
    static constexpr std::uint32_t kNoBlock = 0xFFFFFFFFu;
    static constexpr std::size_t kMostFamilies = 8;

    void solve_ranks() {
        for (int round = 0; round < kMostRounds; ++round) {
            std::int64_t moved = 0;
            std::vector<std::vector<Weighted>> late(problem_.ranks);
            for (const Residual& r : collect_residuals()) late[r.rank].push_back({r.late - own_shift(r), r.weight});
            for (std::uint32_t rank = 0; rank < problem_.ranks; ++rank) {
                if (late[rank].empty()) continue;
                const std::int64_t step = rounded(take_weighted_quantile(late[rank], 0.5));
                clocks_[rank].offset += step;
                moved = std::max(moved, step < 0 ? -step : step);
            }
            if (moved <= kStill) return;
        }
    }

    // The member sets of the evidence, each in the first family where none of its ranks is taken.
    void find_blocks() {
        std::set<std::vector<std::uint32_t>> groups;
        for (const std::uint32_t e : used_) {
            std::vector<std::uint32_t> members;
            for (const ClockSample& s : samples_of(e)) members.push_back(s.rank);
            std::ranges::sort(members);
            groups.insert(std::move(members));
        }
        if (groups.size() < 2) return;
        for (const std::vector<std::uint32_t>& members : groups) {
            const auto fits = [&](const Family& family) {
                return std::ranges::all_of(members,
                                           [&](std::uint32_t rank) { return family.block_of_rank[rank] == kNoBlock; });
            };
            auto family = std::ranges::find_if(blocks_, fits);
            if (family == blocks_.end()) {
                if (blocks_.size() == kMostFamilies) continue;
                family = blocks_.insert(family, {std::vector<std::uint32_t>(problem_.ranks, kNoBlock), 0});
            }
            for (const std::uint32_t rank : members) family->block_of_rank[rank] = family->blocks;
            ++family->blocks;
        }
    }

    // By what leads out of them: collectives with ranks of one block and others. Returns the largest step.
    std::int64_t move_blocks() {
        std::int64_t moved = 0;
        for (const Family& family : blocks_) {
            std::vector<std::vector<Weighted>> late(family.blocks);
            const std::vector<Residual> residuals = collect_residuals();
            std::size_t at = 0;
            for (const std::uint32_t e : used_) {
                const std::span<const ClockSample> samples = samples_of(e);
                const std::uint32_t first = family.block_of_rank[samples.front().rank];
                const bool crosses = std::ranges::any_of(
                    samples, [&](const ClockSample& s) { return family.block_of_rank[s.rank] != first; });
                for (std::size_t i = 0; i < samples.size(); ++i, ++at) {
                    const std::uint32_t block = family.block_of_rank[samples[i].rank];
                    if (!crosses || block == kNoBlock) continue;
                    const Residual& r = residuals[at];
                    late[block].push_back({r.late - own_shift(r), r.weight});
                }
            }
            std::vector<std::int64_t> steps(family.blocks);
            for (std::uint32_t block = 0; block < family.blocks; ++block)
                steps[block] = rounded(take_weighted_quantile(late[block], 0.5));
            for (std::uint32_t rank = 0; rank < problem_.ranks; ++rank) {
                const std::uint32_t block = family.block_of_rank[rank];
                if (block == kNoBlock) continue;
                clocks_[rank].offset += steps[block];
                moved = std::max(moved, std::abs(steps[block]));
            }
        }
        return moved;
    }

    double own_shift(const Residual& r) const {
        const MeasuredClock& clock = clocks_[r.rank];
        return static_cast<double>(clock.offset) + clock.drift * (r.time - static_cast<double>(clock.middle));
    }

    double weight_of(const ClockEvidence& evidence) const {
        return 1.0 / (kLeastDuration + static_cast<double>(evidence.shortest));
    }

    void find_middles() {
        std::vector<std::vector<std::int64_t>> ends(problem_.ranks);
        for (const std::uint32_t e : used_)
            for (const ClockSample& s : samples_of(e)) ends[s.rank].push_back(s.end);
        for (std::uint32_t rank = 0; rank < problem_.ranks; ++rank)
            clocks_[rank].middle = ends[rank].empty() ? 0 : take_middle(ends[rank]);
    }

    std::span<const ClockSample> samples_of(std::uint32_t e) const {
        const ClockEvidence& evidence = problem_.evidence[e];
        return std::span(problem_.samples).subspan(evidence.first, evidence.count);
    }

    void count_samples(std::vector<std::uint32_t>& counts) const {
        for (const std::uint32_t e : used_)
            for (const ClockSample& s : samples_of(e)) ++counts[s.rank];
    }

    std::vector<Residual> collect_residuals() const {
        std::vector<Residual> residuals;
        std::vector<std::int64_t> ends;
        for (const std::uint32_t e : used_) {
            ends.clear();
            for (const ClockSample& s : samples_of(e)) ends.push_back(clocks_[s.rank].to_true(s.end));
            const std::int64_t moment = take_middle(ends);
            const double weight = weight_of(problem_.evidence[e]);
            for (const ClockSample& s : samples_of(e))
                residuals.push_back({s.rank, static_cast<double>(s.end), static_cast<double>(s.end - moment), weight});
        }
        return residuals;
    }

    // Weighted Theil–Sen over pairs at least a third of the span apart.
    double find_slope(std::vector<Residual>& points) const {
        std::ranges::sort(points, {}, &Residual::time);
        const auto wanted = static_cast<std::size_t>(std::sqrt(2 * kMostSlopePairs / problem_.ranks));
        const std::size_t most = std::clamp(wanted, kLeastSlopePoints, kMostSlopePoints);
        if (points.size() > most) {
            std::vector<Residual> fewer;
            for (std::size_t i = 0; i < most; ++i) fewer.push_back(points[i * points.size() / most]);
            points = std::move(fewer);
        }
        if (points.size() < 2) return 0;
        const double least = (points.back().time - points.front().time) / 3;
        std::vector<Weighted> slopes;
        for (std::size_t i = 0; i < points.size(); ++i)
            for (std::size_t k = i + 1; k < points.size(); ++k) {
                const double apart = points[k].time - points[i].time;
                if (apart < least || apart <= 0) continue;
                slopes.push_back({(points[k].late - points[i].late) / apart, points[i].weight * points[k].weight});
            }
        return take_weighted_quantile(slopes, 0.5);
    }

    std::int64_t find_width() const {
        std::int64_t width = 0;
        std::vector<std::int64_t> least(problem_.ranks, 0), most(problem_.ranks, 0);
        for (const MeasuredClock& clock : clocks_) {
            least[clock.part] = std::min(least[clock.part], clock.offset);
            most[clock.part] = std::max(most[clock.part], clock.offset);
            width = std::max(width, most[clock.part] - least[clock.part]);
        }
        return width;
    }

    const ClockProblem& problem_;
    std::vector<std::uint32_t> used_;
    std::vector<MeasuredClock> clocks_;
    std::vector<Family> blocks_;
};

// Adds the shortest samples of each rank: with many groups, a choice over all of them may leave a rank with next to
// nothing.
void add_for_each_rank(const ClockProblem& problem, const std::vector<std::uint32_t>& all,
                       std::vector<std::uint32_t>& chosen) {
    std::vector<bool> taken(problem.evidence.size(), false);
    std::vector<std::uint32_t> counts(problem.ranks, 0);
    const auto samples_of = [&](std::uint32_t e) {
        return std::span(problem.samples).subspan(problem.evidence[e].first, problem.evidence[e].count);
    };
    const auto take = [&](std::uint32_t e) {
        taken[e] = true;
        for (const ClockSample& sample : samples_of(e)) ++counts[sample.rank];
    };
    for (const std::uint32_t e : chosen) take(e);
    const auto lacks = [&](const ClockSample& sample) { return counts[sample.rank] < kLeastOfRank; };
    if (std::ranges::all_of(counts, [](std::uint32_t n) { return n >= kLeastOfRank; })) return;
    std::vector<std::uint32_t> shortest = all;
    std::ranges::stable_sort(shortest, {}, [&](std::uint32_t e) { return problem.evidence[e].shortest; });
    for (const std::uint32_t e : shortest) {
        if (taken[e] || std::ranges::none_of(samples_of(e), lacks)) continue;
        chosen.push_back(e);
        take(e);
    }
}

// The shortest, spread evenly over time: of each of as many stretches of time as are wanted, the shortest.
std::vector<std::uint32_t> choose_evidence(const ClockProblem& problem, std::vector<std::uint32_t> all) {
    std::size_t samples = 0;
    for (const std::uint32_t e : all) samples += problem.evidence[e].count;
    const std::size_t members = all.empty() ? 1 : std::max<std::size_t>(1, samples / all.size());
    const std::size_t most = std::min(kMostEvidence, std::max(kLeastEvidence, kMostSamples / members));
    if (all.size() <= most) return all;
    std::ranges::sort(all, {}, [&](std::uint32_t e) { return problem.samples[problem.evidence[e].first].end; });
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < most; ++i) {
        const std::size_t first = i * all.size() / most;
        const std::size_t last = (i + 1) * all.size() / most;
        chosen.push_back(*std::min_element(all.begin() + static_cast<std::ptrdiff_t>(first),
                                           all.begin() + static_cast<std::ptrdiff_t>(last),
                                           [&](std::uint32_t a, std::uint32_t b) {
                                               return problem.evidence[a].shortest < problem.evidence[b].shortest;
                                           }));
    }
    add_for_each_rank(problem, all, chosen);
    return chosen;
}

bool has_enough_together(const ClockProblem& problem) {
    std::vector<std::uint32_t> counts(problem.ranks, 0);
    for (const ClockEvidence& evidence : problem.evidence)
        if (evidence.together)
            for (std::uint32_t i = 0; i < evidence.count; ++i) ++counts[problem.samples[evidence.first + i].rank];
    return std::ranges::all_of(counts, [](std::uint32_t n) { return n >= kLeastTogether; });
}

// Someone left before the last had come.
bool was_left_early(const ClockProblem& problem, const ClockEvidence& evidence, std::span<const MeasuredClock> clocks) {
    std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_start = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t i = 0; i < evidence.count; ++i) {
        const ClockSample& s = problem.samples[evidence.first + i];
        first_end = std::min(first_end, clocks[s.rank].to_true(s.end));
        last_start = std::max(last_start, clocks[s.rank].to_true(s.start));
    }
    return first_end < last_start;
}

void fit_drift(ClockFitter& fitter, double saved) {
    const std::vector<MeasuredClock> without = fitter.clocks();
    const double noise = fitter.total_noise();
    fitter.solve_drift();
    const bool saves = fitter.total_noise() <= (1 - saved) * noise && noise > 0;
    if (!saves) fitter.set_clocks(without);
}

}  // namespace

std::int64_t MeasuredClock::to_true(std::int64_t t) const {
    if (drift == 0) return t - offset;
    return t - offset - rounded(drift * static_cast<double>(t - middle));
}

double take_weighted_quantile(std::vector<Weighted>& values, double share) {
    if (values.empty()) return 0;
    std::ranges::sort(values, {}, &Weighted::value);
    double total = 0;
    for (const Weighted& one : values) total += one.weight;
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum += values[i].weight;
        if (sum >= share * total || i + 1 == values.size()) return values[i].value;
    }
    return values.back().value;
}

std::int64_t take_middle(std::vector<std::int64_t>& values) {
    if (values.empty()) return 0;
    const std::size_t half = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
    const std::int64_t upper = values[half];
    if (values.size() % 2 == 1) return upper;
    const std::int64_t lower = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half));
    const std::int64_t apart = upper - lower;
    return lower + apart / 2 + apart % 2;  // half up
}

ClockFit fit_clocks(const ClockProblem& problem) {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> all;
    const bool together_only = has_enough_together(problem);
    for (std::uint32_t e = 0; e < problem.evidence.size(); ++e) {
        all.push_back(e);
        if (!together_only || problem.evidence[e].together) first.push_back(e);
    }
    ClockFitter rough(problem, choose_evidence(problem, first));
    rough.solve_offsets();
    const std::vector<MeasuredClock> guess = rough.clocks();
    std::erase_if(all, [&](std::uint32_t e) {
        return !problem.evidence[e].together && was_left_early(problem, problem.evidence[e], guess);
    });
    ClockFitter fitter(problem, choose_evidence(problem, std::move(all)));
    fitter.solve_offsets();
    if (problem.wants_drift && fitter.can_drift()) fit_drift(fitter, problem.drift_saves);
    fitter.set_frame();
    return fitter.finish();
}

}  // namespace core
