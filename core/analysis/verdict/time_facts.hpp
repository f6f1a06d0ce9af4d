#pragma once
// Times of one rank, in the window of its GPU work and in each chosen step: the input of `verdict` and `health`.
// One row per window in a table of the rank's partial; merges read them back. Internal to this folder.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/lost_ranks.hpp"
#include "core/analysis/engine/record_table.hpp"

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace core {

struct TimeFacts {
    std::uint32_t slot = 0;
    std::int64_t rank = 0;  // RankKey::packed
    std::optional<std::int64_t> step{};  // absent: the window of GPU work
    // ns. The first four add up to the duration.
    std::int64_t duration = 0;
    std::int64_t compute = 0;
    std::int64_t exposed = 0;  // communication without compute
    std::int64_t copies = 0;  // copies without both
    std::int64_t idle = 0;
    std::int64_t communication = 0;  // union, beside compute or not
    std::optional<std::int64_t> wait{};  // of exposed; absent where no collective is matched
    std::int64_t host_wait = 0;  // of idle: the launch came too late
    std::optional<std::int64_t> loading{};  // the host waits for data; absent without such marks
    std::int64_t loading_idle = 0;  // of that, while the GPU is idle
    // Compute kernels launched in it, sums of durations.
    std::int64_t kernels = 0;
    std::int64_t matrix = 0;  // FLOP known
    std::int64_t uncounted = 0;  // matrix work, FLOP unknown
    std::int64_t memory_bound = 0;
    std::int64_t launch_bound = 0;  // shorter than kShortKernel
    std::optional<double> floor{};  // ns, of the FLOP at peak; absent where a peak is unknown or nothing is counted
    // The longest of each kind; kNoEvent without one.
    EventId idle_event = kNoEvent;  // GPU event after the longest gap
    EventId compute_event = kNoEvent, communication_event = kNoEvent, copy_event = kNoEvent;
};

template <>
inline constexpr auto kFields<TimeFacts> =
    std::tuple{field("slot", &TimeFacts::slot).as(Unit::Count, Role::Key),
               field("rank", &TimeFacts::rank).as(Unit::Rank, Role::Key, Facet::Rank),
               field("step", &TimeFacts::step).as(Unit::Step, Role::Key, Facet::Step),
               field("duration", &TimeFacts::duration).as(Unit::Ns, Role::Measure),
               field("compute", &TimeFacts::compute).as(Unit::Ns, Role::Measure),
               field("exposed", &TimeFacts::exposed).as(Unit::Ns, Role::Measure),
               field("copies", &TimeFacts::copies).as(Unit::Ns, Role::Measure),
               field("idle", &TimeFacts::idle).as(Unit::Ns, Role::Measure),
               field("communication", &TimeFacts::communication).as(Unit::Ns, Role::Measure),
               field("wait", &TimeFacts::wait).as(Unit::Ns, Role::Measure),
               field("host_wait", &TimeFacts::host_wait).as(Unit::Ns, Role::Measure),
               field("loading", &TimeFacts::loading).as(Unit::Ns, Role::Measure),
               field("loading_idle", &TimeFacts::loading_idle).as(Unit::Ns, Role::Measure),
               field("kernels", &TimeFacts::kernels).as(Unit::Ns, Role::Measure),
               field("matrix", &TimeFacts::matrix).as(Unit::Ns, Role::Measure),
               field("uncounted", &TimeFacts::uncounted).as(Unit::Ns, Role::Measure),
               field("memory_bound", &TimeFacts::memory_bound).as(Unit::Ns, Role::Measure),
               field("launch_bound", &TimeFacts::launch_bound).as(Unit::Ns, Role::Measure),
               field("floor", &TimeFacts::floor).as(Unit::Number, Role::Measure),
               field("idle_event", &TimeFacts::idle_event),
               field("compute_event", &TimeFacts::compute_event),
               field("communication_event", &TimeFacts::communication_event),
               field("copy_event", &TimeFacts::copy_event)};

inline constexpr std::int64_t kShortKernel = 5'000;  // ns: what a launch takes
inline constexpr std::string_view kFactsTable = "time facts";

// The window's row, then one per chosen step. No rows without GPU work.
Result<Table> collect_time_facts(const RankView& of_all_work, const JobContext&);
// Nothing is said of ranks that lost records, unless all did.
void leave_out_lost(std::vector<TimeFacts>&, const LostRanks&);

}  // namespace core
