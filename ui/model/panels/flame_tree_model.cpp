#include "ui/model/panels/flame_tree_model.hpp"

#include <algorithm>

namespace ui {

void FlameTree::reset(std::shared_ptr<const FlameGraph> graph, FlameMeasure measure, std::uint32_t top) {
    graph_ = std::move(graph);
    measure_ = measure;
    top_ = top;
    open_ = {top};
    for (std::uint32_t at = top;;) {
        const std::vector<std::uint32_t> children = children_of(at);
        if (children.empty() || graph_->frames[children.front()].width * 2 < graph_->frames[top].width) break;
        at = children.front();
        open_.insert(at);
    }
    lay_out();
}

void FlameTree::toggle(std::uint32_t frame) {
    if (!open_.erase(frame)) open_.insert(frame);
    lay_out();
}

// Frames of a level are sorted by begin, and children are inside their parent, so two binary searches suffice.
std::vector<std::uint32_t> FlameTree::children_of(std::uint32_t frame) const {
    const FlameFrame& parent = graph_->frames[frame];
    std::vector<std::uint32_t> children;
    if (parent.level + 1 >= graph_->level_count()) return children;
    const std::span<const FlameFrame> below = graph_->level(parent.level + 1);
    const auto first = std::ranges::lower_bound(below, parent.begin, {}, &FlameFrame::begin);
    for (auto child = first; child != below.end() && child->begin < parent.end(); ++child)
        if (child->parent == frame)
            children.push_back(graph_->levels[parent.level + 1] + static_cast<std::uint32_t>(child - below.begin()));
    std::ranges::stable_sort(children, std::ranges::greater{},
                             [this](std::uint32_t child) { return graph_->frames[child].width; });
    return children;
}

void FlameTree::lay_out() {
    rows_.clear();
    struct Entry {
        std::uint32_t frame, depth;
    };
    for (std::vector<Entry> todo{{top_, 0}}; !todo.empty();) {
        const Entry at = todo.back();
        todo.pop_back();
        const FlameFrame& frame = graph_->frames[at.frame];
        const std::vector<std::uint32_t> children = children_of(at.frame);
        const bool is_open = open_.contains(at.frame);
        rows_.push_back({.frame = at.frame,
                         .depth = at.depth,
                         .has_children = !children.empty(),
                         .open = is_open,
                         .self = measure_ == FlameMeasure::CpuTime ? frame.self : frame.self_kernel_time});
        if (!is_open) continue;
        for (auto child = children.rbegin(); child != children.rend(); ++child) todo.push_back({*child, at.depth + 1});
    }
}

}  // namespace ui
