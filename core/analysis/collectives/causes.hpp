#pragma once
// Why the last rank of a collective was late: its stretch since it was released, beside that of the middle rank.
// Definitions: docs/definitions.md, straggler-causes.

#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/telemetry/busy_samples.hpp"

#include <map>
#include <optional>
#include <set>

namespace core {

// Lengths of a stretch by what ran, every instant given once: compute over copies over communication over idle.
struct StretchParts {
    std::int64_t compute = 0;
    std::int64_t memory = 0;
    std::int64_t communication = 0;
    std::int64_t idle = 0;
};

struct Cause {
    std::string name;   // "data loading", "slower kernels", "inherited", "before the window", …
    std::string what;   // names and numbers behind it
    StretchParts parts;  // late rank's less the middle one's; they add up to own
    EventId example = kNoEvent;  // on the late rank
    bool shows = false;          // inside the window and above the error
    std::string kernels{};  // of `what`, the kernels that differ, where it says more
    std::optional<ClockRatio> clock{};  // of slower kernels in a run with samples of clocks
    std::int64_t explained = 0;  // ns of the compute part that the clock ratio accounts for
    double kernel_ratio = 0;  // kernels' times to the peers'; 0: not measured
};

// Cause of the lateness in a collective that counts.
Cause find_cause(const Run&, const Waits&, std::uint32_t collective);

// The cause that most of a rank's rooted waits go back to, of those that show where any does, as its costliest root
// shows it.
struct MainCause {
    Cause cause;
    std::uint32_t root = 0;   // the costliest collective
    std::int64_t wait = 0;    // ns that go back to the cause
    std::int64_t unseen = 0;  // ns whose cause lies outside of the window or below the error
};
// By slot; wanted: only these slots, null: all that are roots.
std::map<std::uint32_t, MainCause> find_main_causes(const ChosenMembers&,
                                                    const std::set<std::uint32_t>* wanted = nullptr);
StretchParts measure_stretch(const RankSlot&, RankRange stretch);

}  // namespace core
