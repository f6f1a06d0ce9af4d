#pragma once
// Paths of names merged into one tree of frames. Callers add a frame's own measures; totals are
// derived from them, so children and self always add up to a frame's total. No recursion, however
// deep the tree.

#include "core/analysis/engine/rounding.hpp"

#include <functional>
#include <unordered_map>
#include <vector>

namespace core {

struct FlameNode {
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;       // root: 0
    NameId name = kNoName;
    bool is_others = false;        // replaces frames too narrow to keep
    std::int64_t calls = 0;
    std::int64_t frames = 0;       // for others: number of replaced frames at any depth; else 0
    std::int64_t self_kernels = 0;
    Wide self = 0;
    Wide self_kernel_time = 0;
    std::int64_t kernels = 0;      // set by add_up(): includes descendants
    Wide total = 0;
    Wide kernel_time = 0;
    bool is_empty = true;          // nothing measured here or below
};

class FlameTree {
public:
    FlameTree() : nodes_(1) {}
    std::uint32_t find_or_add(std::uint32_t parent, NameId name, bool is_others = false);
    FlameNode& at(std::uint32_t node) { return nodes_[node]; }
    const std::vector<FlameNode>& nodes() const { return nodes_; }  // the root first, each after its parent
    void add_up();
    // Needs add_up(). Drops empty frames, and merges frames with less than 1/parts of both the
    // root's total and its kernel time, with their descendants, into one child per parent. The
    // result is added up again.
    FlameTree fold(std::int64_t parts) const;
    // Preorder; siblings by total, kernel time (largest first) and name, with others last.
    std::vector<std::uint32_t> collect_in_order(const std::function<std::string_view(NameId)>& text) const;

private:
    std::vector<FlameNode> nodes_;
    std::unordered_map<std::uint64_t, std::uint32_t> children_;  // by parent and name
    std::unordered_map<std::uint64_t, std::uint32_t> others_;  // by parent
};

}  // namespace core
