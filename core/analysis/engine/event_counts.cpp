#include "core/analysis/engine/event_counts.hpp"

namespace core {
namespace {

std::vector<Column> count_columns() {
    return {{"place", Unit::Text, Role::Key, Facet::None, "where the events ran"},
            {"events", Unit::Count, Role::Measure, Facet::None, "in the run", true},
            {"passed", Unit::Count, Role::Measure, Facet::None, "of them pass the filter", true}};
}

bool is_thread(const RankTrace& trace, const Lane& lane) { return trace.tracks[lane.track].kind == TrackKind::Thread; }

std::int64_t size_of(const Lane& lane) {
    return static_cast<std::int64_t>(index_of(lane.last)) - static_cast<std::int64_t>(index_of(lane.first));
}

Result<std::int64_t> count_passed(const RankView& view, const JobContext& context) {
    std::int64_t passed = 0;
    for (const Lane& lane : view.trace().lanes) {
        if (!is_thread(view.trace(), lane)) continue;
        if (view.filter->without_time_and_rank().empty() && !view.time) {
            passed += size_of(lane);
            continue;
        }
        for (std::size_t i = index_of(lane.first); i < index_of(lane.last); ++i) {
            if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
            passed += view.passes(static_cast<EventId>(i));
        }
    }
    return passed;
}

Result<Partial> count_rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::int64_t> cpu = count_passed(view, context);
    if (!cpu) return cpu.error();
    Partial partial{{{"main", Table(count_columns())}}, {}, {}, {}};
    Table& table = partial.tables.front().table;
    table.add_row({"GPU", Cell{}, static_cast<std::int64_t>(view.gpu_events().size())});
    table.add_row({"CPU", Cell{}, *cpu});
    return partial;
}

Result<Answer> count_all(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    std::int64_t gpu = 0, cpu = 0, gpu_passed = 0, cpu_passed = 0;
    for (const RankSlot& rank : run.ranks()) {
        gpu += static_cast<std::int64_t>(rank.trace().gpu_events.size());
        for (const Lane& lane : rank.trace().lanes) cpu += is_thread(rank.trace(), lane) ? size_of(lane) : 0;
    }
    for (const Partial* partial : partials) {
        gpu_passed += partial->main().integer(0, 2);
        cpu_passed += partial->main().integer(1, 2);
    }
    Answer answer;
    answer.tables.push_back({"main", Table(count_columns())});
    answer.tables.front().table.add_row({"GPU", gpu, gpu_passed});
    answer.tables.front().table.add_row({"CPU", cpu, cpu_passed});
    return answer;
}

constexpr Analysis kEventCounting{
    .id = "event-counts",
    .title = "Events",
    .summary = "How many events the filter takes.",
    .definition = "GPU events, and events on CPU threads, that pass the filter and touch its time.",
    .params = {},
    .chart = {},
    .comparable = false,
    .rank = count_rank,
    .merge = count_all,
    .columns = count_columns};

}  // namespace

const Analysis& event_counting() { return kEventCounting; }

EventCounts counts_of(const Answer& answer) {
    const auto cell = [&](std::size_t row, std::size_t column) {
        return static_cast<std::uint64_t>(answer.main().integer(row, column));
    };
    return {.gpu = cell(0, 1), .gpu_passed = cell(0, 2), .cpu = cell(1, 1), .cpu_passed = cell(1, 2)};
}

}  // namespace core
