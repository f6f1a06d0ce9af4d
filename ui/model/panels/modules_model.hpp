#pragma once
// The tree of nn.Modules by GPU time and its layers for comparison, from the answer of modules
// (by=path), summed over the ranks. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/diff/align/side.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct ModuleNode {
    std::string path;  // "Model_0/Layer_3"
    std::string name;  // "Layer_3"
    std::size_t parent = 0;  // the root's is its own
    std::size_t depth = 0;   // 0 for the root
    std::vector<std::size_t> children{};
    // Sums over the ranks and all descendants, ns.
    double time = 0, forward = 0, backward = 0, recomputed = 0, communication = 0;
    double flop = 0;   // 0: unknown
    double calls = 0;
    double begin = 0;  // ns: where it begins among its siblings, from the root's begin
};

// Children of the same class and parent, such as the layers of a model.
struct ModuleLayers {
    std::string class_name;  // "Layer"
    std::vector<std::size_t> nodes;  // by number
};
inline constexpr std::size_t kFewestLayers = 4;

struct ModulesModel {
    std::vector<ModuleNode> nodes;  // parents first; the first is the root with all GPU time
    double unattributed = 0;        // ns outside any module
    std::size_t ranks = 0;
    std::size_t depth = 0;          // levels below the root

    static ModulesModel of(const core::Table& modules);
    const ModuleNode* find(std::string_view path) const;  // empty: the root
    // The largest set of layers at or below a node; absent unless a class has four.
    std::optional<ModuleLayers> find_layers(std::size_t node) const;
    bool empty() const { return nodes.size() < 2; }
};

// "Layer_3" gives "Layer" and 3; the number is -1 if there is none.
std::pair<std::string, std::int64_t> split_module_name(std::string_view name);

}  // namespace ui
