#pragma once
// The run replayed for `findings` and `what-to-do`: one graph of its ranks, and the ranks that hold it up. Both name
// the same ranks, as both ask here.

#include "core/analysis/engine/lost_ranks.hpp"
#include "core/analysis/findings/find_culprits.hpp"
#include "core/analysis/whatif/change.hpp"
#include "core/analysis/whatif/late_ranks.hpp"
#include "core/analysis/whatif/pipeline_stages.hpp"
#include "core/analysis/whatif/run_window.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace core {

// The ranks of a diagnosis alone: what verdict and health may blame.
// The loss of a pipeline, once no rank is late.
struct ConfirmedPipeline {
    double saved = 0;  // share of the window; 0: the run has no pipeline, or loses nothing by it
    std::string evidence;  // "stage 3 computes 1.44 times as long as the other 3 stages on average"
};

struct ConfirmedRanks {
    bool known = false;  // false: nothing could be replayed
    std::vector<std::uint32_t> slots;  // the latest first
    bool by_turns = false;
    double saved = 0;  // share of the window, with all of them like their peers
    ConfirmedPipeline pipeline{};
    bool has(std::uint32_t slot) const;
};

struct Diagnosis {
    ChosenParts parts;              // what the filter chose, by the ranks' partials
    WaitsPtr waits;
    std::shared_ptr<const RunGraph> graph;  // null: nothing can be replayed
    Partners partners;
    std::vector<Culprit> waited_for;  // find_culprits; a replay confirms some of them
    LateRanks late;
    StageWork stages;               // where the ranks are pipelines
    std::int64_t saved_balanced = 0;  // ns of the graph's window, by balanced stages once nobody is late
    std::int64_t steps = 1;         // of the graph; at least 1
    bool is_cut = false;            // the graph is of some steps in the middle only
    LostRanksPtr lost;

    bool covers(std::uint32_t slot) const;  // the graph has this rank
    // A time of the graph's window as one of all chosen steps.
    std::int64_t of_all_steps(std::int64_t) const;
    ConfirmedRanks confirmed() const;
    ConfirmedPipeline confirm_pipeline() const;
    Change mend_late_ranks() const;  // like their peers
    bool are_stages_uneven() const;  // by at least kLeastSaved of the window
    // Late ranks like their peers and, where they are uneven, stages balanced.
    Change mend_causes() const;
    std::int64_t saved_by_causes() const;  // ns of the graph's window
    std::string_view name_causes() const;  // "no rank is late"; empty: there are none
    // Share of the step that four times the microbatches would save by theory; 0 where the bubble isn't of them.
    double share_of_few_microbatches() const;
    // ns of the graph's window that they save, of what is left once ranks are alike and stages even.
    std::int64_t saved_by_more_microbatches() const;
    std::string describe_stages() const;  // "stage 3 computes 1.44 times as long as the other 3 stages on average"
    std::string describe_few_microbatches() const;  // "4 microbatches for 4 stages: they idle 42.9 % of the step ..."
    // True of ranks that lost records: they are neither named nor measured.
    bool is_lost(std::uint32_t slot) const { return lost && lost->has(slot); }
    // By the graph's parts: true for these slots.
    std::vector<bool> name(std::span<const std::uint32_t> slots) const;
    Result<std::int64_t> save(const Change&, const JobContext&) const;  // ns of the graph's window; may be below 0
};

// confirmed() of diagnose(), kept with the run for what was asked last, so that verdict and health cost nothing after
// findings. Fails if cancelled.
Result<ConfirmedRanks> confirm_late_ranks(std::span<const Partial* const> partials, const Run&, const JobContext&);

// partials: with the tables of add_part. Fails if cancelled.
Result<Diagnosis> diagnose(std::span<const Partial* const> partials, const Run&, const JobContext&);

namespace findings {
// The answer of `findings` to these partials, once they are diagnosed.
Result<Answer> merge_diagnosed(std::span<const Partial* const> partials, const Run&, const Params&, const Diagnosis&,
                               const JobContext&);
}  // namespace findings

}  // namespace core
