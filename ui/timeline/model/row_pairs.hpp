#pragma once
// Pairs rows of two runs: ranks as the runs are aligned; in a pair of ranks devices by their order, streams by
// number (by order where they share none), threads and counters by name (digits do not matter: process and thread
// numbers differ from run to run) and order. O(tracks · log tracks) for a pair of ranks, done once: runs that grow keep
// the pairs they have. No ImGui.

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
    // Of these runs now. A pair of ranks that was there before, with the same traces, is taken over: O(ranks · log
    // ranks) and the tracks of those that are new, of which the number is returned.
    std::size_t update(const core::BySide<core::RunPtr>&, const core::RunAlignment&);

    // The same row on the other side; nullopt if only this side has it.
    std::optional<NodeKey> partner(core::Side from, const NodeKey&) const;
    std::optional<core::TrackRows> partner(core::Side from, const core::TrackRows&) const;
    // The candidate's choices that open what is open on the baseline's side; those of rows without a partner stay.
    RowChoices mirror_baseline(const RowChoices& baseline, Opening, const RowChoices& candidate) const;
    // Tops for the rows of both sides and the height of both: partners lie at the same height, and where one side lacks
    // a row it has a gap. Order is kept on both sides; of two pairs that cross, one is given up. O(rows).
    struct Places {
        core::BySide<std::vector<float>> tops;
        float height = 0;
    };
    Places place(const core::BySide<const LaneLayout*>&) const;

private:
    struct RankPair {
        core::BySide<std::uint32_t> slots;
        core::BySide<const core::RankTrace*> traces;  // of the runs
        core::BySide<std::vector<std::uint32_t>> tracks;  // partners, by own index; kNone
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
