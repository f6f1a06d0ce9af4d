// GPU time and FLOP by the nn.Module around the launch, or by annotation.

#include "core/analysis/efficiency/efficiency_analyses.hpp"
#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/efficiency/module_paths.hpp"
#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace core::modules {
namespace {

constexpr std::size_t kDepth = 0, kBy = 1, kSource = 2;
constexpr std::int64_t kByClass = 1, kByLayer = 2;
constexpr std::string_view kOtherModules = "(other modules)";

struct ModuleSums {
    Wide kernels = 0, forward = 0, backward = 0, recomputed = 0, communication = 0, flop = 0;
    std::int64_t calls = 0;
    bool has_flop = false;

    ModuleSums& operator+=(const ModuleSums& other) {
        kernels += other.kernels;
        forward += other.forward;
        backward += other.backward;
        recomputed += other.recomputed;
        communication += other.communication;
        flop += other.flop;
        calls += other.calls;
        has_flop = has_flop || other.has_flop;
        return *this;
    }
};

void add_row(Table& table, const RankView& view, std::string_view module, const ModuleSums& all, Wide self,
             Wide total) {
    const bool ran = all.kernels > 0;
    table.add_row(
        {view.key(), module, all.calls, clamped(all.kernels), clamped(self), clamped(all.forward),
         clamped(all.backward), clamped(all.recomputed), clamped(all.communication),
         all.has_flop ? Cell{clamped(all.flop)} : Cell{},
         all.has_flop && ran ? Cell{static_cast<double>(all.flop) / (static_cast<double>(all.kernels) / 1e9)} : Cell{},
         ratio_cell(all.kernels, total)});
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"module", Unit::Text, Role::Key, Facet::None,
         "its path, outermost first; with by=class the class of the innermost, with by=layer the layer; "
         "(unattributed): "
         "below none"},
        {"calls", Unit::Count, Role::Measure, Facet::None, "how often it was called", true},
        {"kernel_time", Unit::Ns, Role::Measure, Facet::None, "sum of the durations of all GPU events below it", true},
        {"self_kernel_time", Unit::Ns, Role::Measure, Facet::None,
         "of that, below no module inside it; adds up to the GPU time of the rank", true},
        {"forward", Unit::Ns, Role::Measure, Facet::None, "part of kernel_time outside the backward pass", true},
        {"backward", Unit::Ns, Role::Measure, Facet::None, "part of kernel_time in the backward pass", true},
        {"recomputed", Unit::Ns, Role::Measure, Facet::None,
         "part of kernel_time that the backward pass spends on forward operators", true},
        {"communication", Unit::Ns, Role::Measure, Facet::None, "part of kernel_time that communicates", true},
        {"flop", Unit::Flop, Role::Measure, Facet::None, "of the operators below it; absent where none is counted",
         true},
        {"flop_rate", Unit::FlopPerSecond, Role::Measure, Facet::None, "flop / kernel_time"},
        {"share", Unit::Ratio, Role::Measure, Facet::None, "kernel_time / GPU time of the rank"}};
}

namespace {

// Sums of every node that is shown, without those inside it that are shown too.
struct SelfSums {
    std::vector<std::uint32_t> shown;  // by node: the node itself, or the one around it that is shown
    std::vector<ModuleSums> of_node;
    ModuleSums unattributed;
    Wide total = 0;

    SelfSums(const ModulePaths& paths, std::int64_t depth) : shown(paths.nodes.size()), of_node(paths.nodes.size()) {
        for (std::uint32_t node = 0; node < shown.size(); ++node)
            shown[node] = paths.nodes[node].depth > depth ? shown[paths.nodes[node].parent] : node;
    }
    ModuleSums& of(const ModulePaths& paths, EventId e) {
        const std::uint32_t node = paths.of_event[index_of(e)];
        return node == kNoModule ? unattributed : of_node[shown[node]];
    }
};

// False if cancelled.
bool add_gpu_time(const RankView& view, const ModulePaths& paths, const RankWork& work, const JobContext& context,
                  SelfSums& self) {
    const RankTrace& trace = view.trace();
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return false;
        const EventId e = trace.gpu_events[i];
        if (!view.passes(e)) continue;
        const std::int64_t time = view.visible(e).length().count();
        ModuleSums& sums = self.of(paths, e);
        sums.kernels += time;
        self.total += time;
        const Pass pass = work.passes[i];
        (pass == Pass::Forward ? sums.forward : pass == Pass::Backward ? sums.backward : sums.recomputed) += time;
        if (view.class_of(e) == KernelClass::Communication) sums.communication += time;
    }
    return true;
}

void add_flop(const ChosenCalls& chosen, const ModulePaths& paths, SelfSums& self) {
    for (const ChosenCall& one : chosen.calls) {
        if (!one.executed) continue;
        const WorkCall& call = chosen.work->calls[one.call];
        ModuleSums& sums = self.of(paths, call.event);
        sums.flop += chosen.work->work_of(call).flop;
        sums.has_flop = true;
    }
}

void add_classes(const RankView& view, const ModulePaths& paths, const SelfSums& self, Table& table) {
    std::map<std::string, ModuleSums> classes;
    for (std::size_t node = 0; node < self.of_node.size(); ++node)
        if (self.shown[node] == node) classes[class_of_module(paths.nodes[node].name)] += self.of_node[node];
    for (const auto& [name, sums] : classes) add_row(table, view, name, sums, sums.kernels, self.total);
}

// A captured call counts once for each replay of which a GPU event below it passes.
void count_calls(const RankView& view, const ModulePaths& paths, const GraphAttribution& graphs, SelfSums& self) {
    const RankTrace& trace = graphs.trace();
    std::vector<std::uint32_t> seen_in(trace.size() - view.trace().size(), kNoReplay);  // by captured event
    std::vector<std::int64_t> replays(seen_in.size(), 0);
    const auto place_of = [&](EventId e) { return index_of(e) - view.trace().size(); };
    for (std::uint32_t r = 0; r < graphs.replays.replays.size(); ++r) {
        for (const EventId node : graphs.replays.nodes_of(graphs.replays.replays[r])) {
            if (!view.passes(node)) continue;
            for (EventId at = trace.parent[index_of(node)];
                 at != kNoEvent && !graphs.is_own(at) && seen_in[place_of(at)] != r; at = trace.parent[index_of(at)]) {
                seen_in[place_of(at)] = r;
                ++replays[place_of(at)];
            }
        }
    }
    for (const ModuleCall& call : paths.calls) {
        if (self.shown[call.node] != call.node) continue;
        std::int64_t& calls = self.of_node[call.node].calls;
        if (!graphs.is_own(call.event))
            calls += replays[place_of(call.event)];
        else if (view.passes(call.event))
            ++calls;
    }
}

// Each layer with all that is in it, and the rest.
void add_layers(const RankView& view, const ModulePaths& paths, const SelfSums& self, Table& table) {
    const std::vector<std::uint32_t> layer_of = find_layers(paths);
    std::map<std::uint32_t, ModuleSums> layers;
    ModuleSums others;
    for (std::uint32_t node = 0; node < layer_of.size(); ++node) {
        if (self.shown[node] != node) continue;
        const std::uint32_t layer = layer_of[node];
        ModuleSums& sums = layer == kNoModule ? others : layers[layer];
        const std::int64_t calls = sums.calls;
        sums += self.of_node[node];
        if (layer != kNoModule && layer != node) sums.calls = calls;
    }
    std::vector<std::uint32_t> order;
    for (const auto& [layer, sums] : layers)
        if (sums.kernels > 0 || sums.calls > 0) order.push_back(layer);
    std::ranges::sort(order, {}, [&](std::uint32_t layer) {  // the tenth after the second
        const ModuleNode& node = paths.nodes[layer];
        return std::tuple(node.parent, class_of_module(node.name), node.name.size(), node.name);
    });
    for (const std::uint32_t layer : order)
        add_row(table, view, paths.text_of(layer), layers[layer], layers[layer].kernels, self.total);
    if (others.kernels > 0) add_row(table, view, kOtherModules, others, others.kernels, self.total);
}

void add_modules(const RankView& view, const ModulePaths& paths, const SelfSums& self, Table& table) {
    std::vector<ModuleSums> all = self.of_node;
    for (std::size_t node = all.size(); node-- > 0;) {  // children come after their parents
        const std::uint32_t parent = paths.nodes[node].parent;
        if (parent == kNoModule) continue;
        const std::int64_t calls = all[parent].calls;
        all[parent] += all[node];
        all[parent].calls = calls;
    }
    struct TextSums {
        ModuleSums all;
        Wide self = 0;
    };
    std::map<std::string, TextSums> by_text;
    for (std::size_t node = 0; node < all.size(); ++node) {
        if (all[node].kernels == 0 && all[node].calls == 0) continue;
        TextSums& sums = by_text[paths.text_of(static_cast<std::uint32_t>(node))];
        sums.all += all[node];
        sums.self += self.of_node[node].kernels;
    }
    for (const auto& [text, sums] : by_text) add_row(table, view, text, sums.all, sums.self, self.total);
}

}  // namespace

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const Result<ChosenCalls> chosen = choose_calls(view, context);
    if (!chosen) return chosen.error();
    const std::shared_ptr<const ModulePaths> paths =
        module_paths_of(*view.rank().index, static_cast<ModuleSource>(params[kSource]), context);
    if (!paths) return cancelled_error();
    SelfSums self(*paths, params[kDepth]);
    if (!add_gpu_time(view, *paths, *chosen->work, context, self)) return cancelled_error();
    add_flop(*chosen, *paths, self);
    count_calls(view, *paths, *chosen->work->graphs, self);

    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    if (params[kBy] == kByClass)
        add_classes(view, *paths, self, table);
    else if (params[kBy] == kByLayer)
        add_layers(view, *paths, self, table);
    else
        add_modules(view, *paths, self, table);
    const ModuleSums& rest = self.unattributed;
    if (rest.kernels > 0) add_row(table, view, kUnattributed, rest, rest.kernels, self.total);
    return partial;
}

constexpr std::string_view kModuleGroups[] = {"path", "class", "layer"};
constexpr std::string_view kModuleSources[] = {"auto", "modules", "annotations"};
constexpr Param kModuleParams[] = {
    {"depth", "modules deeper than this count to those around them", Unit::Count, 99, 1, 999},
    {"by",
     "path: each module; class: all modules of a class, each without those inside it; layer: each layer with all "
     "inside it",
     Unit::Count, 0, 0, 2, kModuleGroups},
    {"source", "modules: calls of nn.Module; annotations: ranges on CPU threads; auto: modules where there are any",
     Unit::Count, 0, 0, 2, kModuleSources},
};
constexpr std::string_view kSelfKernelTime[] = {"self_kernel_time"};

}  // namespace core::modules

namespace core {

constinit const Analysis kModules{
    .id = "modules",
    .title = "Modules",
    .summary = "GPU time and FLOP of each nn.Module, forward and backward.",
    .definition = R"(
A GPU event belongs to the path of nn.Module calls (python_function events) around the call that launched it,
outermost first; X_n is the n-th instance of class X as the writer numbers them. In the backward pass it belongs to
the path of the first forward operator with the sequence number of the autograd engine's operator, unless it runs
below a module of its own (recomputed work). Traces without modules take user annotations that are not steps,
Optimizer.*, nccl:* or DistributedDataParallel.forward, as they nest. Record with_stack=True to have modules, or
wrap layers in record_function.

kernel_time has everything below, self_kernel_time what no inner module has; the latter with (unattributed) adds up
to the GPU time of `kernels`. forward, backward and recomputed add up to kernel_time. flop: of operators whose FLOP
are known (op-efficiency), whole where the filter chooses any of their GPU events. by=layer: layers are modules of
one class that occur at least four times below one parent, the outermost such; (other modules) is what lies in no
layer. Sequence numbers are taken as unique within a rank.
)",
    .params = modules::kModuleParams,
    .chart = {.kind = ChartKind::Bars, .category = "module", .measures = modules::kSelfKernelTime},
    .comparable = true,
    .rank = modules::rank,
    .columns = modules::columns,
    .lead = "kernel_time",
};

}  // namespace core
