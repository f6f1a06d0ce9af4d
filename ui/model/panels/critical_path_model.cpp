#include "ui/model/panels/critical_path_model.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace ui {
namespace {

constexpr std::array<std::string_view, 5> kWaits = {"launch_delay", "kernel_delay", "sync_delay", "host_other",
                                                    "unknown"};

const core::Table* find_path_table(const core::Answer& answer) {
    const auto found = std::ranges::find(answer.tables, "path", &core::NamedTable::name);
    return found == answer.tables.end() ? nullptr : &found->table;
}

struct PathColumns {
    std::size_t event, start, duration, bound_by;
};

std::vector<PathStretch> read_stretches(const core::Run& run, const core::RankSlot& rank, const core::Table& table,
                                        const PathColumns& columns) {
    const core::RankTrace& trace = rank.trace();
    std::vector<PathStretch> stretches;
    stretches.reserve(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) {
        PathStretch& stretch = stretches.emplace_back();
        const core::Duration start{table.integer(row, columns.start)};
        stretch.range.begin = rank.to_rank(run.origin() + start);
        stretch.range.end = stretch.range.begin + core::Duration{table.integer(row, columns.duration)};
        // Rounding of a clock that drifts leaves no gaps.
        if (row > 0) stretches[row - 1].range.end = stretch.range.begin;
        if (!table.absent(row, columns.event)) stretch.event = core::EventId(table.integer(row, columns.event));
        stretch.waits = stretch.event == core::kNoEvent ||
                        std::ranges::find(kWaits, table.text(row, columns.bound_by)) != kWaits.end();
        if (stretch.event != core::kNoEvent)
            stretch.lane = static_cast<std::uint32_t>(trace.find_lane(stretch.event));
        else if (row > 0)
            stretch.lane = stretches[row - 1].lane;
    }
    const auto first = std::ranges::find_if(stretches, [](const PathStretch& s) { return s.event != core::kNoEvent; });
    for (auto it = stretches.begin(); first != stretches.end() && it != first; ++it) it->lane = first->lane;
    std::erase_if(stretches, [](const PathStretch& s) { return s.range.empty(); });
    return stretches;
}

std::vector<PathPart> add_up_parts(const core::Table& table, const PathColumns& columns) {
    std::vector<PathPart> parts;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, columns.event)) continue;
        parts.push_back({core::EventId(table.integer(row, columns.event)),
                         std::string(table.text(row, columns.bound_by)),
                         core::Duration{table.integer(row, columns.duration)}});
    }
    std::ranges::sort(parts, {}, [](const PathPart& part) { return std::tie(part.event, part.bound_by); });
    std::size_t last = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].event == parts[last].event && parts[i].bound_by == parts[last].bound_by)
            parts[last].time += parts[i].time;
        else if (++last != i)
            parts[last] = std::move(parts[i]);
    }
    if (!parts.empty()) parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(last) + 1, parts.end());
    std::ranges::stable_sort(parts, [](const PathPart& a, const PathPart& b) {
        return a.event != b.event ? a.event < b.event : a.time > b.time;
    });
    return parts;
}

}  // namespace

CriticalPath CriticalPath::of(const core::Run& run, std::size_t slot, const core::Answer& answer) {
    CriticalPath path;
    const core::Table* const table = find_path_table(answer);
    if (!table || table->rows() == 0 || slot >= run.ranks().size()) return path;
    const PathColumns columns{.event = table->find_column("event"),
                              .start = table->find_column("start"),
                              .duration = table->find_column("duration"),
                              .bound_by = table->find_column("bound_by")};
    const core::RankSlot& rank = run.rank(slot);
    path.slot = static_cast<std::uint32_t>(slot);
    path.rank = rank.index;
    path.stretches = read_stretches(run, rank, *table, columns);
    path.parts = add_up_parts(*table, columns);
    for (std::size_t row = 0; row < table->rows(); ++row)
        path.length += core::Duration{table->integer(row, columns.duration)};
    return path;
}

std::span<const PathPart> CriticalPath::parts_of(core::EventId event) const {
    const auto found = std::ranges::equal_range(parts, event, {}, &PathPart::event);
    return {found.begin(), found.end()};
}

}  // namespace ui
