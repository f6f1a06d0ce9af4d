#pragma once
// Paths of names merged into one tree of frames. What is measured of a frame itself is put in; totals are made of it,
// so that of every frame the children and what is its own add up to its total. No recursion, however deep it is.

#include "core/analysis/rounding.hpp"

#include <functional>
#include <unordered_map>
#include <vector>

namespace core {

struct FlameNode {
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;       // of the root: 0
    NameId name = kNoName;
    bool is_others = false;        // stands for frames too narrow to be kept
    std::int64_t calls = 0;
    std::int64_t frames = 0;       // of others: how many those are, at any depth; else 0
    std::int64_t self_kernels = 0;
    Wide self = 0;
    Wide self_kernel_time = 0;
    std::int64_t kernels = 0;      // those of add_up(): with all beneath
    Wide total = 0;
    Wide kernel_time = 0;
    bool is_empty = true;          // nothing was measured here or beneath
};

class FlameTree {
public:
    FlameTree() : nodes_(1) {}
    std::uint32_t find_or_add(std::uint32_t parent, NameId name, bool is_others = false);
    FlameNode& at(std::uint32_t node) { return nodes_[node]; }
    const std::vector<FlameNode>& nodes() const { return nodes_; }  // the root first, each after its parent
    void add_up();
    // Of what is added up: without empty frames, and with those that have less than 1/parts of the root's total and of
    // its kernel time taken together, with all beneath them, as one child of their parent. Added up again.
    FlameTree fold(std::int64_t parts) const;
    // Each frame before its children; of those the one with the greatest total first, then the most kernel time, then by
    // name; others last.
    std::vector<std::uint32_t> collect_in_order(const std::function<std::string_view(NameId)>& text) const;

private:
    std::vector<FlameNode> nodes_;
    std::unordered_map<std::uint64_t, std::uint32_t> children_;  // by parent and name
    std::unordered_map<std::uint64_t, std::uint32_t> others_;  // by parent
};

}  // namespace core
