#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/engine/frequent_parts.hpp"
#include "core/analysis/operators/operator_analyses.hpp"
#include "core/base/utf8.hpp"
#include "core/store/string_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

namespace core::kernel_sequences {
namespace {

constexpr std::int64_t kParts = 1;  // choices of the row: whole, parts
constexpr std::string_view kAll = "(all)";
constexpr std::size_t kMostText = 2000;  // bytes of kernel names

enum ParamAt : std::size_t { kOf, kLeast, kLongest };
enum ColumnAt : std::size_t {
    kOperator,
    kSequence,
    kCount,
    kKernelTime,
    kOperatorTime,
    kLength,
    kKernels,
    kPrefix,  // partials only: the sequence without its last and without its first kernel
    kSuffix
};

bool chooses_operators(const FilterTerm& term) {
    return std::holds_alternative<NameTerm>(term.what) || std::holds_alternative<DurationTerm>(term.what);
}
bool chooses_gpu_events(const FilterTerm& term) {
    return std::holds_alternative<StreamTerm>(term.what) || std::holds_alternative<ClassTerm>(term.what) ||
           std::holds_alternative<GroupTerm>(term.what) || std::holds_alternative<CollectiveTerm>(term.what) ||
           std::holds_alternative<WaitTerm>(term.what) || std::holds_alternative<LastTerm>(term.what) ||
           std::holds_alternative<MatchedTerm>(term.what);
}
bool has_name(const Filter& filter) {
    return std::ranges::any_of(filter.terms,
                               [](const FilterTerm& term) { return std::holds_alternative<NameTerm>(term.what); });
}

// The view without the terms for which leave_out returns true.
Result<RankView> relax(const RankView& view, bool (*leave_out)(const FilterTerm&), const JobContext& context) {
    RankView relaxed = view;
    if (std::ranges::none_of(view.filter->terms, leave_out)) return relaxed;
    Filter filter = view.filter->without_time_and_rank();
    std::erase_if(filter.terms, leave_out);
    Result<SelectionPtr> selection = Selection::build(*view.run, view.slot, filter, context);
    if (!selection) return std::move(selection).error();
    relaxed.selection = *std::move(selection);
    return relaxed;
}

// An operator or annotation and its launches, by start.
struct Root {
    EventId event = kNoEvent;  // kNoEvent: everything
    std::vector<EventId> kernels;
};

// By event: the outermost chosen event at or above it.
std::vector<EventId> find_outermost(const RankView& chosen, bool with_annotations) {
    const RankTrace& trace = chosen.trace();
    std::vector<EventId> outermost(trace.size(), kNoEvent);
    for (const EventId e : collect_parents_first(trace)) {
        const EventId parent = trace.parent[index_of(e)];
        EventId& root = outermost[index_of(e)];
        if (parent != kNoEvent) root = outermost[index_of(parent)];
        if (root != kNoEvent || trace.has(e, kGpuEvent) || trace.has(e, kInstant)) continue;
        const bool fits =
            is_operator(trace, e) ||
            (with_annotations && (trace.has(e, kStepMark) || trace.category_kind(e) == Category::UserAnnotation));
        if (fits && chosen.passes(e)) root = e;
    }
    return outermost;
}

std::vector<Root> collect_roots(const RankView& chosen, const RankView& kernels, bool with_annotations) {
    const std::vector<EventId> outermost = find_outermost(chosen, with_annotations);
    std::map<EventId, std::size_t> place;
    std::vector<Root> roots;
    for (const EventId kernel : kernels.gpu_events()) {
        const EventId root = outermost[index_of(kernel)];
        if (root == kNoEvent) continue;
        const auto [at, is_new] = place.try_emplace(root, roots.size());
        if (is_new) roots.push_back({root, {}});
        roots[at->second].kernels.push_back(kernel);
    }
    return roots;
}

std::string joined(const RankTrace& trace, std::span<const NameId> names) {
    std::string text;
    for (const NameId name : names) text += (text.empty() ? "" : "|") + std::string(trace.text(name));
    return text;
}

// 16 hex digits, equal on every rank and in every run.
std::string digest(std::string_view text) {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash_text(text), 16);
    const std::string_view short_form(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
    return std::string(digits.size() - short_form.size(), '0').append(short_form);
}

std::vector<Column> rank_columns() {
    std::vector<Column> all = {{"operator", Unit::Text, Role::Key, Facet::Operator, {}},
                               {"sequence", Unit::Text, Role::Key, Facet::None, {}},
                               {"count", Unit::Count, Role::Measure, Facet::None, {}},
                               {"kernel_time", Unit::Ns, Role::Measure, Facet::None, {}},
                               {"operator_time", Unit::Ns, Role::Measure, Facet::None, {}},
                               {"length", Unit::Count, Role::Info, Facet::None, {}},
                               {"kernels", Unit::Text, Role::Info, Facet::None, {}},
                               {"prefix", Unit::Text, Role::Info, Facet::None, {}},
                               {"suffix", Unit::Text, Role::Info, Facet::None, {}}};
    return all;
}

struct Whole {
    std::int64_t count = 0;
    Wide kernel_time = 0;
    Wide operator_time = 0;
};

void add_whole_sequences(const RankView& view, const std::vector<Root>& roots, Table& table) {
    const RankTrace& trace = view.trace();
    std::map<std::pair<NameId, std::vector<NameId>>, Whole> sequences;
    for (const Root& root : roots) {
        std::vector<NameId> names;
        Wide time = 0;
        for (const EventId kernel : root.kernels) {
            names.push_back(trace.name[index_of(kernel)]);
            time += view.visible(kernel).length().count();
        }
        Whole& whole = sequences[{trace.name[index_of(root.event)], std::move(names)}];
        ++whole.count;
        whole.kernel_time += time;
        whole.operator_time += view.visible(root.event).length().count();
    }
    for (const auto& [key, whole] : sequences) {
        const std::string text = joined(trace, key.second);
        table.add_row({trace.text(key.first),
                       digest(text),
                       whole.count,
                       clamped(whole.kernel_time),
                       clamped(whole.operator_time),
                       static_cast<std::int64_t>(key.second.size()),
                       shorten_utf8(text, kMostText),
                       {},
                       {}});
    }
}

// Runs of consecutive compute kernels per stream; any other event on it ends a sequence.
std::vector<Sequence> split_by_stream(const RankView& view, const std::vector<EventId>& kernels) {
    const RankTrace& trace = view.trace();
    std::map<std::uint32_t, std::vector<Sequence>> of_track;
    for (const EventId kernel : kernels) {
        std::vector<Sequence>& sequences = of_track[trace.lanes[trace.find_lane(kernel)].track];
        const bool is_compute = view.class_of(kernel) == KernelClass::Compute;
        if (sequences.empty() || !is_compute) sequences.emplace_back();
        if (is_compute) {
            sequences.back().push_back(
                {static_cast<std::uint32_t>(trace.name[index_of(kernel)]), view.visible(kernel).length().count()});
        }
    }
    std::vector<Sequence> all;
    for (auto& [track, sequences] : of_track) std::ranges::move(sequences, std::back_inserter(all));
    return all;
}

void add_parts(const RankView& view, std::string_view name, std::span<const Sequence> sequences, std::uint32_t longest,
               Table& table) {
    for (const FrequentPart& part : collect_frequent_parts(sequences, longest)) {
        std::vector<NameId> names;
        for (std::uint32_t i = part.first; i < part.first + part.length; ++i)
            names.push_back(NameId{sequences[part.sequence][i].name});
        const std::span<const NameId> all = names;
        const std::string text = joined(view.trace(), all);
        table.add_row({name,
                       digest(text),
                       part.count,
                       clamped(part.time),
                       {},
                       static_cast<std::int64_t>(part.length),
                       shorten_utf8(text, kMostText),
                       digest(joined(view.trace(), all.first(all.size() - 1))),
                       digest(joined(view.trace(), all.last(all.size() - 1)))});
    }
}

void add_frequent_parts(const RankView& view, const std::vector<Root>& roots, std::uint32_t longest, Table& table) {
    std::map<std::string_view, std::vector<Sequence>> by_name;
    for (const Root& root : roots) {
        const std::string_view name = root.event == kNoEvent ? kAll : view.trace().name_text(root.event);
        std::ranges::move(split_by_stream(view, root.kernels), std::back_inserter(by_name[name]));
    }
    for (const auto& [name, sequences] : by_name) add_parts(view, name, sequences, longest, table);
}

// A row of the answer; its texts belong to a partial.
struct Merged {
    std::int64_t count = 0;
    Wide kernel_time = 0;
    std::optional<Wide> operator_time;
    std::int64_t length = 0;
    std::string_view kernels, prefix, suffix;
    bool is_covered = false;  // a longer part occurs as often
};
using Key = std::pair<std::string_view, std::string_view>;  // operator, sequence

void add_row(std::map<Key, Merged>& merged, const Table& table, std::size_t row) {
    Merged& one = merged[{table.text(row, kOperator), table.text(row, kSequence)}];
    one.count += table.integer(row, kCount);
    one.kernel_time += table.integer(row, kKernelTime);
    if (!table.absent(row, kOperatorTime))
        one.operator_time = one.operator_time.value_or(0) + table.integer(row, kOperatorTime);
    one.length = table.integer(row, kLength);
    one.kernels = table.text(row, kKernels);
    one.prefix = table.text(row, kPrefix);
    one.suffix = table.text(row, kSuffix);
}

void mark_covered(std::map<Key, Merged>& merged) {
    for (const auto& [key, longer] : merged) {
        for (const std::string_view part : {longer.prefix, longer.suffix}) {
            const auto at = merged.find({key.first, part});
            if (!part.empty() && at != merged.end() && at->second.count == longer.count) at->second.is_covered = true;
        }
    }
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"operator", Unit::Text, Role::Key, Facet::Operator,
         "name of the operator or annotation; (all): parts of whatever runs on a stream"},
        {"sequence", Unit::Text, Role::Key, Facet::None, "digest of the kernels' names, the same in every run"},
        {"count", Unit::Count, Role::Measure, Facet::None, "calls that launch it; of parts: how often it occurs", true},
        {"kernel_time", Unit::Ns, Role::Measure, Facet::None, "summed duration of those kernels", true},
        {"operator_time", Unit::Ns, Role::Measure, Facet::None, "summed duration of those calls; absent for parts",
         true},
        {"length", Unit::Count, Role::Info, Facet::None, "kernels in it"},
        {"kernels", Unit::Text, Role::Info, Facet::None, "their names in order, joined by |; long texts are cut"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const Result<RankView> kernels = relax(view, chooses_operators, context);
    if (!kernels) return kernels.error();
    const Result<RankView> chosen = relax(view, chooses_gpu_events, context);
    if (!chosen) return chosen.error();
    Partial partial{{{"main", Table(rank_columns())}}, {}, {}, kernels->collect_excluded()};
    Table& table = partial.tables.front().table;
    const bool of_parts = params[kOf] == kParts;
    const bool by_name = has_name(*view.filter);
    std::vector<Root> roots;
    if (of_parts && !by_name)
        roots.push_back({kNoEvent, kernels->gpu_events()});
    else
        roots = collect_roots(*chosen, *kernels, by_name);
    std::erase_if(roots, [&](const Root& root) { return std::ssize(root.kernels) < params[kLeast]; });
    if (context.cancelled()) return cancelled_error();
    if (of_parts)
        add_frequent_parts(*kernels, roots, static_cast<std::uint32_t>(params[kLongest]), table);
    else
        add_whole_sequences(*kernels, roots, table);
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run&, const Params& params,
                     const JobContext& context) {
    std::map<Key, Merged> merged;
    for (const Partial* partial : partials) {
        if (context.cancelled()) return cancelled_error();
        for (std::size_t row = 0; row < partial->main().rows(); ++row) add_row(merged, partial->main(), row);
    }
    mark_covered(merged);
    std::vector<std::pair<Key, Merged>> rows;
    std::ranges::copy_if(merged, std::back_inserter(rows), [](const auto& row) { return !row.second.is_covered; });
    // Parts are sorted by launches saved if each were one kernel.
    const bool of_parts = params[kOf] == kParts;
    std::ranges::stable_sort(rows, {}, [&](const std::pair<Key, Merged>& row) {
        const Merged& one = row.second;
        return std::tuple(-one.count * (of_parts ? one.length - 1 : 1), -one.kernel_time);
    });
    Answer answer{.tables = {{"main", Table(columns())}}, .series = {}, .marks = {}, .excluded = {}};
    for (const auto& [key, one] : rows) {
        answer.tables.front().table.add_row({key.first, key.second, one.count, clamped(one.kernel_time),
                                             one.operator_time ? Cell{clamped(*one.operator_time)} : Cell{}, one.length,
                                             one.kernels});
    }
    return answer;
}

constexpr std::string_view kSequenceKinds[] = {"whole", "parts"};
constexpr Param kSequenceParams[] = {
    {"of", "whole: all that a call launches; parts: what occurs in it again and again (fusion candidates)", Unit::Count,
     0, 0, 1, kSequenceKinds},
    {"least", "calls that launch fewer kernels are left out", Unit::Count, 1, 1, 1'000'000},
    {"longest", "of=parts: most kernels in a part", Unit::Count, 5, 2, 32},
};
constexpr std::string_view kCount[] = {"count"};

}  // namespace core::kernel_sequences

namespace core {

constinit const Analysis kKernelSequences{
    .id = "kernel-sequences",
    .title = "Kernel sequences",
    .summary = "Which sequences of kernels operators launch again and again: candidates for fusion.",
    .definition = R"(
Terms on name and duration choose operators, terms on stream, class and group the GPU events below them, terms on
step both. With a term on name, annotations and step marks are chosen as well. Of chosen ones inside one another the
outermost counts.

of=whole: one row per operator and sequence: the names of all GPU events launched below a call, at any depth and on
all streams, in the order of their starts. count = calls with exactly that sequence, kernel_time and operator_time =
summed durations of those GPU events and calls. Calls with fewer than least kernels are left out. Most frequent
first.

of=parts: compute kernels that follow one another on one stream below a call (without a term on name: on the stream,
whoever launched them), 2 to longest of them, that occur at least twice on a rank. Occurrences of one part do not
overlap, those of different parts may: kernel_time does not add up. A part is left out when a longer one that begins
or ends with it occurs as often. Sorted by count * (length - 1), the launches saved if each occurrence were one
kernel.

sequence is a digest of the names, as names together reach 500 kB; the text is cut at 2000 bytes. A time range cuts
calls and GPU events to their visible parts. HTA takes the matches at the least depth of the whole trace instead of
the outermost of each call, hangs the backward thread below step marks of the main thread (here it is its own tree:
name:autograd::engine), and has no parts.
)",
    .params = kernel_sequences::kSequenceParams,
    .chart = {.kind = ChartKind::Bars,
              .category = "sequence",
              .measures = kernel_sequences::kCount,
              .label = "operator"},
    .comparable = true,
    .rank = kernel_sequences::rank,
    .merge = kernel_sequences::merge,
    .columns = kernel_sequences::columns,
    .lead = "kernel_time",
    .of_cpu = true,
    .made_of = "operators that launch GPU work",
};

}  // namespace core
