#include "core/diff/step_change/contributions.hpp"

#include "core/analysis/time/step_parts.hpp"
#include "core/analysis/time/step_windows.hpp"
#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/diff/step_change/apportion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace core {
namespace {

using PartKey = std::pair<StepPart, std::string>;  // the name's key, of kernels

struct PartSample {
    std::string kernel;  // as shown
    BySide<std::set<std::string>> names;  // full
    BySide<std::vector<std::int64_t>> ns;  // by step of the side; empty: in none
};
using PartTable = std::map<PartKey, PartSample>;

class PartCollector {
public:
    PartCollector(PartTable& parts, const NamePairing& names, Side side, const SampledRun& run)
        : parts_(parts), names_(names), side_(side), run_(run) {}

    Result<bool> collect(const JobContext& context) {
        std::map<std::size_t, std::vector<std::size_t>> steps_of_slot;
        for (std::size_t i = 0; i < run_.sample.steps.size(); ++i)
            steps_of_slot[run_.sample.steps[i].slowest].push_back(i);
        // Name, class and duration terms choose what is drawn; a step's parts are of all its work.
        const Filter all{};
        for (const auto& [slot, steps] : steps_of_slot) {
            const Result<RankView> view = build_rank_view(*run_.run, slot, all, context);
            if (!view) return view.error();
            for (const std::size_t step : steps) {
                if (context.cancelled()) return cancelled_error();
                add_step(*view, step);
            }
            stretches_.clear();
        }
        return true;
    }

private:
    void add(StepPart part, std::string_view kernel, std::size_t step, std::int64_t ns) {
        PartSample& sample = parts_[{part, part == StepPart::Kernel ? names_.key(side_, kernel) : std::string{}}];
        if (sample.kernel.empty() && part == StepPart::Kernel) sample.kernel = names_.shown(side_, kernel);
        if (part == StepPart::Kernel) sample.names[side_].emplace(kernel);
        std::vector<std::int64_t>& values = sample.ns[side_];
        if (values.empty()) values.resize(run_.sample.steps.size());
        values[step] += ns;
    }

    void add_step(const RankView& view, std::size_t step) {
        const RankTrace& trace = view.trace();
        std::vector<RankRange> ranges;
        for (const Step& mark : trace.steps)
            if (mark.number == run_.sample.steps[step].number) ranges.push_back(mark.range);
        ranges = merge_ranges(std::move(ranges));
        if (trace.gpu_events.empty()) {
            add(StepPart::NotRecorded, {}, step, run_.sample.steps[step].ns);
            return;
        }
        const ClassTimes times = times_in(view.selection->partition(), ranges);
        add(StepPart::ExposedCommunication, {}, step, times.exposed_communication().count());
        add(StepPart::ExposedMemory, {}, step, times.exposed_memory().count());
        add(StepPart::Idle, {}, step, times.idle().count());
        if (stretches_.empty()) stretches_ = step_parts::collect_stretches(view, *view.selection);
        for (const RankRange& range : ranges) add_kernels(trace, range, step);
    }

    void add_kernels(const RankTrace& trace, RankRange range, std::size_t step) {
        const auto ends_before = [&](const step_parts::Stretch& stretch) { return stretch.range.end <= range.begin; };
        std::map<NameId, std::int64_t> times;
        for (auto it = std::ranges::partition_point(stretches_, ends_before);
             it != stretches_.end() && it->range.begin < range.end; ++it) {
            const RankTime begin = std::max(it->range.begin, range.begin), end = std::min(it->range.end, range.end);
            times[trace.name[index_of(it->kernel)]] += (end - begin).count();
        }
        for (const auto& [name, ns] : times) add(StepPart::Kernel, trace.text(name), step, ns);
    }

    PartTable& parts_;
    const NamePairing& names_;
    Side side_;
    const SampledRun& run_;
    std::vector<step_parts::Stretch> stretches_;  // of the rank at hand
};

std::vector<double> to_values(const std::vector<std::int64_t>& ns, std::size_t steps) {
    std::vector<double> values(ns.begin(), ns.end());
    values.resize(steps);  // a part that no step of the side has takes no time there
    return values;
}

// Kernels that one side alone has are not tested: their times on the other are no sample.
template <class Names>
void set_only(Tested& tested, const BySide<Names>& names) {
    if (names.baseline.empty() == names.candidate.empty()) return;
    tested.only = names.baseline.empty() ? Side::Candidate : Side::Baseline;
    tested.judgement = tested.strict = {stats::Verdict::Undecided, stats::Doubt::OneSide};
}

std::string kernels_text(const Contributions& contributions) {
    const bool any_tested = std::ranges::any_of(contributions.parts, [](const Contribution& part) {
        return part.part == StepPart::Kernel && part.tested.family > 0;
    });
    std::string text = !any_tested ? std::string("no kernel tested")
                       : contributions.kernels_changed == 0
                           ? std::string("no kernel changed")
                           : format_plural(contributions.kernels_changed, "kernel", "kernels") + " changed";
    for (const Side side : kSides)
        if (const std::size_t lone = contributions.kernels_only[side]; lone > 0)
            text += ", " + std::to_string(lone) + " " + std::string(words_of(lone_verdict(side)));
    return text;
}

std::vector<std::pair<RankKey, std::size_t>> count_slowest(const SampledRun& run) {
    std::map<RankKey, std::size_t> counts;
    for (const StepValue& step : run.sample.steps) ++counts[run.run->rank(step.slowest).key];
    std::vector<std::pair<RankKey, std::size_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &std::pair<RankKey, std::size_t>::second);
    return sorted;
}

std::string name_ranks(const std::vector<std::pair<RankKey, std::size_t>>& slowest) {
    return slowest.size() == 1 ? "rank " + format_rank(slowest.front().first) : std::string("these ranks");
}

// "rank 6 idles 217 ms more per step than rank 3, which waits 215 ms more for other ranks": of two ranks of a run whose
// steps end together, the one that works or idles longer is waited for. Empty where it isn't so.
std::string describe_waiting_rank(const Contributions& contributions, const StepStatistics& statistics) {
    constexpr double kLeastPart = 0.01, kLeastWaited = 0.5;
    if (statistics.options.compares != Compares::Ranks) return {};
    std::array<std::int64_t, kStepParts> more{};  // of the candidate, by part
    for (const Contribution& part : contributions.parts) {
        const StepPart of = part.part == StepPart::OtherKernels ? StepPart::Kernel : part.part;
        more[static_cast<std::size_t>(of)] += part.change();
    }
    const std::int64_t communication = more[static_cast<std::size_t>(StepPart::ExposedCommunication)];
    if (communication == 0) return {};
    const Side late = communication < 0 ? Side::Candidate : Side::Baseline;
    const std::int64_t sign = late == Side::Candidate ? 1 : -1, waited = std::abs(communication);
    struct Deed {
        StepPart part;
        std::string_view verb;
    };
    constexpr std::array<Deed, 3> kDeeds = {
        {{StepPart::Idle, "idles"}, {StepPart::Kernel, "computes"}, {StepPart::ExposedMemory, "copies"}}};
    const auto time_of = [&](const Deed& deed) { return sign * more[static_cast<std::size_t>(deed.part)]; };
    const Deed& most = *std::ranges::max_element(kDeeds, {}, time_of);
    const double step = static_cast<double>(std::max(contributions.mean.baseline, contributions.mean.candidate));
    const std::int64_t longer = time_of(most);
    if (static_cast<double>(longer) < kLeastPart * step ||
        static_cast<double>(waited) < kLeastWaited * static_cast<double>(longer))
        return {};
    const Side early = late == Side::Candidate ? Side::Baseline : Side::Candidate;
    return name_ranks(contributions.slowest[late]) + " " + std::string(most.verb) + " " +
           format_duration(Duration{longer}) + " more per step than " + name_ranks(contributions.slowest[early]) +
           "; the others wait for it (" + name_ranks(contributions.slowest[early]) + " spends " +
           format_duration(Duration{waited}) + " more in exposed communication)";
}

std::string_view words_of(StepPart part) {
    switch (part) {
        case StepPart::ExposedCommunication:
            return "exposed communication";
        case StepPart::ExposedMemory:
            return "exposed copies";
        case StepPart::Idle:
            return "idle time";
        case StepPart::NotRecorded:
            return "time without GPU events";
        default:
            return "kernels";
    }
}

}  // namespace

Result<Contributions> compare_parts(const SampledRuns& runs, const StepStatistics& statistics, const NameRules& rules,
                                    const JobContext& context) {
    Contributions result;
    if (statistics.of_runs) result.absent = "contributions are of one run a side";
    if (statistics.step.least_n() == 0) result.absent = "there are no steps to split";
    if (!result.absent.empty()) return result;
    const NamePairing names(rules.matching == NameMatching::Operator ? NameMatching::Exact : rules.matching,
                            rules.pairs);
    PartTable table;
    for (const Side side : kSides) {
        const Result<bool> collected = PartCollector(table, names, side, runs[side].front()).collect(context);
        if (!collected) return collected.error();
        result.slowest[side] = count_slowest(runs[side].front());
    }
    const auto steps_of = [&](Side side) { return runs[side].front().sample.steps.size(); };
    for (const Side side : kSides) {
        std::vector<Wide> sums;
        for (const auto& [key, sample] : table) {
            Wide sum = 0;
            for (const std::int64_t ns : sample.ns[side]) sum += ns;
            sums.push_back(sum);
        }
        const std::vector<std::int64_t> means = apportion_means(sums, static_cast<std::int64_t>(steps_of(side)));
        result.parts.resize(means.size());
        for (std::size_t i = 0; i < means.size(); ++i) {
            result.parts[i].ns[side] = means[i];
            result.mean[side] += means[i];
        }
    }
    std::vector<std::optional<Tested>> tested;
    for (const auto& [key, sample] : table) {
        BySide<std::vector<double>> values;
        for (const Side side : kSides) values[side] = to_values(sample.ns[side], steps_of(side));
        tested.emplace_back(test_values(std::move(values), statistics.options, false, 0));
        if (key.first == StepPart::Kernel) set_only(*tested.back(), sample.names);
    }
    adjust_family(tested);
    const double change = static_cast<double>(result.mean.candidate - result.mean.baseline);
    std::size_t i = 0;
    for (const auto& [key, sample] : table) {
        Contribution& part = result.parts[i];
        part.part = key.first;
        part.kernel = sample.kernel;
        for (const Side side : kSides) part.names[side].assign(sample.names[side].begin(), sample.names[side].end());
        part.tested = *std::move(tested[i]);
        if (std::abs(change) >= statistics.step.tolerance_ns && change != 0)
            part.share = static_cast<double>(part.change()) / change;
        result.kernels_changed += part.part == StepPart::Kernel && part.tested.is_change() ? 1 : 0;
        if (part.tested.only) ++result.kernels_only[*part.tested.only];
        ++i;
    }
    std::ranges::stable_sort(result.parts, [](const Contribution& a, const Contribution& b) {
        if (a.part != b.part) return a.part < b.part;
        return std::tuple(-std::abs(a.change()), std::string_view(a.kernel)) <
               std::tuple(-std::abs(b.change()), std::string_view(b.kernel));
    });
    return result;
}

Contributions with_fewer_kernels(Contributions all, std::size_t most, const StatisticsOptions& options) {
    const auto is_kernel = [](const Contribution& part) { return part.part == StepPart::Kernel; };
    const auto kernels = static_cast<std::size_t>(std::ranges::count_if(all.parts, is_kernel));
    if (kernels <= most) return all;
    const auto first = all.parts.begin() + static_cast<std::ptrdiff_t>(most);
    const auto last = all.parts.begin() + static_cast<std::ptrdiff_t>(kernels);
    Contribution rest;
    rest.part = StepPart::OtherKernels;
    BySide<std::vector<double>> values;
    for (auto it = first; it != last; ++it) {
        for (const Side side : kSides) {
            rest.ns[side] += it->ns[side];
            rest.names[side].insert(rest.names[side].end(), it->names[side].begin(), it->names[side].end());
            values[side].resize(it->tested.values[side].size());
            for (std::size_t step = 0; step < values[side].size(); ++step)
                values[side][step] += it->tested.values[side][step];
        }
        if (it->share) rest.share = rest.share.value_or(0) + *it->share;
    }
    rest.tested = test_values(std::move(values), options, false, 0);
    set_only(rest.tested, rest.names);
    all.parts.insert(all.parts.erase(first, last), std::move(rest));
    return all;
}

Result<bool> add_waiting_rank(const SampledRuns& runs, StepStatistics& statistics, const JobContext& context) {
    if (statistics.options.compares != Compares::Ranks) return true;
    const Result<Contributions> parts = compare_parts(runs, statistics, {}, context);
    if (!parts) return parts.error();
    if (parts->absent.empty()) statistics.waiting_rank = describe_waiting_rank(*parts, statistics);
    return true;
}

StepChange to_step_change(const Contributions& contributions, const StepStatistics& statistics) {
    StepChange change;
    change.mean = contributions.mean;
    for (const Side side : kSides)
        change.windows[side] = static_cast<std::int64_t>(statistics.samples[side].front().steps.size());
    for (const Contribution& part : contributions.parts) {
        const bool is_kernel = part.part == StepPart::Kernel || part.part == StepPart::OtherKernels;
        change.parts.push_back(
            {.part = part.part,
             .name = part.kernel,
             .kernels = part.names,
             .present = {!is_kernel || !part.names.baseline.empty(), !is_kernel || !part.names.candidate.empty()},
             .ns = part.ns});
    }
    return change;
}

std::string describe_contributions(const Contributions& contributions, const StepStatistics& statistics) {
    if (!contributions.absent.empty()) return {};
    const Tested& step = statistics.step;
    if (!statistics.waiting_rank.empty()) return kernels_text(contributions);
    std::string text = "step " + std::string(name_of(step.judgement.verdict)) + describe_between(statistics) + "; " +
                       kernels_text(contributions);
    std::array<std::int64_t, kStepParts> sums{};  // by part, all kernels together
    for (const Contribution& part : contributions.parts) sums[static_cast<std::size_t>(part.part)] += part.change();
    const std::int64_t change = contributions.mean.candidate - contributions.mean.baseline;
    if (!step.is_change() || change == 0) return text;
    const auto largest = std::ranges::max_element(
        sums, {}, [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(change); });
    const double share = static_cast<double>(*largest) / static_cast<double>(change);
    const auto part = static_cast<StepPart>(largest - sums.begin());
    text += "; " + format_ratio(share) + " is " + std::string(words_of(part));
    const auto alone = std::ranges::find(contributions.parts, part, &Contribution::part);
    if (part != StepPart::Kernel && !alone->tested.is_change())
        text += ", which is " + std::string(name_of(alone->tested.judgement.verdict)) + " by itself";
    return text;
}

}  // namespace core
