#pragma once
// Nodes of replays that ran and were not recorded: which gaps they may have filled. A replay lacks nodes where its
// capture, or most replays of its graph, have more; or where its nodes fill less than half of its span and a call of
// the host waited for its end.

#include "core/graphs/graph_list.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace core {

class LostNodes {
public:
    explicit LostNodes(const RankIndex&);

    std::uint64_t replays() const { return replays_; }  // that lack nodes
    bool is_short(std::uint32_t replay) const { return replay != kNoReplay && !places_[replay].empty(); }
    // Whether both are nodes of one replay.
    bool are_of_one_replay(EventId a, EventId b) const;
    // Whether a lost node may have run from the end of `before` to the begin of `next`; either may be kNoEvent.
    bool may_hide(EventId before, EventId next) const;
    // "4 of 4 replays lack 1 of 1,567 kernels: gemm of aten::addmm"; empty: none lacks any.
    const std::string& text() const { return text_; }
    EventId example() const { return example_; }  // the launch of the first that lacks nodes, or its first node

private:
    static constexpr std::uint32_t kAnywhere = 0xFFFFFFFFu;
    void find_places(const RankTrace&, std::uint32_t replay, const GraphTemplate&, bool is_thin);

    std::shared_ptr<const GraphAttribution> known_;
    std::uint64_t replays_ = 0;
    std::vector<std::vector<std::uint32_t>> places_;  // by replay: how many nodes precede a lost one, rising
    std::vector<std::uint32_t> ordinals_;  // by event, in its replay; empty: none lacks any
    std::string text_;
    EventId example_ = kNoEvent;
};

// Made once per rank and its graphs' sources.
std::shared_ptr<const LostNodes> lost_nodes_of(const RankIndex&);

}  // namespace core
