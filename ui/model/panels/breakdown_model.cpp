#include "ui/model/panels/breakdown_model.hpp"

#include "core/base/format.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/filter_edit.hpp"
#include "core/query/lost_launches.hpp"
#include "ui/model/filter_clicks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ui {
namespace {

double value(const core::Table& table, std::size_t row, std::string_view column) {
    const std::size_t c = table.find_column(column);
    return c == table.columns().size() || table.absent(row, c) ? 0 : table.number(row, c);
}

std::vector<SetTime> shares_of(const std::array<double, core::kClassSets>& times) {
    double whole = 0;
    for (const double time : times) whole += time;
    std::vector<SetTime> sets;
    for (std::size_t set = 0; set < times.size(); ++set)
        if (times[set] > 0)
            sets.push_back({.set = static_cast<core::ClassSet>(set), .time = times[set], .share = times[set] / whole});
    std::ranges::sort(sets, std::greater{}, &SetTime::time);
    return sets;
}

// Adds up the class sets of the ranks that count.
std::vector<SetTime> sum_sets(const std::vector<RankTimes>& ranks) {
    std::array<double, core::kClassSets> times{};
    for (const RankTimes& rank : ranks)
        for (std::size_t set = 0; set < times.size() && !rank.left_out; ++set) times[set] += rank.by_set[set];
    return shares_of(times);
}

std::optional<double> known_value(const core::Table& table, std::size_t row, std::string_view column) {
    const std::size_t at = table.find_column(column);
    if (at >= table.columns().size() || table.absent(row, at)) return std::nullopt;
    return table.number(row, at);
}

}  // namespace

core::ClassSet find_set(std::string_view name) {
    for (unsigned set = 0; set < core::kClassSets; ++set)
        if (core::name_of_set(static_cast<core::ClassSet>(set)) == name) return static_cast<core::ClassSet>(set);
    return 0;
}

RunBreakdown RunBreakdown::of_answers(const core::Table& breakdown, const core::Table* kernel_types,
                                      const core::Filter& filter) {
    RunBreakdown model;
    const std::size_t rank = breakdown.find_column("rank");
    const std::size_t idle = breakdown.find_column("idle");
    const bool known = rank < breakdown.columns().size() && idle < breakdown.columns().size();
    for (std::size_t row = 0; known && row < breakdown.rows(); ++row) {
        const core::RankKey key = core::RankKey::unpacked(breakdown.integer(row, rank));
        model.ranks.push_back({.key = key,
                               .absent = breakdown.absent(row, idle),
                               .left_out = !filter.accepts_rank(key),
                               .compute = value(breakdown, row, "compute"),
                               .exposed_communication = value(breakdown, row, "exposed_communication"),
                               .exposed_memory = value(breakdown, row, "exposed_memory"),
                               .idle = value(breakdown, row, "idle"),
                               .exposed_wait = known_value(breakdown, row, "exposed_wait")});
    }
    if (!kernel_types) return model;
    std::map<core::RankKey, RankTimes*> by_rank;
    for (RankTimes& times : model.ranks) by_rank[times.key] = &times;
    const std::size_t classes = kernel_types->find_column("classes");
    const std::size_t type_rank = kernel_types->find_column("rank");
    const bool typed = std::max(classes, type_rank) < kernel_types->columns().size();
    for (std::size_t row = 0; typed && row < kernel_types->rows(); ++row) {
        const core::RankKey key = core::RankKey::unpacked(kernel_types->integer(row, type_rank));
        const auto times = by_rank.find(key);
        if (kernel_types->absent(row, classes) || times == by_rank.end()) continue;
        times->second->by_set[find_set(kernel_types->text(row, classes))] += value(*kernel_types, row, "time");
    }
    model.sets = sum_sets(model.ranks);
    return model;
}

RunBreakdown RunBreakdown::of_window(const core::RunPtr& run, core::RunRange window, const core::Filter& filter,
                                     const core::ResultCache& results) {
    RunBreakdown model;
    if (const auto range = filter.time_range(*run))
        window = {std::max(window.begin, range->begin), std::min(window.end, range->end)};
    const bool chooses_events = !filter.without_time_and_rank().empty();
    for (std::size_t slot = 0; slot < run->ranks().size(); ++slot) {
        const core::RankSlot& rank = run->rank(slot);
        RankTimes found{.key = rank.key, .absent = true, .left_out = !filter.accepts_rank(rank.key)};
        const core::SelectionPtr selection = chooses_events ? results.find_selection(run, slot, filter) : nullptr;
        if (chooses_events && !selection) {
            model.complete = false;
            model.ranks.push_back(found);
            continue;
        }
        const core::ClassPartition& partition = selection ? selection->partition() : rank.index->partition();
        const core::RankRange all = selection ? selection->window() : partition.range();
        const core::RankRange asked = rank.to_rank(window);
        const core::RankRange seen{std::max(all.begin, asked.begin), std::min(all.end, asked.end)};
        if (!seen.empty() && !core::are_launches_lost(*rank.index, seen)) {
            const core::ClassTimes part = partition.times(seen);
            const auto ns = [](core::Duration d) { return static_cast<double>(d.count()); };
            found = {.key = rank.key,
                     .absent = false,
                     .left_out = found.left_out,
                     .compute = ns(part.compute()),
                     .exposed_communication = ns(part.exposed_communication()),
                     .exposed_memory = ns(part.exposed_memory()),
                     .idle = ns(part.idle())};
            for (std::size_t set = 0; set < found.by_set.size(); ++set) found.by_set[set] = ns(part.by_set[set]);
        }
        model.ranks.push_back(found);
    }
    model.sets = sum_sets(model.ranks);
    return model;
}

RunBreakdown RunBreakdown::of_area(const core::Run& run, const core::AreaSummary& area) {
    RunBreakdown model;
    const auto ns = [](core::Duration d) { return static_cast<double>(d.count()); };
    for (const core::AreaSummary::TimesOfRank& rank : area.times_of_ranks) {
        core::ClassTimes part = rank.times;
        part.by_set[0] -= part.total() - rank.window;  // idle before the first and after the last event isn't counted
        const bool absent = rank.window.count() == 0;
        model.ranks.push_back({.key = run.rank(rank.slot).key,
                               .absent = absent,
                               .left_out = false,
                               .compute = ns(part.compute()),
                               .exposed_communication = ns(part.exposed_communication()),
                               .exposed_memory = ns(part.exposed_memory()),
                               .idle = ns(part.idle())});
        for (std::size_t set = 0; set < part.by_set.size() && !absent; ++set)
            model.ranks.back().by_set[set] = ns(part.by_set[set]);
    }
    model.sets = sum_sets(model.ranks);
    return model;
}

namespace {

void add_times(RankTimes& sum, const RankTimes& more) {
    for (double RankTimes::*const part : kPartTimes) sum.*part += more.*part;
    sum.exposed_wait =
        sum.exposed_wait && more.exposed_wait ? std::optional(*sum.exposed_wait + *more.exposed_wait) : std::nullopt;
    for (std::size_t set = 0; set < sum.by_set.size(); ++set) sum.by_set[set] += more.by_set[set];
}

}  // namespace

RunBreakdown RunBreakdown::with_windows_added_up(const core::Run& run) const {
    if (!core::are_windows(run)) return *this;
    // Merges windows of one job: absent or excluded windows count only if all of them are.
    const auto rank_of = [](const RankTimes& rank) { return std::pair(rank.left_out, rank.absent); };
    std::map<core::RankKey, RankTimes> sums;
    for (const RankTimes& one : ranks) {
        const core::RankKey key = core::counted_as(run, one.key);
        const auto [place, is_new] = sums.try_emplace(key, one);
        RankTimes& sum = place->second;
        if (is_new || rank_of(one) < rank_of(sum))
            sum = one;
        else if (rank_of(one) == rank_of(sum))
            add_times(sum, one);
        sum.key = key;
    }
    RunBreakdown together{.ranks = {}, .sets = sets, .complete = complete};
    for (const auto& [key, rank] : sums) together.ranks.push_back(rank);
    return together;
}

namespace {

using core::Cell;
using core::Facet;
using core::Role;
using core::Table;
using core::Unit;

Cell ns_cell(double value) { return std::int64_t{std::llround(value)}; }

Table table_of_ranks(const RunBreakdown& run) {
    std::vector<core::Column> columns{{"rank", Unit::Rank, Role::Key, Facet::Rank},
                                      {"window", Unit::Ns, Role::Measure, Facet::None, {}, true}};
    for (const BreakdownPart& part : kBreakdownParts)
        columns.push_back({std::string(part.column), Unit::Ns, Role::Measure, Facet::None, {}, true});
    Table table(std::move(columns));
    for (const RankTimes& rank : run.ranks) {
        std::vector<Cell> cells{rank.key.packed(), rank.absent ? Cell{} : ns_cell(rank.window())};
        for (const auto member : kPartTimes) cells.push_back(rank.absent ? Cell{} : ns_cell(rank.*member));
        table.add_row(cells);
    }
    return table;
}

Table empty_table_of_times() {
    return Table({{"name", Unit::Text, Role::Key, Facet::None},
                  {"time", Unit::Ns, Role::Measure, Facet::None, {}, true},
                  {"share", Unit::Ratio, Role::Measure, Facet::None}});
}

Table table_of_parts(const RunBreakdown& run) {
    double window = 0;
    std::array<double, kBreakdownParts.size()> times{};
    for (const RankTimes& rank : run.ranks) {
        if (rank.left_out || rank.absent) continue;
        window += rank.window();
        for (std::size_t part = 0; part < times.size(); ++part) times[part] += rank.*kPartTimes[part];
    }
    Table table = empty_table_of_times();
    if (window <= 0) return table;
    table.add_row({std::string_view("window"), ns_cell(window), 1.0});
    for (std::size_t part = 0; part < times.size(); ++part)
        table.add_row({kBreakdownParts[part].column, ns_cell(times[part]), times[part] / window});
    return table;
}

Table table_of_sets(const RunBreakdown& run) {
    Table table = empty_table_of_times();
    for (const SetTime& set : run.sets) table.add_row({core::name_of_set(set.set), ns_cell(set.time), set.share});
    return table;
}

core::Comparison compare(const BreakdownModel::Input& input, const core::BySide<Table>& tables,
                         std::vector<std::string>& notes) {
    core::BySide<core::Filter> filters = input.filters;
    const bool by_rank = tables.baseline.columns().front().facet == Facet::Rank;
    if (by_rank)
        for (const core::Side side : core::kSides) filters[side] = without_rank(filters[side]);
    core::Averages averages;
    if (!input.same_window)
        averages =
            core::choose_averages(tables.baseline.columns(), {input.runs.baseline.get(), input.runs.candidate.get()},
                                  filters, input.alignment);
    add_note(notes, averages.note);
    return core::compare_tables({&tables.baseline, &tables.candidate}, input.alignment, averages, {});
}

template <class MakeTable>
core::BySide<Table> tables_of(const BreakdownModel::Input& input, MakeTable make) {
    return {make(input.sides.baseline), make(input.sides.candidate)};
}

void add_ranks(const BreakdownModel::Input& input, BreakdownModel& model) {
    const core::Comparison joined = compare(input, tables_of(input, table_of_ranks), model.notes);
    for (std::size_t row = 0; row < joined.table.rows(); ++row) {
        PairedRank rank;
        for (const core::Side side : core::kSides) {
            const std::vector<std::size_t>& rows = joined.sources[row][side];
            if (rows.empty()) continue;
            const RankTimes& times = input.sides[side].ranks[rows.front()];
            rank.keys[side] = times.key;
            rank.left_out[side] = times.left_out;
        }
        rank.window = Compared::of(joined, row, 0);
        for (std::size_t part = 0; part < rank.parts.size(); ++part)
            rank.parts[part] = Compared::of(joined, row, part + 1);
        model.ranks.push_back(rank);
    }
    std::ranges::stable_sort(model.ranks, [&](const PairedRank& a, const PairedRank& b) {
        return comes_before(a.keys, b.keys, input.alignment.ranks_by_number);
    });
}

std::vector<PairedTime> read_times(const core::Comparison& joined) {
    std::vector<PairedTime> times;
    for (std::size_t row = 0; row < joined.table.rows(); ++row)
        times.push_back(
            {std::string(joined.table.text(row, 0)), 0, Compared::of(joined, row, 0), Compared::of(joined, row, 1)});
    return times;
}

core::RankCount count_ranks(const RunBreakdown& run) {
    std::vector<core::RankKey> keys;
    for (const RankTimes& rank : run.ranks)
        if (!rank.left_out && !rank.absent) keys.push_back(rank.key);
    return core::count_ranks(std::move(keys));
}

// Divides sums by the number of ranks. Not needed if the runs differ in ranks and no window is given, because those
// sums are per rank already.
void convert_to_means(const BreakdownModel::Input& input, const BreakdownModel& model, std::vector<PairedTime>& times) {
    core::BySide<double> by{1, 1};
    core::BySide<std::int64_t> ranks{};
    for (const core::Side side : core::kSides)
        if (input.runs[side])
            ranks[side] = std::ranges::count_if(input.runs[side]->ranks(), [&](const core::RankSlot& rank) {
                return input.filters[side].accepts_rank(rank.key);
            });
    const bool divided = model.compared && !input.same_window && ranks.baseline != ranks.candidate;
    for (const core::Side side : core::kSides)
        by[side] = (divided ? static_cast<double>(ranks[side]) : 1.0) /
                   static_cast<double>(std::max<std::size_t>(1, model.counted[side].captures));
    const auto mean = [&](std::optional<double> sum, core::Side side) {
        return sum ? std::optional(*sum * by[side]) : std::nullopt;
    };
    for (PairedTime& time : times) {
        const std::optional<double> baseline = mean(time.time.baseline, core::Side::Baseline);
        const std::optional<double> candidate = mean(time.time.candidate, core::Side::Candidate);
        if (model.compared) {
            time.time = Compared::between(baseline, candidate);
        } else {
            time.time.baseline = baseline;
            time.time.candidate = candidate;
        }
    }
}

void add_parts(const BreakdownModel::Input& input, BreakdownModel& model) {
    model.parts = read_times(compare(input, tables_of(input, table_of_parts), model.notes));
    convert_to_means(input, model, model.parts);
    const auto place = [](const PairedTime& part) {
        const auto at = std::ranges::find(kBreakdownParts, part.name, &BreakdownPart::column);
        return at == kBreakdownParts.end() ? -1 : at - kBreakdownParts.begin();
    };
    std::ranges::stable_sort(model.parts, {}, place);
}

void add_sets(const BreakdownModel::Input& input, BreakdownModel& model) {
    model.sets = read_times(compare(input, tables_of(input, table_of_sets), model.notes));
    convert_to_means(input, model, model.sets);
    for (PairedTime& set : model.sets) set.set = find_set(set.name);
    std::ranges::stable_sort(model.sets, std::greater{}, [](const PairedTime& set) {
        return std::max(set.time.baseline.value_or(0), set.time.candidate.value_or(0));
    });
}

// A value that only one side has.
Compared only(core::Side side, std::optional<double> value) {
    Compared compared;
    (side == core::Side::Baseline ? compared.baseline : compared.candidate) = value;
    return compared;
}

std::vector<PairedTime> read_one(const Table& table, core::Side side) {
    std::vector<PairedTime> times;
    for (std::size_t row = 0; row < table.rows(); ++row)
        times.push_back({.name = std::string(table.text(row, 0)),
                         .set = 0,
                         .time = only(side, table.number(row, 1)),
                         .share = only(side, table.number(row, 2))});
    return times;
}

void read_one_side(const RunBreakdown& run, core::Side side, BreakdownModel& model) {
    model.parts = read_one(table_of_parts(run), side);
    model.sets = read_one(table_of_sets(run), side);
    for (PairedTime& set : model.sets) set.set = find_set(set.name);
}

void add_one_side(const RunBreakdown& run, core::Side side, BreakdownModel& model) {
    for (const RankTimes& times : run.ranks) {
        PairedRank rank;
        rank.keys[side] = times.key;
        rank.left_out[side] = times.left_out;
        if (!times.absent) rank.window = only(side, times.window());
        for (std::size_t part = 0; part < rank.parts.size() && !times.absent; ++part)
            rank.parts[part] = only(side, times.*kPartTimes[part]);
        model.ranks.push_back(rank);
    }
    read_one_side(run, side, model);
}

}  // namespace

void add_note(std::vector<std::string>& notes, std::string note) {
    if (note.empty()) return;
    for (std::string& known : notes) {
        if (known.starts_with(note)) return;
        if (!note.starts_with(known)) continue;
        known = std::move(note);
        return;
    }
    notes.push_back(std::move(note));
}

namespace {

// The rank with the longest window, the first of equal ones; null if none counts.
const RankTimes* find_slowest(const RunBreakdown& run) {
    const RankTimes* slowest = nullptr;
    for (const RankTimes& rank : run.ranks)
        if (!rank.left_out && !rank.absent && (!slowest || rank.window() > slowest->window())) slowest = &rank;
    return slowest;
}

// Reduces each side to its slowest rank, as if the filter chose it.
BreakdownModel::Input select_slowest(BreakdownModel::Input input, BreakdownModel& model) {
    for (const core::Side side : core::kSides) {
        const RankTimes* const slowest = find_slowest(input.sides[side]);
        if (!slowest) continue;
        model.slowest[side] = slowest->key;
        input.filters[side] = core::with_term(core::without_term<core::CaptureTerm>(input.filters[side]),
                                              core::RankTerm{{{slowest->key.number, slowest->key.number}}, {}});
        RunBreakdown only{.ranks = {*slowest}, .sets = {}, .complete = input.sides[side].complete};
        only.sets = sum_sets(only.ranks);
        input.sides[side] = std::move(only);
        model.counted[side] = {.ranks = 1, .captures = 1, .even = true};
    }
    return input;
}

}  // namespace

bool counts(const PairedRank& rank) {
    return std::ranges::any_of(core::kSides, [&](core::Side side) { return rank.keys[side] && !rank.left_out[side]; });
}

namespace {

// The baseline's share, else the candidate's; NaN if neither is known.
double share_without_compute(const PairedRank& rank) {
    for (const core::Side side : core::kSides) {
        const std::optional<double> window = rank.window.of_side(side);
        if (!window || *window <= 0) continue;
        return 1 - rank.parts[0].of_side(side).value_or(0) / *window;
    }
    return std::nan("");
}

void list_ranks(BreakdownModel& model) {
    constexpr std::size_t kWorst = 48;
    constexpr std::pair<double, std::string_view> kQuartiles[] = {
        {0, "least"}, {0.25, "25 %"}, {0.5, "median"}, {0.75, "75 %"}};
    const auto label = [&](std::size_t rank) { return "rank " + model.ranks[rank].label(); };
    if (model.ranks.size() <= kMostListedRanks) {
        for (std::size_t i = 0; i < model.ranks.size(); ++i) model.listed.push_back({i, label(i)});
        return;
    }
    std::vector<std::pair<double, std::size_t>> by_share;
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const PairedRank& rank = model.ranks[i];
        if (const double share = share_without_compute(rank); counts(rank) && std::isfinite(share))
            by_share.emplace_back(share, i);
    }
    if (by_share.empty()) return;
    std::ranges::sort(by_share);
    const auto last = static_cast<double>(by_share.size() - 1);
    for (const auto& [at, name] : kQuartiles) {
        const std::size_t rank = by_share[static_cast<std::size_t>(std::lround(at * last))].second;
        model.listed.push_back({rank, std::string(name) + ": " + label(rank)});
    }
    const std::size_t worst = std::min(kWorst, by_share.size());
    for (std::size_t i = 0; i < worst; ++i) {
        const std::size_t rank = by_share[by_share.size() - 1 - i].second;
        model.listed.push_back({rank, label(rank)});
    }
    add_note(model.notes, core::format_count(static_cast<std::int64_t>(by_share.size())) +
                              " ranks by their share without compute: quartiles, then the " + std::to_string(worst) +
                              " worst");
}

// Adds up the windows of a rank, unless there are two runs: their ranks are paired by capture.
BreakdownModel::Input with_windows_added_up(BreakdownModel::Input input) {
    if (input.runs.baseline && input.runs.candidate) return input;
    for (const core::Side side : core::kSides)
        if (input.runs[side]) input.sides[side] = input.sides[side].with_windows_added_up(*input.runs[side]);
    return input;
}

BreakdownModel make_model(const BreakdownModel::Input& input) {
    BreakdownModel model;
    model.compared = input.runs.baseline && input.runs.candidate;
    for (const core::Side side : core::kSides) model.counted[side] = count_ranks(input.sides[side]);
    if (model.compared) {
        add_note(model.notes,
                 core::note_only_side({input.runs.baseline.get(), input.runs.candidate.get()}, input.filters));
        add_ranks(input, model);
        const core::BySide<core::RankCount> counted = model.counted;
        const BreakdownModel::Input of_list = input.of == BreakdownOf::Slowest ? select_slowest(input, model) : input;
        add_parts(of_list, model);
        add_sets(of_list, model);
        model.counted = counted;
        return model;
    }
    for (const core::Side side : core::kSides)
        if (input.runs[side]) add_one_side(input.sides[side], side, model);
    const core::BySide<core::RankCount> counted = model.counted;
    if (input.of == BreakdownOf::Slowest) {
        const BreakdownModel::Input of_list = select_slowest(input, model);
        for (const core::Side side : core::kSides)
            if (input.runs[side]) read_one_side(of_list.sides[side], side, model);
    }
    convert_to_means(input, model, model.parts);
    convert_to_means(input, model, model.sets);
    model.counted = counted;
    return model;
}

}  // namespace

BreakdownModel BreakdownModel::of(const Input& input) {
    BreakdownModel model = make_model(with_windows_added_up(input));
    list_ranks(model);
    return model;
}

}  // namespace ui
