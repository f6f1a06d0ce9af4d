#pragma once
// The frames of a flame graph as rows of a tree: a row per frame whose parents are open, children
// by width, widest first. A frame's total is its own time plus its children's. No ImGui.

#include "ui/model/panels/flame_graph_model.hpp"

#include <set>
#include <vector>

namespace ui {

struct FlameTreeRow {
    std::uint32_t frame = 0;
    std::uint32_t depth = 0;     // levels below the top
    bool has_children = false;
    bool open = false;
    std::int64_t self = 0;       // own time, in the measure
};

class FlameTree {
public:
    // Opens frames that contain at least half of the top's width. Keeps nothing of an older graph.
    void reset(std::shared_ptr<const FlameGraph>, FlameMeasure, std::uint32_t top);
    void toggle(std::uint32_t frame);
    const std::shared_ptr<const FlameGraph>& graph() const { return graph_; }
    FlameMeasure measure() const { return measure_; }
    std::uint32_t top() const { return top_; }
    const std::vector<FlameTreeRow>& rows() const { return rows_; }

private:
    std::vector<std::uint32_t> children_of(std::uint32_t frame) const;
    void lay_out();

    std::shared_ptr<const FlameGraph> graph_;
    FlameMeasure measure_ = FlameMeasure::CpuTime;
    std::uint32_t top_ = 0;
    std::set<std::uint32_t> open_;
    std::vector<FlameTreeRow> rows_;
};

}  // namespace ui
