// GPU time and FLOP by the nn.Module around the launch, or by annotation.

#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace core::modules {
namespace {

constexpr std::size_t kDepth = 0, kBy = 1, kSource = 2;
constexpr std::int64_t kByClass = 1;
enum Source : std::int64_t { kAuto, kModules, kAnnotations };

constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::string_view kEngine = "autograd::engine::evaluate_function";
constexpr std::uint32_t kNoNode = 0xFFFFFFFFu;

bool is_module(const RankTrace& trace, EventId e) {
    return trace.category_kind(e) == Category::PythonFunction && trace.name_text(e).starts_with(kModulePrefix);
}

bool is_part_of_model(const RankTrace& trace, EventId e) {
    if (trace.category_kind(e) != Category::UserAnnotation || trace.has(e, kStepMark)) return false;
    const std::string_view name = trace.name_text(e);
    return !name.starts_with("Optimizer.") && !name.starts_with("nccl:") &&
           !name.starts_with("DistributedDataParallel.forward") && !name.starts_with("ProfilerStep#");
}

// A path of names; parents come before their children.
struct PathNode {
    std::uint32_t parent;
    std::string name;
    std::uint32_t depth = 0;
    std::size_t letters = 0;  // of the whole path
};

// Whatever a trace holds, paths take a bounded amount of memory: what is beyond counts to the module around it.
constexpr std::uint32_t kMostDepth = 999;
constexpr std::size_t kMostNodes = 100'000;
constexpr std::size_t kMostLetters = 2'000;

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

// The path of every event: that of the events around it or, in the backward pass, of its forward operator.
class Paths {
public:
    Paths(const RankTrace& trace, bool by_module) : trace_(trace), by_module_(by_module) {}

    // False if cancelled.
    bool find(const JobContext& context) {
        const std::vector<EventId> order = collect_parents_first(trace_);
        of_event.assign(trace_.size(), kNoNode);
        const SparseColumn<std::int64_t> numbers = trace_.integers(Arg::SequenceNumber);
        std::vector<std::int64_t> number_of(trace_.size(), -1);
        for (std::size_t i = 0; i < numbers.size(); ++i) number_of[index_of(numbers.events[i])] = numbers.values[i];
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context.cancelled()) return false;
            enter(order[i]);
        }
        struct First {
            RankTime start;
            std::uint32_t node;
        };
        std::unordered_map<std::int64_t, First> forward;  // by sequence number: the first operator with a path
        for (std::uint32_t e = 0; e < trace_.size(); ++e) {
            if (number_of[e] < 0 || of_event[e] == kNoNode || is_engine(EventId{e})) continue;
            const auto [at, is_new] = forward.try_emplace(number_of[e], First{trace_.start[e], of_event[e]});
            if (!is_new && trace_.start[e] < at->second.start) at->second = {trace_.start[e], of_event[e]};
        }
        for (const EventId e : order) {
            std::uint32_t& node = of_event[index_of(e)];
            if (node != kNoNode) continue;
            const EventId parent = trace_.parent[index_of(e)];
            if (parent != kNoEvent) node = of_event[index_of(parent)];
            if (node != kNoNode || number_of[index_of(e)] < 0 || !is_engine(e)) continue;
            const auto found = forward.find(number_of[index_of(e)]);
            if (found != forward.end()) node = found->second.node;
        }
        return true;
    }

    std::string text_of(std::uint32_t node) const {
        std::string text = nodes[node].name;
        for (std::uint32_t at = nodes[node].parent; at != kNoNode; at = nodes[at].parent)
            text.insert(0, nodes[at].name + "/");
        return text;
    }

    struct Call {
        EventId event;
        std::uint32_t node;
    };
    std::vector<PathNode> nodes;
    std::vector<std::uint32_t> of_event;
    std::vector<Call> calls;

private:
    bool is_engine(EventId e) const { return trace_.name_text(e).starts_with(kEngine); }

    void enter(EventId e) {
        const EventId parent = trace_.parent[index_of(e)];
        std::uint32_t node = parent == kNoEvent ? kNoNode : of_event[index_of(parent)];
        const bool is_part = by_module_ ? is_module(trace_, e) : is_part_of_model(trace_, e);
        const std::uint32_t depth = node == kNoNode ? 0 : nodes[node].depth;
        if (is_part && depth < kMostDepth) {
            const std::string_view name = trace_.name_text(e).substr(by_module_ ? kModulePrefix.size() : 0);
            const std::size_t letters = (node == kNoNode ? 0 : nodes[node].letters + 1) + name.size();
            const auto known = known_.find({node, trace_.name[index_of(e)]});
            if (known != known_.end()) {
                node = known->second;
            } else if (nodes.size() < kMostNodes && letters <= kMostLetters) {
                known_.emplace(std::pair{node, trace_.name[index_of(e)]}, static_cast<std::uint32_t>(nodes.size()));
                nodes.push_back({.parent = node, .name = std::string(name), .depth = depth + 1, .letters = letters});
                node = static_cast<std::uint32_t>(nodes.size() - 1);
            }
            if (node != kNoNode) calls.push_back({e, node});
        }
        of_event[index_of(e)] = node;
    }

    const RankTrace& trace_;
    bool by_module_;
    std::map<std::pair<std::uint32_t, NameId>, std::uint32_t> known_;
};

// Made once per rank, whatever the filter, and kept with its index.
struct PathsOfModules : Paths {
    explicit PathsOfModules(const RankTrace& trace) : Paths(trace, true) {}
};
struct PathsOfAnnotations : Paths {
    explicit PathsOfAnnotations(const RankTrace& trace) : Paths(trace, false) {}
};

// Null if cancelled.
template <class Kind>
std::shared_ptr<const Paths> paths_of(const RankIndex& index, const JobContext& context) {
    return index.derived().get<Kind>([&]() -> std::shared_ptr<const Kind> {
        auto made = std::make_shared<Kind>(index.trace());
        return made->find(context) ? made : nullptr;
    });
}

// "Linear_12" is the 13th Linear.
std::string class_of(const std::string& module) {
    const std::size_t bar = module.rfind('_');
    const bool numbered = bar != std::string::npos && bar + 1 < module.size() &&
                          module.find_first_not_of("0123456789", bar + 1) == std::string::npos;
    return numbered ? module.substr(0, bar) : module;
}

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
         "its path, outermost first; with by=class the class of the innermost; (unattributed): below none"},
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

    SelfSums(const Paths& paths, std::int64_t depth) : shown(paths.nodes.size()), of_node(paths.nodes.size()) {
        for (std::uint32_t node = 0; node < shown.size(); ++node)
            shown[node] = paths.nodes[node].depth > depth ? shown[paths.nodes[node].parent] : node;
    }
    ModuleSums& of(const Paths& paths, EventId e) {
        const std::uint32_t node = paths.of_event[index_of(e)];
        return node == kNoNode ? unattributed : of_node[shown[node]];
    }
};

// Null if cancelled. Without a choice: modules if the trace has any, else annotations.
std::shared_ptr<const Paths> choose_paths(const RankIndex& index, std::int64_t source, const JobContext& context) {
    std::shared_ptr<const Paths> found;
    if (source != kAnnotations) found = paths_of<PathsOfModules>(index, context);
    if (source != kAnnotations && !found) return nullptr;
    if (source == kAnnotations || (source == kAuto && found->nodes.empty()))
        found = paths_of<PathsOfAnnotations>(index, context);
    return found;
}

// False if cancelled.
bool add_gpu_time(const RankView& view, const Paths& paths, const RankWork& work, const JobContext& context,
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

void add_flop(const ChosenCalls& chosen, const Paths& paths, SelfSums& self) {
    for (const ChosenCall& one : chosen.calls) {
        if (!one.executed) continue;
        const WorkCall& call = chosen.work->calls[one.call];
        ModuleSums& sums = self.of(paths, call.event);
        sums.flop += chosen.work->work_of(call).flop;
        sums.has_flop = true;
    }
}

void add_classes(const RankView& view, const Paths& paths, const SelfSums& self, Table& table) {
    std::map<std::string, ModuleSums> classes;
    for (std::size_t node = 0; node < self.of_node.size(); ++node)
        if (self.shown[node] == node) classes[class_of(paths.nodes[node].name)] += self.of_node[node];
    for (const auto& [name, sums] : classes) add_row(table, view, name, sums, sums.kernels, self.total);
}

void add_modules(const RankView& view, const Paths& paths, const SelfSums& self, Table& table) {
    std::vector<ModuleSums> all = self.of_node;
    for (std::size_t node = all.size(); node-- > 0;) {  // children come after their parents
        const std::uint32_t parent = paths.nodes[node].parent;
        if (parent == kNoNode) continue;
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
    const std::shared_ptr<const Paths> paths = choose_paths(*view.rank().index, params[kSource], context);
    if (!paths) return cancelled_error();
    SelfSums self(*paths, params[kDepth]);
    if (!add_gpu_time(view, *paths, *chosen->work, context, self)) return cancelled_error();
    add_flop(*chosen, *paths, self);
    for (const Paths::Call& call : paths->calls)
        if (self.shown[call.node] == call.node && view.passes(call.event)) ++self.of_node[call.node].calls;

    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    if (params[kBy] == kByClass)
        add_classes(view, *paths, self, table);
    else
        add_modules(view, *paths, self, table);
    const ModuleSums& rest = self.unattributed;
    if (rest.kernels > 0) add_row(table, view, kUnattributed, rest, rest.kernels, self.total);
    return partial;
}

}  // namespace core::modules
