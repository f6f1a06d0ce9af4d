#include "ui/model/panels/overview_model.hpp"

#include "core/analysis/collectives/waiting_words.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/finding_words.hpp"
#include "core/base/format.hpp"
#include "core/diff/align/step_sample.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/diff/step_change/contributions.hpp"
#include "core/doctor/losses.hpp"
#include "core/index/rank_count.hpp"
#include "core/stats/moments.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ui {
namespace {

constexpr double kNoticeableExcess = 0.03;  // relative to the median rank's step time
constexpr double kNoticeableIdle = 0.05;    // of the window, above the median rank
constexpr double kMoreThanOthers = 1.1;     // relative to the change of all

// Ranks with rows; of one capture, unless captures are windows of one job.
std::set<core::RankKey> find_compared_ranks(const core::Run& run, const core::Table& table, std::size_t column) {
    std::set<core::RankKey> with_rows;
    for (std::size_t row = 0; row < table.rows(); ++row)
        with_rows.insert(core::RankKey::unpacked(table.integer(row, column)));
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot)
        if (with_rows.contains(run.rank(slot).key)) slots.push_back(slot);
    std::set<core::RankKey> compared;
    for (const std::size_t slot : core::choose_compared(run, std::move(slots)).slots)
        compared.insert(run.rank(slot).key);
    return compared;
}

std::vector<StepTime> read_steps(const core::Run& run, const core::Table& table) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t step = table.find_column("step");
    const std::size_t start = table.find_column("start");
    const std::size_t duration = table.find_column("duration");
    std::vector<StepTime> steps;
    if (std::max({rank, step, start, duration}) >= table.columns().size()) return steps;
    const std::set<core::RankKey> compared = find_compared_ranks(run, table, rank);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, duration) || table.absent(row, step)) continue;
        const core::RankKey key = core::RankKey::unpacked(table.integer(row, rank));
        if (!compared.contains(key)) continue;
        const core::RunTime begin = run.origin() + core::Duration{table.integer(row, start)};
        steps.push_back({core::counted_as(run, key),
                         table.integer(row, step),
                         table.number(row, duration),
                         {begin, begin + core::Duration{table.integer(row, duration)}}});
    }
    return steps;
}

Spread spread_over_ranks(const std::vector<StepTime>& steps) {
    std::map<core::RankKey, std::vector<SpreadPoint>> by_rank;
    for (const StepTime& step : steps) by_rank[step.rank].push_back({{}, step.duration});
    std::vector<SpreadPoint> medians;
    for (auto& [key, points] : by_rank)
        medians.push_back({core::format_rank(key), make_spread(std::move(points)).median, key.packed()});
    return make_spread(std::move(medians));
}

std::vector<StepTime> slowest_of_each_step(const std::vector<StepTime>& steps) {
    std::map<std::int64_t, StepTime> slowest;
    for (const StepTime& step : steps) {
        const auto [at, fresh] = slowest.try_emplace(step.step, step);
        if (!fresh && step.duration > at->second.duration) at->second = step;
    }
    std::vector<StepTime> found;
    for (const auto& [number, step] : slowest) found.push_back(step);
    return found;
}

// The leading steps until one is within 10 % of the median of all later ones; comparisons of runs exclude the same
// steps.
std::vector<std::int64_t> find_warm_up(const std::vector<StepTime>& steps) {
    std::vector<StepTime> slowest = slowest_of_each_step(steps);
    std::ranges::stable_sort(slowest, {}, [](const StepTime& step) { return step.range.begin; });
    std::vector<double> values;
    for (const StepTime& step : slowest) values.push_back(step.duration);
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < core::count_unsteady(values); ++i) numbers.push_back(slowest[i].step);
    return numbers;
}

StepTimes collect_step_times(const core::Run& run, const core::Table& table) {
    StepTimes times;
    std::vector<StepTime> steps = read_steps(run, table);
    if (steps.empty()) return times;
    std::map<core::RankKey, std::size_t> counts;
    for (const StepTime& step : steps) ++counts[step.rank];
    times.warm_up = find_warm_up(steps);
    std::erase_if(steps, [&](const StepTime& step) {
        return std::ranges::find(times.warm_up, step.step) != times.warm_up.end();
    });
    std::vector<SpreadPoint> all;
    for (const StepTime& step : steps) all.push_back({{}, step.duration, static_cast<std::int64_t>(all.size())});
    times.all = make_spread(std::move(all));
    times.over_ranks = spread_over_ranks(steps);
    times.slowest = slowest_of_each_step(steps);
    std::vector<SpreadPoint> longest;
    for (const StepTime& step : times.slowest) longest.push_back({std::to_string(step.step), step.duration, step.step});
    times.over_steps = make_spread(std::move(longest));
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::ranges::minmax_element(counts, by_count);
    times.least_per_rank = least->second;
    times.most_per_rank = most->second;
    return times;
}

void add_part(const std::vector<RankTimes>& ranks, TimePart part, double RankTimes::*member, RunOverview& model) {
    double whole = 0;
    bool any = false;
    std::vector<SpreadPoint> shares;
    for (const RankTimes& rank : ranks) {
        if (rank.absent || rank.window() <= 0) continue;
        const double share = rank.*member / rank.window();
        shares.push_back({{}, share});
        whole += rank.window();
        part.time += rank.*member;
        if (any && (part.least_is_worst ? share >= part.worst_share : share <= part.worst_share)) continue;
        any = true;
        part.worst = rank.key;
        part.worst_share = share;
    }
    if (!any) return;
    part.share = part.time / whole;
    part.median_share = make_spread(std::move(shares)).median;
    model.parts.push_back(part);
}

// Share of all windows spent waiting for a later rank; absent unless it is known for every rank with GPU work.
std::optional<double> share_of_waiting(const std::vector<RankTimes>& ranks) {
    double waiting = 0, whole = 0;
    for (const RankTimes& rank : ranks) {
        if (rank.absent || rank.window() <= 0) continue;
        if (!rank.exposed_wait) return std::nullopt;
        waiting += *rank.exposed_wait;
        whole += rank.window();
    }
    return whole > 0 ? std::optional(waiting / whole) : std::nullopt;
}

void add_parts(const std::vector<RankTimes>& ranks, RunOverview& model) {
    model.ranks_with_parts = static_cast<std::size_t>(
        std::ranges::count_if(ranks, [](const RankTimes& rank) { return !rank.absent && rank.window() > 0; }));
    for (std::size_t part = 0; part < kBreakdownParts.size(); ++part) {
        TimePart found;
        found.id = kBreakdownParts[part].column;
        found.title = kBreakdownParts[part].title;
        found.least_is_worst = found.id == "compute";
        if (found.id == "exposed_communication") found.waiting = share_of_waiting(ranks);
        add_part(ranks, found, kPartTimes[part], model);
    }
}

// Ranks that have a window, of whose parts nothing is known.
std::vector<core::RankKey> find_unknown_ranks(const core::Table& breakdown) {
    const std::size_t rank = breakdown.find_column("rank"), window = breakdown.find_column("window"),
                      idle = breakdown.find_column("idle");
    std::vector<core::RankKey> unknown;
    if (std::max({rank, window, idle}) >= breakdown.columns().size()) return unknown;
    for (std::size_t row = 0; row < breakdown.rows(); ++row)
        if (!breakdown.absent(row, window) && breakdown.absent(row, idle))
            unknown.push_back(core::RankKey::unpacked(breakdown.integer(row, rank)));
    return unknown;
}

// The first of the ranks that a replay confirms to be late: who arrives last need not be to blame.
std::optional<WorstRank> find_straggler(const core::Run& run, const core::Table* stragglers,
                                        const core::Table* findings) {
    if (!findings) return std::nullopt;
    const std::vector<core::RankKey> late = core::list_late_ranks(*findings);
    if (late.empty()) return std::nullopt;
    WorstRank worst{.rank = late.front(), .by_step_time = false, .over = 0, .idle_share = 0, .waited_ns = 0};
    worst.is_late = true;
    if (!stragglers) return worst;
    for (const core::Awaited& one : core::list_awaited(*stragglers, run, false))
        if (one.rank == worst.rank) worst.waited_ns = one.wait;
    return worst;
}

// Longer than the other steps by more than noise: a hundredth of the median, and 3.5 robust deviations.
bool stands_out(const Spread& steps) {
    constexpr double kDeviations = 3.5, kNormal = 1.4826, kLeastShare = 0.01;
    std::vector<double> apart;
    for (const SpreadPoint& point : steps.points) apart.push_back(std::abs(point.value - steps.median));
    if (apart.size() < 2) return false;
    const double deviation = kNormal * core::take_median(apart);
    const double over = steps.greatest - steps.median;
    return over >= kLeastShare * steps.median && over >= kDeviations * deviation;
}

std::optional<WorstRank> find_worst_rank(const core::Run& run, const RunOverview& model, const core::Table* stragglers,
                                         const core::Table* findings) {
    if (const std::optional<WorstRank> straggler = find_straggler(run, stragglers, findings)) return straggler;
    const Spread& ranks = model.steps.over_ranks;
    const double over = RunOverview::over_median(ranks, ranks.greatest);
    if (ranks.points.size() > 1 && over >= kNoticeableExcess)
        return WorstRank{.rank = core::RankKey::unpacked(ranks.points[ranks.at_greatest].id),
                         .by_step_time = true,
                         .over = over,
                         .idle_share = 0,
                         .waited_ns = 0};
    const auto idle = std::ranges::find(model.parts, std::string_view("idle"), &TimePart::id);
    if (idle == model.parts.end() || model.ranks_with_parts < 2) return std::nullopt;
    if (idle->worst_share < idle->median_share + kNoticeableIdle) return std::nullopt;
    return WorstRank{
        .rank = idle->worst, .by_step_time = false, .over = 0, .idle_share = idle->worst_share, .waited_ns = 0};
}

std::string without_quotes(const std::string& text) {
    return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

void add_environment(const core::Run& run, RunOverview& model) {
    std::map<std::string, std::set<std::string>> values;
    for (const core::RankSlot& rank : run.ranks()) {
        const core::RankInfo& info = rank.trace().info;
        for (const core::Device& device : info.devices) values["Device"].insert(device.name);
        if (!info.host.empty()) values["Host"].insert(info.host);
        if (!info.backend.empty()) values["Backend"].insert(info.backend);
        for (const auto& [key, text] : info.environment)
            if (text.size() > 1) values[key].insert(without_quotes(text));  // switches of the profiler are 0 or 1
    }
    for (const auto& [key, texts] : values) model.environment.push_back({key, *texts.begin(), texts.size() - 1});
    std::ranges::stable_partition(model.environment, [](const auto& line) { return line.label == "Device"; });
}

}  // namespace

double RunOverview::over_median(const Spread& spread, double value) {
    return spread.median > 0 ? value / spread.median - 1 : 0;
}

RunOverview RunOverview::of(const core::Run& run, const core::Table* breakdown, const core::Table* steps,
                            const core::Table* stragglers, const core::Table* findings) {
    RunOverview model;
    model.ranks = core::count_ranks(run);
    for (const core::RankSlot& rank : run.ranks())
        if (const std::optional<int> size = rank.trace().info.world_size)
            model.world_size = std::max(model.world_size.value_or(0), *size);
    model.damaged = core::find_losses(run)->damaged;
    model.window = run.window();
    if (steps) model.steps = collect_step_times(run, *steps);
    if (breakdown) model.ranks_without_parts = find_unknown_ranks(*breakdown);
    if (breakdown) add_parts(RunBreakdown::of_answers(*breakdown, nullptr, {}).with_windows_added_up(run).ranks, model);
    model.worst_rank = find_worst_rank(run, model, stragglers, findings);
    model.steps.worst_stands_out = stands_out(model.steps.over_steps);
    add_environment(run, model);
    model.logged = find_logged_series(run);
    if (!core::has_gpu_events(run)) model.without_gpu = find_first_screen(run);
    const core::Diagnostics diagnostics = run.all_diagnostics();
    for (const core::Diagnostic& entry : diagnostics.entries())
        if (entry.kind->severity >= core::Severity::Repair) ++model.losses;
    return model;
}

namespace {

using core::Cell;
using core::Facet;
using core::Role;
using core::Table;
using core::Unit;
using Sources = core::BySide<OverviewModel::Source>;

Table named_values() {
    return Table({{"name", Unit::Text, Role::Key, Facet::None}, {"value", Unit::Number, Role::Measure, Facet::None}});
}

// Rows of the table of steps that a comparison is of: those of the sample, each on its slowest rank. All of them where
// the sample is empty.
std::vector<std::size_t> find_sampled_rows(const core::Run& run, const Table& steps, const core::StepSample& sample) {
    std::set<std::pair<std::int64_t, std::int64_t>> sampled;  // packed rank, step
    for (const core::StepValue& step : sample.steps) sampled.emplace(run.rank(step.slowest).key.packed(), step.number);
    const std::size_t rank = steps.find_column("rank"), number = steps.find_column("step");
    std::vector<std::size_t> rows;
    if (std::max(rank, number) >= steps.columns().size()) return rows;
    for (std::size_t row = 0; row < steps.rows(); ++row) {
        const bool has_number = !steps.absent(row, number);
        if (sampled.empty() || (has_number && sampled.contains({steps.integer(row, rank), steps.integer(row, number)})))
            rows.push_back(row);
    }
    return rows;
}

Cell mean_cell(const Table& steps, const std::vector<std::size_t>& rows, std::string_view column) {
    const std::size_t at = steps.find_column(column);
    if (at == steps.columns().size()) return {};
    double sum = 0;
    double count = 0;
    for (const std::size_t row : rows) {
        if (steps.absent(row, at)) continue;
        sum += steps.number(row, at);
        ++count;
    }
    return count > 0 ? Cell{sum / count} : Cell{};
}

Table table_of_side(const RunOverview& model, const OverviewModel::Source& source, const core::StepSample& sample) {
    const Table* const steps = source.steps;
    Table table = named_values();
    table.add_row({std::string_view("window"), static_cast<double>(model.window.length().count())});
    if (!sample.steps.empty())
        table.add_row({std::string_view("median"), core::stats::median(sample.values())});
    else if (!model.steps.all.points.empty())
        table.add_row({std::string_view("median"), model.steps.all.median});
    if (!steps || !source.run) return table;
    const std::vector<std::size_t> rows = find_sampled_rows(*source.run, *steps, sample);
    table.add_row({std::string_view("duration"), mean_cell(*steps, rows, "duration")});
    for (const BreakdownPart& part : kBreakdownParts)
        table.add_row({part.column, mean_cell(*steps, rows, part.column)});
    return table;
}

std::map<std::string, Compared, std::less<>> compare_values(const core::BySide<Table>& tables,
                                                            const core::RunAlignment& alignment) {
    const core::Comparison joined =
        core::compare_tables({&tables.baseline, &tables.candidate}, alignment, core::Averages{}, {});
    std::map<std::string, Compared, std::less<>> values;
    for (std::size_t row = 0; row < joined.table.rows(); ++row)
        values[std::string(joined.table.text(row, 0))] = Compared::of(joined, row, 0);
    return values;
}

std::string steps_per_rank(const StepTimes& steps) {
    const auto text = [](std::size_t count) { return core::format_count(static_cast<std::int64_t>(count)); };
    const std::string least = text(steps.least_per_rank);
    return steps.least_per_rank == steps.most_per_rank ? least : least + " to " + text(steps.most_per_rank);
}

void add_step_parts(const Sources& sources, const core::RunAlignment& alignment, const OverviewModel& model,
                    OverviewChange& change) {
    const RunOverview& baseline = *model.sides.baseline;
    const RunOverview& candidate = *model.sides.candidate;
    core::BySide<Table> tables;
    for (const core::Side side : core::kSides)
        tables[side] = table_of_side(*model.sides[side], sources[side],
                                     change.has_steps() ? change.step.samples[side].front() : core::StepSample());
    const auto values = compare_values(tables, alignment);
    const auto value = [&](std::string_view name) {
        const auto at = values.find(name);
        return at == values.end() ? Compared{} : at->second;
    };
    change.window = value("window");
    change.median_step = value("median");
    change.per_step = !baseline.steps.all.points.empty() && !candidate.steps.all.points.empty();
    if (!change.per_step) return;
    change.whole = value("duration");
    for (std::size_t part = 0; part < change.parts.size(); ++part)
        change.parts[part] = value(kBreakdownParts[part].column);
    const core::BySide<std::string> counts{steps_per_rank(baseline.steps), steps_per_rank(candidate.steps)};
    if (counts.baseline == counts.candidate && baseline.ranks == candidate.ranks) return;
    if (change.has_steps())
        change.notes.push_back(core::note_sample(change.step));
    else
        change.notes.push_back("averages per step and rank: " + counts.baseline + " steps in the baseline, " +
                               counts.candidate + " in the candidate");
}

// For runs without steps: parts of the ranks' windows.
void add_window_parts(const Sources& sources, const core::RunAlignment& alignment, OverviewChange& change) {
    if (!sources.baseline.breakdown || !sources.candidate.breakdown) return;
    BreakdownModel::Input input{
        .runs = {}, .filters = {}, .alignment = alignment, .sides = {}, .same_window = false, .of = {}};
    for (const core::Side side : core::kSides) {
        const OverviewModel::Source& source = sources[side];
        input.runs[side] = source.run;
        input.filters[side] = source.filter;
        input.sides[side] = RunBreakdown::of_answers(*source.breakdown, nullptr, source.filter);
    }
    BreakdownModel breakdown = BreakdownModel::of(input);
    for (const PairedTime& time : breakdown.parts) {
        const auto part = std::ranges::find(kBreakdownParts, time.name, &BreakdownPart::column);
        if (part == kBreakdownParts.end())
            change.whole = time.time;
        else
            change.parts[static_cast<std::size_t>(part - kBreakdownParts.begin())] = time.time;
    }
    for (std::string& note : breakdown.notes) add_note(change.notes, std::move(note));
}

void find_part_changed_most(OverviewChange& change) {
    const double direction = change.headline().change.value_or(0);
    double most = 0;
    for (std::size_t part = 0; part < change.parts.size(); ++part) {
        const double size = change.parts[part].change.value_or(0) * (direction < 0 ? -1 : 1);
        if (size <= most) continue;
        most = size;
        change.part_changed_most = part;
    }
}

void find_rank_changed_most(const core::RunAlignment& alignment, const OverviewModel& model, OverviewChange& change) {
    core::BySide<Table> tables;
    for (const core::Side side : core::kSides) {
        tables[side] =
            Table({{"rank", Unit::Rank, Role::Key, Facet::Rank}, {"median", Unit::Number, Role::Measure, Facet::None}});
        for (const SpreadPoint& rank : model.sides[side]->steps.over_ranks.points)
            tables[side].add_row({rank.id, rank.value});
    }
    const core::Comparison joined =
        core::compare_tables({&tables.baseline, &tables.candidate}, alignment, core::Averages{}, {});
    const double direction = change.headline().change.value_or(0);
    double most = kMoreThanOthers * std::abs(direction);
    for (std::size_t row = 0; row < joined.table.rows(); ++row) {
        const Compared median = Compared::of(joined, row, 0);
        const double size = median.change.value_or(0) * (direction < 0 ? -1 : 1);
        if (size <= most) continue;
        most = size;
        PairedRankStep found{{}, median};
        for (const core::Side side : core::kSides)
            found.rank[side] = core::RankKey::unpacked(tables[side].integer(joined.sources[row][side].front(), 0));
        change.rank_changed_most = found;
    }
}

std::string text_of(const EnvironmentLine& line) {
    return line.others > 0 ? line.value + " and " + std::to_string(line.others) + " more" : line.value;
}

void compare_environments(const OverviewModel& model, OverviewChange& change) {
    std::map<std::string, core::BySide<std::string>> lines;
    for (const core::Side side : core::kSides)
        for (const EnvironmentLine& line : model.sides[side]->environment) lines[line.label][side] = text_of(line);
    for (const auto& [label, values] : lines) {
        if (values.baseline == values.candidate)
            ++change.same_environment;
        else
            change.environment.push_back({label, values});
    }
    std::ranges::stable_partition(change.environment, [](const auto& line) { return line.label == "Device"; });
}

OverviewChange find_change(const Sources& sources, const core::RunAlignment& alignment,
                           const core::StatisticsOptions& statistics, const OverviewModel& model) {
    OverviewChange change;
    const core::BySide<const core::Run*> runs{sources.baseline.run.get(), sources.candidate.run.get()};
    const core::BySide<core::Filter> filters{sources.baseline.filter, sources.candidate.filter};
    add_note(change.notes, core::note_only_side(runs, filters));
    const core::StatisticsOptions options = statistics.between(alignment.compares);
    const core::SampledRuns sampled = core::sample_runs(runs, filters, options);
    change.step = core::compare_steps_of(sampled, options);
    static_cast<void>(core::add_waiting_rank(sampled, change.step, {}));  // only a cancelled one fails
    add_step_parts(sources, alignment, model, change);
    if (!change.per_step) add_window_parts(sources, alignment, change);
    find_part_changed_most(change);
    find_rank_changed_most(alignment, model, change);
    compare_environments(model, change);
    return change;
}

}  // namespace

OverviewModel OverviewModel::of(const core::BySide<Source>& sources, const core::RunAlignment& alignment,
                                const core::StatisticsOptions& statistics) {
    OverviewModel model;
    for (const core::Side side : core::kSides) {
        const Source& source = sources[side];
        if (!source.run) continue;
        RunOverview& side_model = model.sides[side].emplace(
            RunOverview::of(*source.run, source.breakdown, source.steps, source.stragglers, source.findings));
        std::vector<core::RankKey> chosen;
        for (const core::RankSlot& rank : source.run->ranks())
            if (source.filter.accepts_rank(rank.key)) chosen.push_back(rank.key);
        side_model.chosen = core::count_ranks(std::move(chosen));
    }
    if (model.sides.baseline && model.sides.candidate)
        model.change = find_change(sources, alignment, statistics, model);
    return model;
}

}  // namespace ui
