#pragma once
// The part of each rank in an answer about the whole run: handed from a rank's partial to the merge in tables of
// its own.

#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/whatif/run_graph.hpp"

namespace core {

// A rank's window without the marks of its steps, which are PartEvents as the chosen events are.
struct PartBounds {
    std::uint32_t slot = 0;
    RankTime begin{}, end{}, shown_end{}, host_end{};
    std::int64_t steps = 0;
};
template <>
inline constexpr auto kFields<PartBounds> =
    std::tuple{field("slot", &PartBounds::slot),         field("begin", &PartBounds::begin),
               field("end", &PartBounds::end),           field("shown_end", &PartBounds::shown_end),
               field("host_end", &PartBounds::host_end), field("steps", &PartBounds::steps)};

struct PartEvent {
    std::uint32_t slot = 0;
    EventId event = kNoEvent;
};
template <>
inline constexpr auto kFields<PartEvent> =
    std::tuple{field("slot", &PartEvent::slot), field("event", &PartEvent::event)};

inline constexpr std::string_view kPartTables[] = {"part windows", "part steps", "part events"};

// with_events: also which events pass the filter's terms on name, class, duration, stream and group.
Result<bool> add_part(const RankView&, WithoutStepTerm, bool with_events, Partial&, const JobContext&);

struct ChosenParts {
    std::vector<PartWindow> parts;  // by slot, of one session and one capture of each rank
    std::vector<std::vector<EventId>> chosen;  // by slot, sorted; empty without events
    std::int64_t steps = 0;  // most that a rank has chosen; 0: no steps
    std::vector<Excluded> excluded;
    bool takes(std::uint32_t slot, EventId event) const;
};
// The parts by as many whole steps at a time as keep a graph below this many events, so that memory is bounded; all at
// once where they are few, have no steps, or a time range cuts them.
inline constexpr std::size_t kMostEventsAtOnce = 3'000'000;
std::vector<std::vector<PartWindow>> split_by_steps(const Run&, std::span<const PartWindow>,
                                                    std::size_t most_events = kMostEventsAtOnce);
// For a path that goes on from one graph to the next: each begins where the one before ends, or sooner, and all of them
// cover what the parts show. One for all unless they have more events than one_graph; else by as many whole steps as
// at_once allows.
std::vector<std::vector<PartWindow>> cut_at_steps(const Run&, std::span<const PartWindow>, std::size_t one_graph,
                                                  std::size_t at_once);
ChosenParts collect_parts(std::span<const Partial* const>, const Run&);
// Ranks that lost records (lost_ranks.hpp), unless all did. Adds to `excluded`.
void leave_out_lost(ChosenParts&, const Run&);

}  // namespace core
