#include "core/diff/statistics/statistics_text.hpp"

#include "core/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace core {
namespace {

constexpr std::string_view kArrow = "\xE2\x86\x92";
constexpr std::string_view kPlusMinus = "\xC2\xB1";
constexpr std::string_view kAtLeast = "\xE2\x89\xA5";
constexpr double kMoreRuns = 2;  // between-run over within-run deviation above which longer traces do not help

struct TimeUnit {
    std::string_view name;
    double ns;
};

TimeUnit unit_for(double ns) {
    constexpr std::array<TimeUnit, 4> kUnits = {{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
    for (const TimeUnit& unit : kUnits)
        if (std::abs(ns) >= unit.ns) return unit;
    return kUnits.back();
}

// Four significant digits, without an exponent.
std::string in_unit(double ns, const TimeUnit& unit) {
    const double value = ns / unit.ns;
    const double size = std::abs(value);
    const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    return fmt::format("{:.{}f}", value, decimals);
}

std::string pair_text(double b, double c) {
    const TimeUnit unit = unit_for(std::max(std::abs(b), std::abs(c)));
    return in_unit(b, unit) + " " + std::string(kArrow) + " " + in_unit(c, unit) + " " + std::string(unit.name);
}

std::string means_text(const Tested& tested) {
    return pair_text(tested.samples.baseline.mean, tested.samples.candidate.mean);
}

std::string share_text(const Tested& tested, double ns) {
    const double mean = std::abs(tested.samples.baseline.mean);
    if (mean == 0) return format_duration(Duration{std::llround(ns)});
    return format_ratio(ns / mean);
}

std::string change_text(const Tested& tested) {
    const std::optional<double> ratio = tested.ratio();
    return ratio ? format_ratio(std::abs(*ratio - 1))
                 : format_duration(Duration{std::llround(std::abs(tested.samples.welch->change))});
}

std::string n_text(const Tested& tested) {
    return std::to_string(tested.values.baseline.size()) + "+" + std::to_string(tested.values.candidate.size());
}

// Says that each value of one side is below each of the other; else empty.
std::string apart_text(const Tested& step, const std::string& what) {
    const auto [least_b, most_b] = std::ranges::minmax(step.values.baseline);
    const auto [least_c, most_c] = std::ranges::minmax(step.values.candidate);
    if (step.samples.paired || (most_c >= least_b && most_b >= least_c)) return {};
    return "all " + what + " of the candidate are " + (most_c < least_b ? "shorter" : "longer") +
           " than those of the baseline";
}

std::string too_few_text(const StepStatistics& statistics) {
    const Tested& step = statistics.step;
    const std::string what = statistics.of_runs ? "runs" : statistics.step.samples.paired ? "pairs of steps" : "steps";
    std::string text = "undecided, too few " + what + ": n " + n_text(step) + ", at least 3 each are needed";
    if (step.least_n() == 0) return text;
    text += " (" + means_text(step) + ")";
    if (const std::string apart = apart_text(step, what); !apart.empty()) text += "; " + apart;
    const std::size_t more = stats::kLeastValues - step.least_n();
    const std::string noun = more > 1                    ? what
                             : what.starts_with("pairs") ? "pair of steps"
                                                         : what.substr(0, what.size() - 1);
    return text + "; " + std::to_string(more) + " more " + noun + (step.samples.paired ? "" : " a side") +
           (more > 1 ? " decide" : " decides");
}

// Values and how many it takes for a change of this size to be seen: the width of an interval falls with their root.
std::string decides_text(const StepStatistics& statistics) {
    const Tested& step = statistics.step;
    const std::string what = statistics.of_runs ? "runs" : step.samples.paired ? "pairs of steps" : "steps";
    const double change = std::abs(step.samples.welch->change);
    if (step.judgement.doubt == stats::Doubt::Outliers) return "more " + what + " decide";
    constexpr double kMost = 100;  // times as many
    const double times = change > 0 ? std::pow(step.samples.welch->detectable / change, 2) : kMost;
    if (change <= step.tolerance_ns || !(times < kMost))
        return "more " + what + " decide only if they differ less among themselves";
    const auto needed = static_cast<std::size_t>(std::ceil(times * static_cast<double>(step.least_n())));
    return "about " + std::to_string(std::max(needed, step.least_n() + 1)) + " " + what +
           (step.samples.paired ? "" : " a side") + " decide";
}

std::string evidence_text(const Tested& step) {
    std::string text = " (" + means_text(step) + ", " + "95 % " + describe_interval(step.samples.welch->interval) +
                       ", " + (step.samples.paired ? "paired t p " : "Welch p ") + format_p(step.samples.welch->p) +
                       ", ranks p " + format_p(step.samples.rank->p) + ", n " + n_text(step) + ")";
    return text;
}

std::string verdict_words(const StepStatistics& statistics) {
    const Tested& step = statistics.step;
    switch (step.judgement.verdict) {
        case stats::Verdict::Regressed:
        case stats::Verdict::Improved:
            return std::string(name_of(step.judgement.verdict)) + " " + change_text(step);
        case stats::Verdict::Same:
            return "same within " + share_text(step, step.tolerance_ns);
        case stats::Verdict::Undecided:
            break;
    }
    const std::string provable = "only changes of " + std::string(kAtLeast) + " " + format_detectable(step) +
                                 " can be proven; " + decides_text(statistics);
    if (step.judgement.doubt == stats::Doubt::Outliers) return "undecided, carried by outliers: " + provable;
    return "undecided: " + provable;
}

// Ranks of one run wait for each other, so their steps end together and say nothing of either. Else empty.
std::string together_text(const StepStatistics& statistics) {
    const Tested& step = statistics.step;
    if (statistics.options.compares != Compares::Ranks || statistics.of_runs || step.least_n() == 0) return {};
    const double baseline = step.samples.baseline.mean, candidate = step.samples.candidate.mean;
    if (std::abs(candidate - baseline) > kEndTogether * std::abs(baseline)) return {};
    return "both end it together, as ranks wait for each other (" + means_text(step) + ")";
}

std::string noise_text(const StepStatistics& statistics) {
    if (statistics.options.noise) return "; run-to-run noise taken as " + format_ratio(*statistics.options.noise);
    const bool inside = statistics.options.compares != Compares::Captures;
    return std::string(inside ? "; one run" : "; one run each") + ", so noise between runs is unknown";
}

void note_drops(std::vector<std::string>& notes, Side side, const StepSample& sample, const std::string& of_run) {
    for (const StepDrop why : kStepDrops) {
        std::string numbers;
        std::size_t count = 0;
        constexpr std::size_t kMostNamed = 6;
        for (const DroppedStep& dropped : sample.dropped) {
            if (dropped.why != why) continue;
            if (++count > kMostNamed) continue;
            numbers += (numbers.empty() ? "" : ", ") + std::to_string(dropped.step.number) + " (" +
                       format_duration(Duration{dropped.step.ns}) + ")";
        }
        if (count == 0) continue;
        if (count > kMostNamed) numbers += ", ... (" + std::to_string(count) + ")";
        const std::string_view reason = why == StepDrop::WarmUp ? "as warm-up"
                                        : why == StepDrop::NotOnEveryRank
                                            ? "because not every rank has it"
                                            : "because its work is not all in the capture";
        notes.push_back(std::string(name_of(side)) + of_run + ": " + (count == 1 ? "step " : "steps ") + numbers +
                        " dropped " + std::string(reason));
    }
    if (sample.other_captures > 0)
        notes.push_back(std::string(name_of(side)) + of_run + ": steps are of the first capture of each rank; " +
                        format_plural(sample.other_captures, "other capture", "other captures") + " left out");
    if (sample.ranks_without_steps > 0)
        notes.push_back(std::string(name_of(side)) + of_run + ": " +
                        format_plural(sample.ranks_without_steps, "rank", "ranks") + " without steps left out");
}

struct RowVerdictText {
    std::string_view name, words, meaning;
};

constexpr std::array<RowVerdictText, kRowVerdicts.size()> kRowVerdictTexts = {{
    {"regressed", "regressed", "Slower by more than the tolerance, with q below 0.05"},
    {"improved", "improved", "Faster by more than the tolerance, with q below 0.05"},
    {"undecided", "undecided", "Too few values, or too much noise to tell a change from none"},
    {"same", "same", "The whole interval lies within the tolerance"},
    {"added", "only in candidate", "Only the candidate has it; not tested"},
    {"removed", "only in baseline", "Only the baseline has it; not tested"},
}};

const RowVerdictText& text_of(RowVerdict verdict) { return kRowVerdictTexts[static_cast<std::size_t>(verdict)]; }

constexpr std::int64_t kMostWarmUp = 1'000'000'000;

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && at == end;
}

}  // namespace

std::string_view name_of(RowVerdict verdict) { return text_of(verdict).name; }
std::string_view words_of(RowVerdict verdict) { return text_of(verdict).words; }
std::string_view meaning_of(RowVerdict verdict) { return text_of(verdict).meaning; }

RowVerdict lone_verdict(Side side) { return side == Side::Baseline ? RowVerdict::Removed : RowVerdict::Added; }

RowVerdict verdict_of(const Tested& tested) {
    if (tested.only) return lone_verdict(*tested.only);
    switch (tested.judgement.verdict) {
        case stats::Verdict::Regressed:
            return RowVerdict::Regressed;
        case stats::Verdict::Improved:
            return RowVerdict::Improved;
        case stats::Verdict::Same:
            return RowVerdict::Same;
        case stats::Verdict::Undecided:
            break;
    }
    return RowVerdict::Undecided;
}

std::optional<RowVerdict> verdict_of_row(std::string_view presence, const std::optional<Tested>& tested) {
    if (presence == "added") return RowVerdict::Added;
    if (presence == "removed") return RowVerdict::Removed;
    return tested ? std::optional(verdict_of(*tested)) : std::nullopt;
}

Result<double> parse_percent(std::string_view text) {
    double percent = 0;
    if (parse_whole(text.ends_with('%') ? text.substr(0, text.size() - 1) : text, percent) && percent >= 0 &&
        percent <= kMostShare * 100)
        return percent / 100;
    return bad_input("'" + std::string(text) + "' is not a share from 0% to 1000%");
}

Result<std::int64_t> parse_warmup(std::string_view text) {
    if (text == "auto") return kAutoWarmUp;
    std::int64_t steps = 0;
    if (parse_whole(text, steps) && steps >= 0 && steps <= kMostWarmUp) return steps;
    return bad_input("'" + std::string(text) + "' is not a number of steps or auto");
}

std::string describe_interval(const stats::Interval& ns) {
    const TimeUnit unit = unit_for(std::max(std::abs(ns.low), std::abs(ns.high)));
    return in_unit(ns.low, unit) + " to " + in_unit(ns.high, unit) + " " + std::string(unit.name);
}

std::string format_p(double p) {
    if (p <= 0) return "0";
    return fmt::format("{:.2g}", p);
}

std::string format_detectable(const Tested& tested) { return share_text(tested, tested.samples.welch->detectable); }

std::string describe_verdict(const Tested& tested) {
    if (tested.only) return std::string(words_of(verdict_of(tested))) + " (not tested)";
    if (tested.judgement.doubt == stats::Doubt::TooFew || !tested.samples.welch)
        return "undecided (too few: n=" + std::to_string(tested.least_n()) + ")";
    switch (tested.judgement.verdict) {
        case stats::Verdict::Same:
            return "same (within " + share_text(tested, tested.tolerance_ns) + ")";
        case stats::Verdict::Undecided:
            if (tested.judgement.doubt == stats::Doubt::Outliers) return "undecided (carried by outliers)";
            if (tested.judgement.doubt == stats::Doubt::ManyRows)
                return "undecided (one of " + std::to_string(tested.family) + " rows)";
            return "undecided (can prove " + std::string(kAtLeast) + " " + format_detectable(tested) + ")";
        default:
            break;
    }
    std::string text = std::string(name_of(tested.judgement.verdict)) + " " + change_text(tested);
    if (const auto& ratio = tested.samples.welch->ratio)
        text += fmt::format(fmt::runtime((ratio->high - ratio->low) * 50 < 1 ? " {} {:.1g}" : " {} {:.1f}"), kPlusMinus,
                            (ratio->high - ratio->low) * 50);
    return text;
}

std::string describe_between(Compares compares) { return " between these " + std::string(name_of(compares)); }

std::string describe_between(const StepStatistics& statistics) {
    return statistics.of_runs ? std::string() : describe_between(statistics.options.compares);
}

std::string describe_step(const StepStatistics& statistics) {
    const Tested& step = statistics.step;
    BySide<bool> has_none;
    for (const Side side : kSides)
        has_none[side] = std::ranges::all_of(
            statistics.samples[side], [](const StepSample& run) { return run.steps.empty() && run.dropped.empty(); });
    if (has_none.baseline || has_none.candidate) {
        const std::string who = has_none.baseline && has_none.candidate ? "neither side has steps"
                                : has_none.baseline                     ? "the baseline has no steps"
                                                                        : "the candidate has no steps";
        return "step: undecided, " + who +
               ", and windows of a profiler are not equal work; steps of the same work on both sides decide "
               "(profiler.step(), or --step-marks NAME)";
    }
    if (const std::string together = together_text(statistics); !together.empty())
        return "step: " + together + (statistics.waiting_rank.empty() ? "" : "; " + statistics.waiting_rank);
    const std::string between = describe_between(statistics) + (statistics.of_runs ? "" : noise_text(statistics));
    if (step.judgement.doubt == stats::Doubt::TooFew || !step.samples.welch)
        return "step: " + too_few_text(statistics) + between;
    return "step: " + verdict_words(statistics) + evidence_text(step) + between;
}

std::string describe_step_briefly(const StepStatistics& statistics) {
    if (together_text(statistics).empty())
        return "Step " + describe_verdict(statistics.step) + describe_between(statistics);
    if (statistics.waiting_rank.empty()) return "Both end the step together, as ranks wait for each other";
    std::string brief = statistics.waiting_rank.substr(0, statistics.waiting_rank.rfind(" ("));
    brief[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(brief[0])));
    return brief;
}

std::vector<std::pair<std::string, std::string>> explain_tested(const Tested& tested) {
    const bool is_bound = tested.is_change() && tested.between;
    std::vector<std::pair<std::string, std::string>> lines{
        {"Verdict", describe_verdict(tested) + (is_bound ? describe_between(*tested.between) : std::string())}};
    const stats::TwoSamples& s = tested.samples;
    const auto duration = [](double ns) { return format_duration(Duration{std::llround(ns)}); };
    for (const Side side : kSides) {
        const stats::Moments& moments = side == Side::Baseline ? s.baseline : s.candidate;
        std::string text = "n " + std::to_string(moments.n);
        if (moments.n > 0) text += ", mean " + duration(moments.mean);
        if (moments.n > 1) text += ", s " + duration(std::sqrt(moments.variance));
        if (moments.autocorrelation) text += fmt::format(", r {:.2f}", *moments.autocorrelation);
        lines.emplace_back(side == Side::Baseline ? "Baseline" : "Candidate", text);
    }
    if (!s.welch) return lines;
    lines.emplace_back("Change, 95 %", describe_interval(s.welch->interval));
    if (tested.only) return lines;
    lines.emplace_back("Could see", std::string(kAtLeast) + " " + format_detectable(tested));
    lines.emplace_back("Tolerance", share_text(tested, tested.tolerance_ns));
    lines.emplace_back(s.paired ? "Paired t" : "Welch",
                       "p " + format_p(s.welch->p) +
                           (s.welch->t ? fmt::format(", t {:.2f}, df {:.1f}", *s.welch->t, *s.welch->df) : ""));
    if (s.rank)
        lines.emplace_back("Ranks", "p " + format_p(s.rank->p) + fmt::format(", Cliff {:.2f}", s.rank->cliff) +
                                        ", at best p " + format_p(s.rank->least_p));
    if (s.g) lines.emplace_back("Hedges g", fmt::format("{:.2f}", *s.g));
    if (tested.q)
        lines.emplace_back("q, Holm", format_p(*tested.q) + ", " + (tested.holm ? format_p(*tested.holm) : "-") +
                                          " of " + format_plural(tested.family, "row", "rows"));
    return lines;
}

std::vector<std::string> note_statistics(const StepStatistics& statistics) {
    std::vector<std::string> notes;
    for (const Side side : kSides) {
        for (std::size_t i = 0; i < statistics.samples[side].size(); ++i)
            note_drops(notes, side, statistics.samples[side][i], statistics.of_runs ? " " + std::to_string(i + 1) : "");
        const stats::Moments& moments =
            side == Side::Baseline ? statistics.step.samples.baseline : statistics.step.samples.candidate;
        if (!statistics.of_runs && moments.autocorrelation.value_or(0) > stats::kNeighboursAlike)
            notes.push_back(fmt::format("{}: neighbouring steps resemble each other (r = {:.2f}){}", name_of(side),
                                        *moments.autocorrelation,
                                        moments.inflation > 1 ? ", so they count as fewer" : ""));
        const auto &within = statistics.within_ns[side], &between = statistics.between_ns[side];
        if (within && between && *within > 0 && *between / *within > kMoreRuns)
            notes.push_back(
                fmt::format("{}: runs differ {:.1f} times as much as their steps explain: more runs help, "
                            "longer traces do not",
                            name_of(side), *between / *within));
    }
    return notes;
}

std::string note_sample(const StepStatistics& statistics) {
    const BySide<std::vector<double>>& values = statistics.step.values;
    std::size_t warmup = 0;
    for (const Side side : kSides)
        for (const StepSample& run : statistics.samples[side]) warmup += run.count(StepDrop::WarmUp);
    return format_plural(values.baseline.size(), "step", "steps") + " against " +
           format_count(static_cast<std::uint64_t>(values.candidate.size())) + ", each on its slowest rank" +
           (warmup > 0 ? ", without " + std::to_string(warmup) + " of warm-up" : "");
}

std::vector<std::string> describe_permutations(const StepStatistics& statistics) {
    std::vector<std::string> lines;
    for (const PermutedStatistic& one : statistics.permuted)
        lines.push_back("permutation, " + std::string(one.name) + ": " + pair_text(one.ns.baseline, one.ns.candidate) +
                        ", p " + format_p(one.test.p) + " of " + (one.test.exact ? "all " : "") +
                        format_count(one.test.choices) + (one.test.exact ? " choices" : " random choices"));
    return lines;
}

std::string describe_rows(const RowStatistics& rows, std::string_view what) {
    if (rows.family == 0) return {};
    std::size_t changed = 0;
    for (const std::optional<Tested>& row : rows.rows) changed += row && row->is_change() ? 1 : 0;
    return (changed == 0 ? "none" : std::to_string(changed)) + " of " + std::to_string(rows.family) + " " +
           std::string(what) + " changed" + (rows.of_runs ? std::string() : describe_between(rows.compares));
}

}  // namespace core
