#include "ui/model/panels/breakdown_model.hpp"

#include <algorithm>

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
        if (times[set] > 0) sets.push_back({static_cast<core::ClassSet>(set), times[set], times[set] / whole});
    std::ranges::sort(sets, std::greater{}, &SetTime::time);
    return sets;
}

}  // namespace

core::ClassSet find_set(std::string_view name) {
    for (unsigned set = 0; set < core::kClassSets; ++set)
        if (core::name_of_set(static_cast<core::ClassSet>(set)) == name) return static_cast<core::ClassSet>(set);
    return 0;
}

BreakdownModel BreakdownModel::of_answers(const core::Table& breakdown, const core::Table* kernel_types,
                                          const core::Filter& filter) {
    BreakdownModel model;
    const std::size_t rank = breakdown.find_column("rank");
    const std::size_t window = breakdown.find_column("window");
    const bool known = rank < breakdown.columns().size() && window < breakdown.columns().size();
    for (std::size_t row = 0; known && row < breakdown.rows(); ++row) {
        const core::RankKey key = core::RankKey::unpacked(breakdown.integer(row, rank));
        model.ranks.push_back({key, breakdown.absent(row, window), !filter.accepts_rank(key),
                               value(breakdown, row, "compute"), value(breakdown, row, "exposed_communication"),
                               value(breakdown, row, "exposed_memory"), value(breakdown, row, "idle")});
    }
    if (!kernel_types) return model;
    std::array<double, core::kClassSets> times{};
    const std::size_t classes = kernel_types->find_column("classes");
    const std::size_t type_rank = kernel_types->find_column("rank");
    const bool typed = std::max(classes, type_rank) < kernel_types->columns().size();
    for (std::size_t row = 0; typed && row < kernel_types->rows(); ++row) {
        const core::RankKey key = core::RankKey::unpacked(kernel_types->integer(row, type_rank));
        if (kernel_types->absent(row, classes) || !filter.accepts_rank(key)) continue;
        times[find_set(kernel_types->text(row, classes))] += value(*kernel_types, row, "time");
    }
    model.sets = shares_of(times);
    return model;
}

BreakdownModel BreakdownModel::of_window(const core::RunPtr& run, core::RunRange window, const core::Filter& filter,
                                         const core::ResultCache& results) {
    BreakdownModel model;
    std::array<double, core::kClassSets> times{};
    if (const auto range = filter.time_range(*run))
        window = {std::max(window.begin, range->begin), std::min(window.end, range->end)};
    const bool chooses_events = !filter.without_time_and_rank().empty();
    for (std::size_t slot = 0; slot < run->ranks().size(); ++slot) {
        const core::RankSlot& rank = run->rank(slot);
        RankTimes found{rank.key, true, !filter.accepts_rank(rank.key)};
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
        if (!seen.empty()) {
            const core::ClassTimes part = partition.times(seen);
            const auto ns = [](core::Duration d) { return static_cast<double>(d.count()); };
            for (std::size_t set = 0; set < times.size() && !found.left_out; ++set) times[set] += ns(part.by_set[set]);
            found = {rank.key,
                     false,
                     found.left_out,
                     ns(part.compute()),
                     ns(part.exposed_communication()),
                     ns(part.exposed_memory()),
                     ns(part.idle())};
        }
        model.ranks.push_back(found);
    }
    model.sets = shares_of(times);
    return model;
}

}  // namespace ui
