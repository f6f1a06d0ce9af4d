#pragma once
// Replays of a run as if a kind of finding were mended on all ranks that have it. `findings` limits its gains by them
// and `what-to-do` lists them, so both say the same. Definitions: docs/definitions.md, what-to-do.

#include "core/analysis/findings/diagnosis.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace core {

struct Replay {
    std::int64_t saved = 0;        // ns of the graph's window, at least 0; of symptoms: beyond what the causes save
    std::int64_t saved_alone = 0;  // if the causes stay
    std::string how;               // "transfers take no time; once no rank is late"
};

// Late ranks, uneven work and uneven stages: time that they explain is not theirs who wait for it.
bool is_cause(FindingKind);

class FindingReplays {
public:
    // Everything must outlive this. The diagnosis must have a graph.
    FindingReplays(const Run&, const Diagnosis&, std::span<const Partial* const>, const JobContext&);

    // Nothing where the graph does not know what it would change, as for launches that were not recorded, or where that
    // takes no time in it. slots: the
    // ranks that have the finding. Fails if cancelled. O(edges).
    Result<std::optional<Replay>> replay(FindingKind, std::span<const std::uint32_t> slots) const;
    // Length of the window under a change, ns.
    Result<std::int64_t> length_under(const Change&) const;

    // By edge: a factor where it is of an event and `takes` takes it, 1 elsewhere.
    template <class Takes>
    std::vector<float> factor_where(float factor, const Takes& takes) const {
        std::vector<float> all(graph_.graph.edges.size(), 1);
        for (std::uint32_t e = 0; e < all.size(); ++e)
            if (has_owner(graph_.graph.edges[e]) && takes(graph_.graph.edges[e])) all[e] = factor;
        return all;
    }
    bool has_owner(const GraphEdge& one) const {
        return one.event != kNoEvent && graph_.part_of(one) < graph_.parts.size();
    }
    const RankTrace& trace_of(const GraphEdge& one) const {
        return run_.rank(graph_.parts[graph_.part_of(one)].slot).trace();
    }

private:
    struct Mended {
        Change change;
        std::string how;
    };
    std::optional<Mended> mend(FindingKind, std::span<const std::uint32_t> slots) const;
    std::optional<Mended> mend_host(FindingKind) const;
    std::optional<Mended> mend_kernels(FindingKind, std::span<const std::uint32_t> slots) const;
    std::optional<Mended> mend_transfers(FindingKind) const;
    bool changes_anything(const Change&) const;
    Change after_causes(Change) const;
    Change compute_like_peers(std::span<const std::uint32_t> slots) const;
    std::vector<float> factor_of_small_messages() const;
    std::vector<float> factor_if_mended(FindingKind, std::span<const std::uint32_t> slots) const;
    std::vector<float> factor_of_transfers(FindingKind) const;
    Result<std::optional<Replay>> replay_few_microbatches() const;

    const Run& run_;
    const Diagnosis& diagnosis_;
    const Waits& waits_;
    const RunGraph& graph_;
    std::span<const Partial* const> partials_;
    const JobContext& context_;
    bool has_launches_ = false;
};

}  // namespace core
