#pragma once
// Pairs rows of two runs: ranks by the alignment; within a pair of ranks, devices by order, streams
// by number (by order if they share none), threads and counters by name without digits (process and
// thread numbers differ between runs) and order. O(tracks · log tracks) for a pair of ranks,
// computed once: growing runs keep their pairs. No ImGui.

#include "core/diff/align/align_runs.hpp"
#include "core/query/track_rows.hpp"
#include "ui/timeline/model/lane_layout.hpp"

#include <functional>
#include <tuple>

namespace ui {

class RowPairs {
public:
    RowPairs() = default;
    RowPairs(const core::BySide<core::RunPtr>& runs, const core::RunAlignment& alignment) { update(runs, alignment); }
    // Updates the pairs for these runs. Keeps existing pairs of ranks with the same traces: O(ranks · log ranks) plus
    // the tracks of new pairs, whose number is returned.
    std::size_t update(const core::BySide<core::RunPtr>&, const core::RunAlignment&);

    // The same row on the other side; nullopt if only this side has it.
    std::optional<NodeKey> partner(core::Side from, const NodeKey&) const;
    std::optional<core::TrackRows> partner(core::Side from, const core::TrackRows&) const;
    // The candidate's choices after opening what is open in the baseline; rows without a partner keep their state.
    RowChoices mirror_baseline(const RowChoices& baseline, Opening, const RowChoices& candidate) const;
    // Tops for the rows of both sides, and the height of both: partners have the same top, and a side that lacks a row
    // gets a gap. Both sides keep their order; of two pairs that cross, one is given up. O(rows).
    struct Places {
        core::BySide<std::vector<float>> tops;
        float height = 0;
    };
    Places place(const core::BySide<const LaneLayout*>&) const;

private:
    struct RankPair {
        core::BySide<std::uint32_t> slots;
        core::BySide<const core::RankTrace*> traces;  // of the runs
        core::BySide<std::vector<std::uint32_t>> tracks;  // partner by own index; kNone
        core::BySide<std::vector<std::uint32_t>> processes;
        core::BySide<std::vector<std::uint32_t>> counters;
    };
    struct RowId {
        std::uint32_t slot, item, sub;
        const RowKind* kind;
        bool operator==(const RowId&) const = default;
        bool operator<(const RowId& other) const {
            return std::tie(slot, item, sub) != std::tie(other.slot, other.item, other.sub)
                       ? std::tie(slot, item, sub) < std::tie(other.slot, other.item, other.sub)
                       : std::less<>{}(kind, other.kind);
        }
    };
    static std::uint32_t partner_item(const RankPair&, core::Side from, const RowKind&, std::uint32_t item);
    const RankPair* pair_of(core::Side, std::int64_t rank_key) const;
    static void pair_rows(RankPair&);
    RowId id_of(core::Side, const core::Run&, const LayoutRow&) const;

    core::BySide<core::RunPtr> runs_;
    std::vector<RankPair> pairs_;
    core::BySide<std::map<std::int64_t, std::size_t>> by_rank_;  // packed key → pair
};

}  // namespace ui
