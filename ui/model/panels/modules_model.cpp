#include "ui/model/panels/modules_model.hpp"

#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace ui {
namespace {

constexpr char kBetweenModules = '/';
constexpr std::size_t kDeepest = 200;

class ModuleTreeBuilder {
public:
    ModuleTreeBuilder() { model_.nodes.push_back({.path = {}, .name = "All GPU time"}); }

    // The node of a path; creates its ancestors, too. Modules deeper than kDeepest count to their ancestor at that
    // depth.
    std::size_t node_of(const std::string& path) {
        std::size_t node = 0;
        std::size_t begin = 0;
        for (std::size_t level = 0; level < kDeepest && begin < path.size(); ++level) {
            const std::size_t end = std::min(path.find(kBetweenModules, begin), path.size());
            const auto [at, is_new] = by_path_.try_emplace(path.substr(0, end), model_.nodes.size());
            if (is_new) {
                model_.nodes.push_back(
                    {.path = path.substr(0, end), .name = path.substr(begin, end - begin), .parent = node});
                model_.nodes[node].children.push_back(at->second);
            }
            node = at->second;
            begin = end + 1;
        }
        return node;
    }
    ModulesModel& model() { return model_; }

    ModulesModel finish() && {
        place(0);
        return std::move(model_);
    }

private:
    // Places siblings by class and number. Recursion is bounded by kDeepest.
    void place(std::size_t node) {
        std::vector<std::size_t>& children = model_.nodes[node].children;
        std::ranges::sort(children, {}, [&](std::size_t i) { return split_module_name(model_.nodes[i].name); });
        double begin = model_.nodes[node].begin;
        for (const std::size_t child : children) {
            model_.nodes[child].begin = begin;
            model_.nodes[child].depth = model_.nodes[node].depth + 1;
            model_.depth = std::max(model_.depth, model_.nodes[child].depth);
            begin += model_.nodes[child].time;
            place(child);
        }
    }

    ModulesModel model_;
    std::map<std::string, std::size_t> by_path_;
};

}  // namespace

std::pair<std::string, std::int64_t> split_module_name(std::string_view name) {
    const std::size_t bar = name.rfind('_');
    std::int64_t number = -1;
    if (bar != std::string_view::npos && bar + 1 < name.size()) {
        const char* const end = name.data() + name.size();
        const auto [read, error] = std::from_chars(name.data() + bar + 1, end, number);
        if (error == std::errc{} && read == end) return {std::string(name.substr(0, bar)), number};
    }
    return {std::string(name), -1};
}

ModulesModel ModulesModel::of(const core::Table& table) {
    ModuleTreeBuilder builder;
    ModulesModel& model = builder.model();
    const auto at = [&](std::string_view name) { return table.find_column(name); };
    std::set<std::int64_t> ranks;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto number = [&](std::string_view name) {
            const std::size_t column = at(name);
            return table.absent(row, column) ? 0.0 : table.number(row, column);
        };
        ranks.insert(table.integer(row, at("rank")));
        const std::string path(table.text(row, at("module")));
        if (path == core::kUnattributed) {
            model.unattributed += number("kernel_time");
            model.nodes[0].time += number("kernel_time");
            continue;
        }
        const std::size_t place = builder.node_of(path);
        ModuleNode& node = model.nodes[place];
        node.time += number("kernel_time");
        node.forward += number("forward");
        node.backward += number("backward");
        node.recomputed += number("recomputed");
        node.communication += number("communication");
        node.flop += number("flop");
        node.calls += number("calls");
        model.nodes[0].time += number("self_kernel_time");
    }
    model.ranks = ranks.size();
    return std::move(builder).finish();
}

const ModuleNode* ModulesModel::find(std::string_view path) const {
    const auto found = std::ranges::find(nodes, path, &ModuleNode::path);
    return found == nodes.end() ? nullptr : &*found;
}

std::optional<ModuleLayers> ModulesModel::find_layers(std::size_t node) const {
    std::optional<ModuleLayers> best;
    double most = 0;
    std::vector<std::size_t> open = {node};
    while (!open.empty()) {
        const ModuleNode& own = nodes[open.back()];
        open.pop_back();
        std::map<std::string, ModuleLayers> classes;
        for (const std::size_t child : own.children) {
            const auto [name, number] = split_module_name(nodes[child].name);
            ModuleLayers& layers = classes[name];
            layers.class_name = name;
            if (number >= 0) layers.nodes.push_back(child);
            open.push_back(child);
        }
        for (auto& [name, layers] : classes) {
            double time = 0;
            for (const std::size_t layer : layers.nodes) time += nodes[layer].time;
            if (layers.nodes.size() < kFewestLayers || time <= most) continue;
            most = time;
            best = layers;
        }
    }
    return best;
}

}  // namespace ui
