#include "ui/model/panels/critical_path_model.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
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
                                        std::span<const std::size_t> rows, const PathColumns& columns) {
    const core::RankTrace& trace = rank.trace();
    std::vector<PathStretch> stretches;
    stretches.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t row = rows[i];
        PathStretch& stretch = stretches.emplace_back();
        const core::Duration start{table.integer(row, columns.start)};
        stretch.range.begin = rank.to_rank(run.origin() + start);
        stretch.range.end = stretch.range.begin + core::Duration{table.integer(row, columns.duration)};
        // Closes gaps that come from rounding a drifting clock.
        if (i > 0 && rows[i - 1] + 1 == row) stretches[i - 1].range.end = stretch.range.begin;
        if (!table.absent(row, columns.event)) stretch.event = core::EventId(table.integer(row, columns.event));
        stretch.waits = stretch.event == core::kNoEvent ||
                        std::ranges::find(kWaits, table.text(row, columns.bound_by)) != kWaits.end();
        if (stretch.event != core::kNoEvent)
            stretch.lane = static_cast<std::uint32_t>(trace.find_lane(stretch.event));
        else if (i > 0)
            stretch.lane = stretches[i - 1].lane;
    }
    const auto first = std::ranges::find_if(stretches, [](const PathStretch& s) { return s.event != core::kNoEvent; });
    for (auto it = stretches.begin(); first != stretches.end() && it != first; ++it) it->lane = first->lane;
    std::erase_if(stretches, [](const PathStretch& s) { return s.range.empty(); });
    return stretches;
}

std::vector<PathPart> add_up_parts(const core::Table& table, std::span<const std::size_t> rows,
                                   const PathColumns& columns) {
    std::vector<PathPart> parts;
    for (const std::size_t row : rows) {
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
    std::vector<std::size_t> rows(table->rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    path.slot = static_cast<std::uint32_t>(slot);
    path.rank = rank.index;
    path.stretches = read_stretches(run, rank, *table, rows, columns);
    path.parts = add_up_parts(*table, rows, columns);
    for (std::size_t row = 0; row < table->rows(); ++row)
        path.length += core::Duration{table->integer(row, columns.duration)};
    return path;
}

namespace {

std::optional<std::uint32_t> find_slot(const core::Run& run, std::int64_t key) {
    const auto found = std::ranges::find(run.ranks(), core::RankKey::unpacked(key), &core::RankSlot::key);
    if (found == run.ranks().end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - run.ranks().begin());
}

// The stretch of the slot at the given time or last before it, else the first.
const PathStretch* find_stretch(const CriticalPath& path, core::RankTime at) {
    const auto after = std::ranges::upper_bound(path.stretches, at, {},
                                                [](const PathStretch& stretch) { return stretch.range.begin; });
    if (path.stretches.empty()) return nullptr;
    return after == path.stretches.begin() ? &path.stretches.front() : &*std::prev(after);
}

void read_crossings(const core::Run& run, const core::Answer& answer, RunCriticalPath& path) {
    const core::Table* const table = answer.find("crossings");
    if (!table) return;
    const std::size_t from = table->find_column("from"), to = table->find_column("to"), at = table->find_column("at");
    const std::size_t operation = table->find_column("operation"), group = table->find_column("group");
    for (std::size_t row = 0; row < table->rows(); ++row) {
        const auto left = find_slot(run, table->integer(row, from)), entered = find_slot(run, table->integer(row, to));
        if (!left || !entered) continue;
        const core::RunTime moment = run.origin() + core::Duration{table->integer(row, at)};
        const PathStretch* const before =
            find_stretch(path.ranks[*left], run.rank(*left).to_rank(moment) - core::Duration{1});
        const PathStretch* const after = find_stretch(path.ranks[*entered], run.rank(*entered).to_rank(moment));
        if (!before || !after) continue;
        path.crossings.push_back(
            {.at = moment,
             .from = *left,
             .to = *entered,
             .from_lane = before->lane,
             .to_lane = after->lane,
             .what = std::string(table->text(row, operation)) + " of " + std::string(table->text(row, group))});
    }
}

}  // namespace

RunCriticalPath RunCriticalPath::of(const core::Run& run, const core::Answer& answer) {
    RunCriticalPath path;
    path.ranks.resize(run.ranks().size());
    const core::Table* const table = find_path_table(answer);
    if (!table || table->rows() == 0 || table->find_column("rank") >= table->columns().size()) return path;
    const PathColumns columns{.event = table->find_column("event"),
                              .start = table->find_column("start"),
                              .duration = table->find_column("duration"),
                              .bound_by = table->find_column("bound_by")};
    const std::size_t rank = table->find_column("rank");
    std::vector<std::vector<std::size_t>> rows(run.ranks().size());
    for (std::size_t row = 0; row < table->rows(); ++row) {
        const auto slot = find_slot(run, table->integer(row, rank));
        if (!slot) continue;
        rows[*slot].push_back(row);
        const core::RunTime begin = run.origin() + core::Duration{table->integer(row, columns.start)};
        const core::Duration length{table->integer(row, columns.duration)};
        path.length += length;
        ++path.stretches;
        if (!path.visits.empty() && path.visits.back().second == *slot)
            path.visits.back().first.end = begin + length;
        else
            path.visits.push_back({{begin, begin + length}, *slot});
    }
    for (std::uint32_t slot = 0; slot < rows.size(); ++slot) {
        if (rows[slot].empty()) continue;
        CriticalPath& own = path.ranks[slot];
        own.slot = slot;
        own.rank = run.rank(slot).index;
        own.stretches = read_stretches(run, run.rank(slot), *table, rows[slot], columns);
        own.parts = add_up_parts(*table, rows[slot], columns);
        own.length = path.length;
    }
    read_crossings(run, answer, path);
    return path;
}

std::span<const PathPart> CriticalPath::parts_of(core::EventId event) const {
    const auto found = std::ranges::equal_range(parts, event, {}, &PathPart::event);
    return {found.begin(), found.end()};
}

}  // namespace ui
