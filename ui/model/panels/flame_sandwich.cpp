#include "ui/model/panels/flame_sandwich.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ui {
namespace {

constexpr std::uint32_t kNoLensNode = 0xFFFFFFFFu;

// A call tree under construction: nodes with the sums of the frames that they stand for.
class LensTree {
public:
    LensTree() : nodes_(1), children_(1) {}
    std::uint32_t child(std::uint32_t parent, const FlameFrame& like) {
        const auto [at, is_new] =
            found_.try_emplace({parent, like.frames > 0, like.name}, static_cast<std::uint32_t>(nodes_.size()));
        if (!is_new) return at->second;
        FlameFrame node;
        node.name = like.name;
        node.level = nodes_[parent].level + 1;
        nodes_.push_back(node);
        children_.emplace_back();
        children_[parent].push_back(at->second);
        return at->second;
    }
    void add(std::uint32_t to, const FlameFrame& frame) {
        FlameFrame& node = nodes_[to];
        node.width += frame.width;
        node.total += frame.total;
        node.self += frame.self;
        node.calls += frame.calls;
        node.kernels += frame.kernels;
        node.kernel_time += frame.kernel_time;
        node.self_kernel_time += frame.self_kernel_time;
        node.frames += frame.frames;
        node.other += frame.other;
        node.other_known &= frame.other_known;
    }
    // Level after level, children by width.
    void lay_out(FlameGraph& graph) {
        std::vector<std::uint32_t> node_of{0};
        graph.frames = {nodes_[0]};
        graph.levels = {0};
        for (std::uint32_t i = 0; i < graph.frames.size(); ++i) {
            std::vector<std::uint32_t>& below = children_[node_of[i]];
            std::ranges::stable_sort(below, {}, [&](std::uint32_t node) {
                return std::tuple(nodes_[node].frames > 0, -nodes_[node].width, nodes_[node].name);
            });
            std::int64_t begin = graph.frames[i].begin;
            for (const std::uint32_t node : below) {
                FlameFrame frame = nodes_[node];
                frame.parent = i;
                frame.begin = begin;
                frame.width = std::min(frame.width, graph.frames[i].end() - begin);
                if (frame.width <= 0) continue;
                begin += frame.width;
                if (graph.levels.size() == frame.level)
                    graph.levels.push_back(static_cast<std::uint32_t>(graph.frames.size()));
                graph.frames.push_back(frame);
                node_of.push_back(node);
            }
        }
        graph.levels.push_back(static_cast<std::uint32_t>(graph.frames.size()));
    }

private:
    std::vector<FlameFrame> nodes_;
    std::vector<std::vector<std::uint32_t>> children_;
    std::map<std::tuple<std::uint32_t, bool, std::string_view>, std::uint32_t> found_;
};

void add_callers(const FlameGraph& graph, std::uint32_t of, LensTree& tree, std::uint32_t node) {
    FlameFrame call = graph.frames[of];
    call.self = call.self_kernel_time = 0;
    for (std::uint32_t at = graph.frames[of].parent; graph.frames[at].level > 0; at = graph.frames[at].parent) {
        node = tree.child(node, graph.frames[at]);
        tree.add(node, call);
    }
}

}  // namespace

std::string_view find_busiest(const FlameGraph& graph, FlameMeasure measure) {
    std::map<std::string_view, std::int64_t> own;
    for (const FlameFrame& frame : graph.frames)
        if (frame.is_plain()) own[frame.name] += measure == FlameMeasure::CpuTime ? frame.self : frame.self_kernel_time;
    const auto most = std::ranges::max_element(own, {}, [](const auto& one) { return one.second; });
    return most == own.end() ? std::string_view() : most->first;
}

FlameGraph build_flame_lens(const FlameGraph& graph, std::string_view center, FlameLens lens, FlameMeasure measure) {
    FlameGraph seen;
    seen.answer = graph.answer;
    seen.scale = graph.scale;
    seen.other_scale = graph.other_scale;
    seen.note = graph.note;
    const auto is_center = [&](const FlameFrame& frame) { return frame.is_plain() && frame.name == center; };
    if (std::ranges::none_of(graph.frames, is_center)) center = find_busiest(graph, measure);
    LensTree tree;
    std::vector<std::uint32_t> node_of(graph.frames.size(), kNoLensNode);
    for (std::uint32_t i = 0; i < graph.frames.size(); ++i) {  // parents come first
        const FlameFrame& frame = graph.frames[i];
        const std::uint32_t above = frame.level > 0 ? node_of[frame.parent] : kNoLensNode;
        if (above != kNoLensNode) {
            node_of[i] = lens == FlameLens::Callees ? tree.child(above, frame) : above;
            if (lens == FlameLens::Callees) tree.add(node_of[i], frame);
            continue;
        }
        if (!is_center(frame)) continue;
        node_of[i] = tree.child(0, frame);
        tree.add(0, frame);
        tree.add(node_of[i], frame);
        if (lens == FlameLens::Callers) add_callers(graph, i, tree, node_of[i]);
    }
    tree.lay_out(seen);
    return seen;
}

}  // namespace ui
