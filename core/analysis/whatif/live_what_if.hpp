#pragma once
// What-if for a window that changes its parameters all the time: the graph is built once, each change is a replay of
// it. Same graph, same change and same rounding as the analysis what-if. Immutable once built; any thread.

#include "core/analysis/parallelism/schedule.hpp"
#include "core/analysis/whatif/given_change.hpp"
#include "core/analysis/whatif/run_path.hpp"

#include <array>

namespace core {

// Graphs of more events are of some steps in the middle of those that the filter chooses.
inline constexpr std::size_t kMostLiveEvents = 600'000;

struct RankReplay {
    std::uint32_t slot = 0;
    std::int64_t waits = 0, waits_replayed = 0;  // ns at joins for the last to come, per step
    std::int64_t on_path = 0, on_path_replayed = 0;  // ns of the critical path, per step
};

struct LiveReplay {
    std::string change;  // in words; empty: as recorded
    std::int64_t step_time = 0;  // ns, replayed
    std::int64_t gain = 0;  // ns, recorded - step_time; no more than this can be gained
    std::vector<RankReplay> ranks;  // by slot
    std::array<std::int64_t, kBoundBy> bound_by{};  // ns of the path per step, replayed
    RunPath path;  // replayed; begins count from the begin of the window
};

class LiveWhatIf {
public:
    // params: only `over`, `stages`, and whether `chosen` scales anything, matter here.
    static Result<LiveWhatIf> build(const Run&, const Filter&, const Params&, const JobContext&);
    // The run it was built of.
    Result<LiveReplay> replay(const Run&, const Params&, const JobContext&) const;

    bool has_graph() const { return graph_ != nullptr; }  // false: nothing passes, or a schedule is replayed
    // Replayed by a pipeline's schedule, without ranks, kinds and path.
    bool has_schedule() const { return schedule_ != nullptr; }
    bool has_stages() const { return has_stages_; }  // `stages` can be balanced
    std::string_view why_not() const { return why_not_; }  // nothing can be replayed
    std::int64_t steps() const { return steps_; }  // of the graph; 0: the run has none
    std::int64_t all_steps() const { return all_steps_; }  // that the filter chooses
    std::span<const std::int64_t> step_numbers() const { return numbers_; }  // of the graph, rising
    std::int64_t recorded() const { return recorded_; }  // ns per step
    std::span<const std::int64_t> recorded_bound_by() const { return bound_by_; }
    const RunGraph& graph() const { return *graph_; }

private:
    std::vector<std::int64_t> add_up_waits(std::span<const std::int64_t> times) const;
    std::vector<std::int64_t> add_up_path(const RunPath&) const;
    std::int64_t per_step(std::int64_t) const;

    static Result<LiveWhatIf> build_of_schedule(Schedule, const JobContext&);
    Result<LiveReplay> replay_of_schedule(const Params&, const JobContext&) const;

    std::string_view why_not_ = "No work of a rank passes the filter.";
    std::shared_ptr<const Schedule> schedule_;
    std::shared_ptr<const RunGraph> graph_;
    std::shared_ptr<const Partners> partners_;
    std::vector<double> shares_;
    std::vector<std::int64_t> numbers_;
    bool has_stages_ = false;
    std::int64_t steps_ = 0, all_steps_ = 0, recorded_ = 0;
    std::array<std::int64_t, kBoundBy> bound_by_{};
    std::vector<std::int64_t> part_waits_, part_path_;  // by part, of the window
};

}  // namespace core
