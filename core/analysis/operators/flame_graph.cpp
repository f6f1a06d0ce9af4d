#include "core/analysis/operators/flame_graph.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/operators/flame_tree.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr NameId kStepsOfFlame{0xFFFFFFFDu};
constexpr std::uint32_t kNoPayer = 0xFFFFFFFFu;
constexpr std::string_view kTooDeep = "calls deeper than 512 frames, whose time is in the frame above them";

std::vector<Column> flame_columns() {
    return {{"depth", Unit::Count, Role::Key, Facet::None, "frames above it; 0: the root"},
            {"name", Unit::Text, Role::Key, Facet::Operator, "(others): frames too narrow to keep"},
            {"total", Unit::Ns, Role::Measure, Facet::None, "CPU time of its calls and of those beneath", true},
            {"self", Unit::Ns, Role::Measure, Facet::None, "of that, the part in no frame beneath", true},
            {"calls", Unit::Count, Role::Measure, Facet::None, "events that pass the filter", true},
            {"kernels", Unit::Count, Role::Measure, Facet::None, "GPU events launched beneath, at any depth", true},
            {"kernel_time", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true},
            {"self_kernel_time", Unit::Ns, Role::Measure, Facet::None, "of that, launched in no frame beneath", true},
            {"frames", Unit::Count, Role::Measure, Facet::None, "number of frames that (others) replaces", true}};
}

// Decides which events of a rank are frames.
class FrameRule {
public:
    FrameRule(const RankTrace& trace, FlameKind kind) : trace_(trace), kind_(kind) {}
    bool takes(EventId e) const {
        if (trace_.has(e, kInstant)) return false;
        if (kind_ == FlameKind::Python) return trace_.category_kind(e) == Category::PythonFunction;
        if (is_operator(trace_, e)) return true;
        return kind_ == FlameKind::Annotations &&
               (trace_.has(e, kStepMark) || trace_.category_kind(e) == Category::UserAnnotation);
    }
    NameId name(EventId e) const { return trace_.has(e, kStepMark) ? kStepsOfFlame : trace_.name[index_of(e)]; }
    std::string_view text(NameId name) const {
        if (name == kNoName) return kUnattributed;
        return name == kStepsOfFlame ? kStepFrame : trace_.text(name);
    }

private:
    const RankTrace& trace_;
    FlameKind kind_;
};

class RankFlame {
public:
    RankFlame(const RankView& view, FlameKind kind, const JobContext& context)
        : view_(view), trace_(view.trace()), rule_(trace_, kind), context_(context) {}

    // Returns false if cancelled.
    bool build() {
        const std::vector<EventId> order = collect_parents_first(trace_);
        node_.assign(trace_.size(), 0);
        payer_.assign(trace_.size(), kNoPayer);
        cut_end_.assign(trace_.start.begin(), trace_.start.end());
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context_.cancelled()) return false;
            if (!trace_.has(order[i], kGpuEvent)) place(order[i]);
        }
        for (const EventId e : view_.gpu_events()) add_gpu_event(e);
        tree_.add_up();
        return true;
    }
    const FlameTree& tree() const { return tree_; }
    const FrameRule& rule() const { return rule_; }
    std::uint64_t too_deep() const { return too_deep_; }

private:
    void place(EventId e) {
        const EventId parent = trace_.parent[index_of(e)];
        const bool is_root = parent == kNoEvent;
        std::uint32_t& node = node_[index_of(e)];
        std::uint32_t& payer = payer_[index_of(e)];
        RankTime& end = cut_end_[index_of(e)];
        node = is_root ? 0 : node_[index_of(parent)];
        payer = is_root ? kNoPayer : payer_[index_of(parent)];
        end = is_root ? trace_.end(e) : std::min(trace_.end(e), cut_end_[index_of(parent)]);
        if (!rule_.takes(e)) return;
        const bool fits = tree_.at(node).depth < kMostFlameDepth;
        if (fits) node = tree_.find_or_add(node, rule_.name(e));
        if (!view_.passes(e)) return;
        const std::int64_t inside = view_.visible({trace_.start[index_of(e)], end}).length().count();
        tree_.at(node).self += inside;
        if (payer != kNoPayer) tree_.at(payer).self -= inside;
        payer = node;
        if (fits)
            ++tree_.at(node).calls;
        else
            ++too_deep_;
    }

    void add_gpu_event(EventId e) {
        const EventId launch = trace_.parent[index_of(e)];
        std::uint32_t above = launch == kNoEvent ? 0 : node_[index_of(launch)];
        if (above == 0) above = tree_.find_or_add(0, kNoName);
        FlameNode& node = tree_.at(above);
        ++node.self_kernels;
        node.self_kernel_time += view_.visible(e).length().count();
    }

    const RankView& view_;
    const RankTrace& trace_;
    FrameRule rule_;
    const JobContext& context_;
    FlameTree tree_;
    std::vector<std::uint32_t> node_;   // by event: its frame
    std::vector<std::uint32_t> payer_;  // by event: frame of the innermost passing event around it
    std::vector<RankTime> cut_end_;     // by event: its end in the tree
    std::uint64_t too_deep_ = 0;
};

Table table_of(const FlameTree& tree, const std::function<std::string_view(NameId)>& text) {
    Table table(flame_columns());
    for (const std::uint32_t i : tree.collect_in_order(text)) {
        const FlameNode& node = tree.nodes()[i];
        std::string_view name = node.is_others ? kOtherFrames : text(node.name);
        if (i == 0) name = {};
        table.add_row({static_cast<std::int64_t>(node.depth), name, clamped(node.total), clamped(node.self), node.calls,
                       node.kernels, clamped(node.kernel_time), clamped(node.self_kernel_time), node.frames});
    }
    return table;
}

Result<Partial> flame_of_rank(const RankView& view, const Params& params, const JobContext& context) {
    RankFlame flame(view, static_cast<FlameKind>(params[0]), context);
    if (!flame.build()) return cancelled_error();
    const FlameTree kept = flame.tree().fold(kRankFlameParts);
    const auto text = [&](NameId name) { return flame.rule().text(name); };
    Partial partial{{{"main", table_of(kept, text)}}, {}, {}, view.collect_excluded()};
    if (flame.too_deep() > 0) partial.excluded.push_back({std::string(kTooDeep), flame.too_deep()});
    return partial;
}

void add_table(FlameTree& tree, StringPool& names, const Table& table) {
    using namespace flame_column;
    std::vector<std::uint32_t> path;  // by depth: the open frame
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto depth = static_cast<std::size_t>(table.integer(row, kDepth));
        path.resize(depth + 1);
        const bool is_others = table.integer(row, kFrames) > 0;
        path[depth] = depth == 0
                          ? 0
                          : tree.find_or_add(path[depth - 1],
                                             is_others ? kNoName : names.intern(table.text(row, kName)), is_others);
        FlameNode& node = tree.at(path[depth]);
        node.self += table.integer(row, kSelf);
        node.self_kernel_time += table.integer(row, kSelfKernelTime);
        node.self_kernels += table.integer(row, flame_column::kKernels);
        if (depth > 0) tree.at(path[depth - 1]).self_kernels -= table.integer(row, flame_column::kKernels);
        node.calls += table.integer(row, kCalls);
        node.frames += table.integer(row, kFrames);
    }
}

Result<Answer> merge_flames(std::span<const Partial* const> partials, const Run&, const Params&,
                            const JobContext& context) {
    FlameTree tree;
    StringPool names;
    for (const Partial* partial : partials) {
        if (context.cancelled()) return cancelled_error();
        add_table(tree, names, partial->main());
    }
    tree.add_up();
    const auto text = [&](NameId name) { return name == kNoName ? std::string_view() : names.text(name); };
    return Answer{
        .tables = {{"main", table_of(tree.fold(kFlameParts), text)}}, .series = {}, .marks = {}, .excluded = {}};
}

constexpr std::string_view kKinds[] = {"operators", "python", "annotations"};
constexpr Param kFlameParams[] = {{.name = "kind",
                                   .summary = "which events are frames",
                                   .unit = Unit::Count,
                                   .standard = 0,
                                   .least = 0,
                                   .most = 2,
                                   .choices = kKinds}};

constexpr Analysis kFlameGraph{.id = "flame-graph",
                               .title = "Flame graph",
                               .summary = "The call trees of CPU events, merged by their paths of names.",
                               .definition = R"(
Events of the kind that pass the filter, all ranks, threads and steps together. A frame's total is the CPU time of
its calls and of those beneath, cut at their callers' ends and to the filter's time; self is the part in no frame
beneath. Kernel time is that of GPU events that pass, launched in the frame or beneath.
)",
                               .params = kFlameParams,
                               .chart = {},
                               .comparable = false,
                               .rank = flame_of_rank,
                               .merge = merge_flames,
                               .columns = flame_columns};

}  // namespace

const Analysis& flame_graph() { return kFlameGraph; }

bool has_frames(const Run& run, const Filter& filter, FlameKind kind) {
    return std::ranges::any_of(run.ranks(), [&](const RankSlot& rank) {
        return filter.accepts_rank(rank.key) &&
               std::ranges::any_of(rank.trace().categories, [kind](const CategoryEntry& category) {
                   if (kind == FlameKind::Python) return category.kind == Category::PythonFunction;
                   return category.kind == Category::CpuOp ||
                          (kind == FlameKind::Annotations && category.kind == Category::UserAnnotation);
               });
    });
}

}  // namespace core
