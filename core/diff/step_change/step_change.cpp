#include "core/diff/step_change/step_change.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/analysis/time/step_parts.hpp"
#include "core/diff/align/devices.hpp"
#include "core/diff/align/step_sample.hpp"
#include "core/diff/step_change/apportion.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace core {
namespace {

constexpr std::array<std::string_view, kStepParts> kStepPartNames = {
    "kernel", "other_kernels", "exposed_communication", "exposed_memory", "idle", "not_recorded"};

struct ColumnsOf {
    std::size_t rank, part, launched_by, kernel, windows, time, wait, transfer, other;
    explicit ColumnsOf(const Table& table)
        : rank(table.find_column("rank")),
          part(table.find_column("part")),
          launched_by(table.find_column("operator")),
          kernel(table.find_column("kernel")),
          windows(table.find_column("windows")),
          time(table.find_column("time")),
          wait(table.find_column("exposed_wait")),
          transfer(table.find_column("exposed_transfer")),
          other(table.find_column("exposed_other")) {}
};

StepPart part_of(std::string_view text) {
    if (text == step_parts::kCompute) return StepPart::Kernel;
    if (text == step_parts::kExposedCommunication) return StepPart::ExposedCommunication;
    if (text == step_parts::kExposedMemory) return StepPart::ExposedMemory;
    if (text == step_parts::kIdle) return StepPart::Idle;
    return StepPart::NotRecorded;
}

std::int64_t count_windows(const Table& table) {
    const ColumnsOf at(table);
    std::map<std::int64_t, std::int64_t> of_rank;
    for (std::size_t row = 0; row < table.rows(); ++row)
        of_rank[table.integer(row, at.rank)] = table.integer(row, at.windows);
    std::int64_t sum = 0;
    for (const auto& [rank, windows] : of_rank) sum += windows;
    return sum;
}

// A candidate part, unless it is merged into the other kernels.
struct Group {
    StepPart part = StepPart::Kernel;
    BySide<std::map<std::string, Wide, std::less<>>> kernels;
    BySide<std::string> launched_by;   // the operator, if matching by operator
    BySide<bool> present;
    BySide<Wide> sum;
    BySide<std::array<Wide, 3>> split;  // of exposed communication: wait, transfer, other
    BySide<bool> is_split{true, true};
};

class Grouping {
public:
    explicit Grouping(const NamePairing& names) : names_(names) {}

    void add(Side side, const Table& table) {
        const ColumnsOf at(table);
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const StepPart part = part_of(table.text(row, at.part));
            const std::string_view kernel = table.text(row, at.kernel);
            const std::string_view launched_by = table.text(row, at.launched_by);
            Group& group = groups_[{part, part == StepPart::Kernel ? key_of(side, kernel, launched_by) : ""}];
            group.part = part;
            group.present[side] = true;
            group.sum[side] += table.integer(row, at.time);
            if (part == StepPart::ExposedCommunication) add_split(group, side, table, row, at);
            if (part != StepPart::Kernel) continue;
            group.kernels[side].try_emplace(std::string(kernel)).first->second += table.integer(row, at.time);
            group.launched_by[side] = launched_by;
        }
    }
    // In an order independent of times.
    std::vector<Group> take() && {
        std::vector<Group> groups;
        for (auto& [key, group] : groups_) groups.push_back(std::move(group));
        return groups;
    }

private:
    static void add_split(Group& group, Side side, const Table& table, std::size_t row, const ColumnsOf& at) {
        group.is_split[side] = group.is_split[side] && !table.absent(row, at.wait);
        group.split[side][0] += table.integer(row, at.wait);
        group.split[side][1] += table.integer(row, at.transfer);
        group.split[side][2] += table.integer(row, at.other);
    }
    std::string key_of(Side side, std::string_view kernel, std::string_view launched_by) const {
        const bool by_operator = names_.matching() == NameMatching::Operator && launched_by != kUnattributed &&
                                 !names_.is_by_hand(side, kernel);
        return by_operator ? std::string("@").append(launched_by) : names_.key(side, kernel);
    }
    const NamePairing& names_;
    std::map<std::pair<StepPart, std::string>, Group> groups_;
};

// Wait and transfer rounded like any mean; the rest is what remains of the part.
CommunicationSplit mean_of_split(const std::array<Wide, 3>& sums, std::int64_t windows, std::int64_t part) {
    const std::int64_t wait = std::min(rounded_mean(sums[0], windows), part);
    const std::int64_t transfer = sums[2] == 0 ? part - wait : std::min(rounded_mean(sums[1], windows), part - wait);
    return {.wait = wait, .transfer = transfer, .other = part - wait - transfer};
}

std::vector<std::string> names_by_time(const std::map<std::string, Wide, std::less<>>& kernels) {
    std::vector<std::pair<Wide, std::string>> sorted;
    for (const auto& [name, time] : kernels) sorted.emplace_back(-time, name);
    std::ranges::sort(sorted);
    std::vector<std::string> names;
    for (auto& [time, name] : sorted) names.push_back(std::move(name));
    return names;
}

std::string shown_name(const Group& group, const BySide<std::vector<std::string>>& kernels, const NamePairing& names) {
    const Side side = group.present.baseline ? Side::Baseline : Side::Candidate;
    const std::string& first = kernels[side].front();
    const bool by_operator = names.matching() == NameMatching::Operator && !names.is_by_hand(side, first);
    const bool has_operator = by_operator && group.launched_by[side] != kUnattributed;
    return has_operator ? group.launched_by[side] : names.shown(side, first);
}

std::vector<PartChange> to_parts(std::vector<Group> groups, const BySide<std::int64_t>& windows,
                                 const NamePairing& names) {
    std::vector<PartChange> parts(groups.size());
    for (const Side side : kSides) {
        std::vector<Wide> sums;
        for (const Group& group : groups) sums.push_back(group.sum[side]);
        const std::vector<std::int64_t> means = apportion_means(sums, windows[side]);
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i].ns[side] = means[i];
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].part = groups[i].part;
        parts[i].present = groups[i].present;
        for (const Side side : kSides) parts[i].kernels[side] = names_by_time(groups[i].kernels[side]);
        for (const Side side : kSides)
            if (groups[i].part == StepPart::ExposedCommunication && groups[i].present[side] && groups[i].is_split[side])
                parts[i].split[side] = mean_of_split(groups[i].split[side], windows[side], parts[i].ns[side]);
        if (groups[i].part == StepPart::Kernel) parts[i].name = shown_name(groups[i], parts[i].kernels, names);
    }
    return parts;
}

std::int64_t size_of(const PartChange& part) { return part.change() < 0 ? -part.change() : part.change(); }

// Merges all kernels except the `most` with the largest change into one part.
void gather_others(std::vector<PartChange>& parts, std::size_t most) {
    std::ranges::stable_sort(parts, [](const PartChange& a, const PartChange& b) {
        if (a.part != b.part) return a.part < b.part;
        return std::tuple(-size_of(a), std::string_view(a.name)) < std::tuple(-size_of(b), std::string_view(b.name));
    });
    const auto end = std::ranges::find_if(parts, [](const PartChange& part) { return part.part != StepPart::Kernel; });
    const auto kernels = static_cast<std::size_t>(end - parts.begin());
    if (kernels <= most + 1) return;  // a single "other kernel" would just lose its name
    const auto first = parts.begin() + static_cast<std::ptrdiff_t>(most);
    PartChange others{.part = StepPart::OtherKernels, .name = {}, .kernels = {}, .present = {}, .ns = {}, .split = {}};
    for (auto it = first; it != end; ++it) {
        for (const Side side : kSides) {
            others.present[side] |= it->present[side];
            others.ns[side] += it->ns[side];
            others.kernels[side].insert(others.kernels[side].end(), it->kernels[side].begin(), it->kernels[side].end());
        }
    }
    *first = std::move(others);
    parts.erase(first + 1, end);
}

bool has_steps(const Run& run, const Filter& filter) {
    return std::ranges::any_of(run.ranks(), [&](const RankSlot& rank) {
        return filter.accepts_rank(rank.key) && !rank.trace().steps.empty();
    });
}

bool has_gpu_events(const Run& run, const Filter& filter) {
    return std::ranges::any_of(run.ranks(), [&](const RankSlot& rank) {
        return filter.accepts_rank(rank.key) && !rank.trace().gpu_events.empty();
    });
}

Error nothing_to_compare(Side side, bool of_steps, const Run& run, const Filter& filter) {
    const std::string whose = "the " + std::string(name_of(side)) + ", " + run.name();
    if (!of_steps && !has_gpu_events(run, filter))
        return {ErrorCode::NotFound, whose + ", has neither steps nor GPU events: there is no step time to compare"};
    return {ErrorCode::NotFound,
            std::string("no ") + (of_steps ? "step" : "GPU event") + " of " + whose + ", matches the filter"};
}

class Notes {
public:
    Notes(const BySide<const Run*>& runs, const BySide<Filter>& filters) : runs_(runs), filters_(filters) {}

    std::vector<std::string> collect(const StepChange& change, NameMatching names, const RunAlignment& alignment) && {
        add_means(change);
        for (std::string& note : note_pairing(alignment, filters_, change.of_steps)) notes_.push_back(std::move(note));
        if (devices_differ(*runs_.baseline, *runs_.candidate)) {
            notes_.push_back("The devices differ (" + devices_of(*runs_.baseline) + " in the baseline, " +
                             devices_of(*runs_.candidate) + " in the candidate)" +
                             (names == NameMatching::Operator ? ": kernels are paired by operator" : ""));
        }
        add_names(change, names);
        return std::move(notes_);
    }

private:
    void add_means(const StepChange& change) {
        if (!change.of_steps) {
            for (const Side side : kSides) {
                if (!has_steps(*runs_[side], filters_[side]))
                    notes_.push_back("the " + std::string(name_of(side)) + " has no steps");
            }
            notes_.emplace_back(
                "the time from the first GPU event to the last is compared, which is meaningful "
                "only if both runs did the same amount of work");
        }
        if (change.windows.baseline != change.windows.candidate) {
            notes_.push_back(std::string(change.of_steps ? "means of " : "means over ranks: ") +
                             std::to_string(change.windows.baseline) + (change.of_steps ? " steps" : "") +
                             " in the baseline, " + std::to_string(change.windows.candidate) + " in the candidate" +
                             (change.of_sample  ? ", each on its slowest rank"
                              : change.of_steps ? ", each step of each rank being one"
                                                : ""));
        }
        for (const Side side : kSides) {
            if (has_gpu_events(*runs_[side], filters_[side])) continue;
            notes_.push_back("the " + std::string(name_of(side)) +
                             " has no GPU events: its time cannot be split, so its parts are not comparable");
        }
    }
    void add_names(const StepChange& change, NameMatching names) {
        BySide<bool> any;
        bool shared = false;
        for (const PartChange& part : change.parts) {
            if (part.part != StepPart::Kernel && part.part != StepPart::OtherKernels) continue;
            for (const Side side : kSides) any[side] |= part.present[side];
            shared |= part.present.baseline && part.present.candidate && part.part == StepPart::Kernel;
        }
        if (!any.baseline || !any.candidate || shared) return;
        notes_.push_back(std::string("no kernel is in both runs by ") +
                         (names == NameMatching::Exact ? "its name; normalised names or the operator that launched it"
                          : names == NameMatching::Normalised ? "its normalised name; the operator that launched it"
                                                              : "the operator that launched it; manual pairs first") +
                         " may pair them");
    }

    BySide<const Run*> runs_;
    const BySide<Filter>& filters_;
    std::vector<std::string> notes_;
};

std::vector<Column> waterfall_columns() {
    return {
        {"part", Unit::Text, Role::Key, Facet::None, "step: the whole; all others add up to it"},
        {"kernel", Unit::Text, Role::Key, Facet::Kernel, "of the part kernel: its name, or the operator's"},
        {"time", Unit::Ns, Role::Measure, Facet::None, "mean per step"},
        {"exposed_wait", Unit::Ns, Role::Measure, Facet::None, "of exposed_communication, waiting for a later rank"},
        {"exposed_transfer", Unit::Ns, Role::Measure, Facet::None, "of exposed_communication, transferring"},
        {"exposed_other", Unit::Ns, Role::Measure, Facet::None, "of exposed_communication, the rest"}};
}

std::string_view presence_of(const PartChange& part) {
    if (part.present.baseline && part.present.candidate) return "both";
    return part.present.candidate ? "added" : "removed";
}

// Both sides, change and ratio.
void add_cells(std::vector<Cell>& cells, const BySide<std::optional<std::int64_t>>& ns) {
    const bool both = ns.baseline && ns.candidate;
    for (const Side side : kSides) cells.push_back(ns[side] ? Cell{*ns[side]} : Cell{});
    cells.push_back(both ? Cell{*ns.candidate - *ns.baseline} : Cell{});
    cells.push_back(both && *ns.baseline != 0 ? ratio_cell(Wide{*ns.candidate}, Wide{*ns.baseline}) : Cell{});
}

using SplitMember = std::int64_t CommunicationSplit::*;
constexpr std::array<SplitMember, 3> kSplitMembers = {&CommunicationSplit::wait, &CommunicationSplit::transfer,
                                                      &CommunicationSplit::other};

void add_row(Comparison& comparison, std::string_view part, std::string_view kernel, std::string_view presence,
             const BySide<std::int64_t>& ns, const BySide<std::optional<CommunicationSplit>>& split = {}) {
    const Cell ratio =
        ns.baseline == 0 || presence != "both" ? Cell{} : ratio_cell(Wide{ns.candidate}, Wide{ns.baseline});
    std::vector<Cell> cells{part,
                            kernel,
                            presence,
                            presence == "added" ? Cell{} : Cell{ns.baseline},
                            presence == "removed" ? Cell{} : Cell{ns.candidate},
                            ns.candidate - ns.baseline,
                            ratio};
    for (const SplitMember member : kSplitMembers) {
        BySide<std::optional<std::int64_t>> time;
        for (const Side side : kSides)
            if (split[side]) time[side] = (*split[side]).*member;
        add_cells(cells, time);
    }
    comparison.table.add_row(cells);
    comparison.sources.emplace_back();
}

}  // namespace

std::string_view name_of(StepPart part) { return kStepPartNames[static_cast<std::size_t>(part)]; }

std::string_view meaning_of(StepPart part) {
    switch (part) {
        case StepPart::Kernel:
            return "Time in which it computes; where several kernels run at once, that of the one that began first, so "
                   "at most its total.";
        case StepPart::OtherKernels:
            return "The same of all kernels that have no bar of their own.";
        case StepPart::ExposedCommunication:
            return "Time in which communication runs and nothing computes.";
        case StepPart::ExposedMemory:
            return "Time in which copies or memsets run and nothing computes or communicates.";
        case StepPart::Idle:
            return "Time in which the GPU runs nothing that matches the filter.";
        case StepPart::NotRecorded:
            return "Time of ranks whose trace has no GPU event, which cannot be split.";
    }
    return {};
}

bool both_have_steps(const BySide<const Run*>& runs, const BySide<Filter>& filters) {
    return has_steps(*runs.baseline, filters.baseline) && has_steps(*runs.candidate, filters.candidate);
}

Params step_parts_params(bool of_steps) { return {of_steps ? step_parts::kWindowOfSteps : step_parts::kWindowOfGpu}; }

namespace {

// The answer for the steps of the sample alone, each on its slowest rank: that of each such rank, one after another.
Result<Answer> ask_sampled_steps(const Run& run, const Filter& filter, const StepSample& sample, unsigned threads,
                                 const JobContext& context) {
    std::map<std::size_t, std::vector<NumberRange>> steps_of_slot;
    for (const StepValue& step : sample.steps) steps_of_slot[step.slowest].push_back({step.number, step.number});
    std::optional<Answer> all;
    for (auto& [slot, steps] : steps_of_slot) {
        Filter of_slot = filter;
        of_slot.terms.push_back({false, RankTerm{.numbers = {}, .captures = {run.rank(slot).key}}});
        of_slot.terms.push_back({false, StepTerm{.complete = false, .numbers = std::move(steps)}});
        Result<Answer> answer =
            run_analysis(*find_analysis("step-parts"), run, of_slot, step_parts_params(true), threads, context);
        if (!answer) return answer;
        if (!all) {
            all = *std::move(answer);
            continue;
        }
        const Table& more = answer->main();
        for (std::size_t row = 0; row < more.rows(); ++row) {
            std::vector<Cell> cells;
            for (std::size_t column = 0; column < more.columns().size(); ++column)
                cells.push_back(more.cell(row, column));
            all->tables.front().table.add_row(cells);
        }
    }
    return *std::move(all);
}

}  // namespace

Result<StepPartAnswers> ask_step_parts(const BySide<const Run*>& runs, const BySide<Filter>& filters,
                                       std::int64_t warmup, unsigned threads, const JobContext& context) {
    StepPartAnswers asked;
    asked.of_steps = both_have_steps(runs, filters);
    BySide<StepSample> samples;
    if (asked.of_steps)
        for (const Side side : kSides) samples[side] = collect_step_sample(*runs[side], filters[side], warmup);
    asked.of_sample = !samples.baseline.steps.empty() && !samples.candidate.steps.empty();
    if (!asked.of_sample) {
        Result<BySide<Answer>> answers = ask_both_runs(*find_analysis("step-parts"), step_parts_params(asked.of_steps),
                                                       filters, runs, threads, context);
        if (!answers) return std::move(answers).error();
        asked.answers = *std::move(answers);
        return asked;
    }
    for (const Side side : kSides) {
        Result<Answer> answer = ask_sampled_steps(*runs[side], filters[side], samples[side], threads, context);
        if (!answer) return std::move(answer).error().within(name_of(side));
        asked.answers[side] = *std::move(answer);
    }
    return asked;
}

Result<StepChange> build_step_change(const StepChangeOptions& options, const BySide<const Answer*>& answers,
                                     bool of_steps, const BySide<const Run*>& runs, const BySide<Filter>& filters,
                                     const RunAlignment& alignment) {
    StepChange change;
    change.of_steps = of_steps;
    change.of_sample = options.of_sample;
    const NamePairing names(options.names, options.pairs);
    Grouping grouping(names);
    for (const Side side : kSides) {
        const Table& table = answers[side]->main();
        change.windows[side] = count_windows(table);
        if (change.windows[side] == 0) {
            const std::string only = note_only_side(runs, filters);
            if (!only.empty()) return Error{ErrorCode::NotFound, only + ": there is nothing to compare"};
            return nothing_to_compare(side, of_steps, *runs[side], filters[side]);
        }
        grouping.add(side, table);
    }
    change.parts = to_parts(std::move(grouping).take(), change.windows, names);
    for (const PartChange& part : change.parts) {
        for (const Side side : kSides) change.mean[side] += part.ns[side];
    }
    change.notes = Notes(runs, filters).collect(change, options.names, alignment);
    gather_others(change.parts, options.kernels);
    return change;
}

const Analysis& waterfall() {
    static constexpr Analysis kWaterfall{
        .id = "waterfall",
        .title = "Waterfall",
        .summary = "From the baseline's mean step to the candidate's, by parts that add up exactly.",
        .definition = R"(
The first row is the mean over the steps of the verdict, each on its slowest rank (docs/statistics.md); over the
chosen steps of all chosen ranks where a side has no step that counts. The others add up to it on either side, and
their changes to its change, to the nanosecond. Parts as in `step-parts`; a kernel that only one side has counts as
0 on the other. The kernels that changed most have rows of their own. The row exposed_communication says how much of
it was waiting for a later rank, transfer and the rest, where each rank's is known.
)",
        .params = {},
        .chart = {},
        .comparable = true,
        .rank = nullptr,
        .merge = nullptr,
        .columns = waterfall_columns,
        .lead = "time"};
    return kWaterfall;
}

Comparison to_comparison(const StepChange& change) {
    Comparison comparison;
    std::vector<Column> columns = waterfall_columns();
    const std::vector<Column> measures(columns.begin() + 2, columns.end());
    columns.resize(2);
    columns.push_back({"presence", Unit::Text, Role::Info, Facet::None, "both, added (candidate only), removed"});
    for (const Column& measure : measures) {
        for (const Part part : {Part::Baseline, Part::Candidate, Part::Change, Part::Ratio}) {
            columns.push_back({measure.name + "." + std::string(name_of(part)),
                               part == Part::Ratio ? Unit::Ratio : Unit::Ns, Role::Measure, Facet::None,
                               measure.meaning + ": " + std::string(name_of(part))});
        }
    }
    comparison.table = Table(std::move(columns));
    comparison.keys = 2;
    comparison.measures = measures.size();
    comparison.notes = change.notes;
    add_row(comparison, "step", "", "both", change.mean);
    for (const PartChange& part : change.parts)
        add_row(comparison, name_of(part.part), part.name, presence_of(part), part.ns, part.split);
    return comparison;
}

Result<RunComparison> compare_steps(const DiffQuery& query, std::size_t most_kernels, const BySide<const Run*>& runs,
                                    const RunAlignment& alignment, std::int64_t warmup, unsigned threads,
                                    const JobContext& context) {
    const BySide<Filter> filters{alignment.filter_for(Side::Baseline, query.filter),
                                 alignment.filter_for(Side::Candidate, query.filter)};
    Result<StepPartAnswers> asked = ask_step_parts(runs, filters, warmup, threads, context);
    if (!asked) return std::move(asked).error();
    const StepChangeOptions options{
        .names = query.names, .pairs = query.pairs, .kernels = most_kernels, .of_sample = asked->of_sample};
    const Result<StepChange> change = build_step_change(options, {&asked->answers.baseline, &asked->answers.candidate},
                                                        asked->of_steps, runs, filters, alignment);
    if (!change) return change.error();
    return RunComparison{to_comparison(*change), std::move(asked->answers)};
}

}  // namespace core
