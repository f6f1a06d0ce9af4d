#include "core/analysis/operators/flame_tree.hpp"

#include <tuple>

namespace core {
namespace {

// Frames by parent, in display order.
std::vector<std::vector<std::uint32_t>> collect_children(const std::vector<FlameNode>& nodes) {
    std::vector<std::vector<std::uint32_t>> children(nodes.size());
    for (std::uint32_t i = 1; i < nodes.size(); ++i) children[nodes[i].parent].push_back(i);
    return children;
}

}  // namespace

std::uint32_t FlameTree::find_or_add(std::uint32_t parent, NameId name, bool is_others) {
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const std::uint64_t key = std::uint64_t{parent} << 32 | static_cast<std::uint32_t>(name);
    const std::uint32_t known =
        (is_others ? others_.try_emplace(parent, next) : children_.try_emplace(key, next)).first->second;
    if (known != next) return known;
    FlameNode node;
    node.parent = parent;
    node.depth = nodes_[parent].depth + 1;
    node.name = name;
    node.is_others = is_others;
    nodes_.push_back(node);
    return next;
}

void FlameTree::add_up() {
    for (FlameNode& node : nodes_) {
        node.total = node.self;
        node.kernel_time = node.self_kernel_time;
        node.kernels = node.self_kernels;
        node.is_empty = node.calls == 0 && node.self == 0 && node.self_kernels == 0 && node.frames == 0;
    }
    for (std::size_t i = nodes_.size(); i-- > 1;) {
        const FlameNode& node = nodes_[i];
        FlameNode& parent = nodes_[node.parent];
        parent.total += node.total;
        parent.kernel_time += node.kernel_time;
        parent.kernels += node.kernels;
        parent.is_empty = parent.is_empty && node.is_empty;
    }
}

FlameTree FlameTree::fold(std::int64_t parts) const {
    const FlameNode& whole = nodes_.front();
    const auto is_wide = [parts](Wide part, Wide all) { return all > 0 && part * parts >= all; };
    FlameTree folded;
    std::vector<std::uint32_t> place(nodes_.size(), 0);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const FlameNode& node = nodes_[i];
        if (node.is_empty) continue;
        const bool is_below_others = i > 0 && folded.nodes_[place[node.parent]].is_others;
        const bool is_kept =
            i == 0 || (!is_below_others && !node.is_others &&
                       (is_wide(node.total, whole.total) || is_wide(node.kernel_time, whole.kernel_time)));
        if (is_below_others)
            place[i] = place[node.parent];
        else if (i > 0)
            place[i] = folded.find_or_add(place[node.parent], is_kept ? node.name : kNoName, !is_kept);
        FlameNode& to = folded.nodes_[place[i]];
        to.self += node.self;
        to.self_kernel_time += node.self_kernel_time;
        to.self_kernels += node.self_kernels;
        if (!is_below_others) to.calls += node.calls;
        if (!is_kept) to.frames += node.is_others ? node.frames : 1;
    }
    folded.add_up();
    return folded;
}

std::vector<std::uint32_t> FlameTree::collect_in_order(const std::function<std::string_view(NameId)>& text) const {
    std::vector<std::vector<std::uint32_t>> children = collect_children(nodes_);
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> open{0};
    order.reserve(nodes_.size());
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        order.push_back(at);
        std::ranges::sort(children[at], [&](std::uint32_t a, std::uint32_t b) {
            const FlameNode& left = nodes_[a];
            const FlameNode& right = nodes_[b];
            const auto weight = [](const FlameNode& node) {
                return std::tuple(!node.is_others, node.total, node.kernel_time);
            };
            if (weight(left) != weight(right)) return weight(left) > weight(right);
            return text(left.name) < text(right.name);
        });
        open.insert(open.end(), children[at].rbegin(), children[at].rend());
    }
    return order;
}

}  // namespace core
