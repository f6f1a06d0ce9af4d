#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/efficiency/efficiency_analyses.hpp"
#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/efficiency/kernel_names.hpp"
#include "core/analysis/efficiency/module_paths.hpp"
#include "core/analysis/efficiency/moved_bytes.hpp"
#include "core/analysis/efficiency/roof.hpp"
#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/engine/record_table.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace core::op_efficiency {
namespace {

constexpr std::size_t kBy = 0, kMinTime = 1, kLaunchBound = 2, kOf = 3;  // parameters
enum By : std::int64_t { kByInputs, kByOperator, kByModule, kByKernel };
constexpr std::int64_t kOfAll = 1;
constexpr std::uint32_t kNoPart = 0xFFFFFFFFu;

struct Sums {
    std::int64_t calls = 0, executed = 0, estimated = 0;
    Wide flop = 0, model_flop = 0, recomputed_flop = 0, unseen_flop = 0, bytes = 0, time = 0;
    bool all_bytes = true;  // of every call that ran
    bool fast_algorithm = false;
    bool only_moves = false;  // no matrix work: FLOP are none
    bool has_main = false;  // by kernel: one of them has the FLOP of its call
    bool is_lower_bound = false;  // bytes
    EventId first = kNoEvent;  // GPU event: its device has the peaks
};

// Operator, sizes, types, precision, and what divides them further: a module, or the name of a kernel.
using Key = std::tuple<NameId, NameId, NameId, Precision, std::uint32_t>;

std::string inputs_of(const RankTrace& trace, NameId sizes, NameId types) {
    std::string text;
    if (sizes != kNoName) text = trace.text(sizes);
    if (types != kNoName) text += (text.empty() ? "" : " ") + std::string(trace.text(types));
    return text;
}

Roof roof_of(const Sums& sums, Precision precision, const Peaks& peaks, std::int64_t launch_bound) {
    return measure_against_roof({.flop = sums.flop,
                                 .bytes = sums.bytes,
                                 .time = sums.time,
                                 .calls = sums.executed,
                                 .has_flop = !sums.only_moves,
                                 .has_bytes = sums.all_bytes},
                                precision, peaks, launch_bound);
}

std::string marks_of(const Sums& sums, const Roof& roof, const Peaks& peaks) {
    std::string marks;
    const auto add = [&](std::string_view mark) { marks += (marks.empty() ? "" : ", ") + std::string(mark); };
    if (sums.estimated > 0) add("estimated");
    if (sums.fast_algorithm && roof.roof_share.value_or(0) > 1) add("algorithm");
    if (sums.unseen_flop > 0) add("unseen_flop");
    if (sums.is_lower_bound) add("lower bound");
    if (sums.only_moves && roof.roof_share.value_or(0) > 1) add("cached");
    if (peaks.is_guessed) add("guessed device");
    return marks;
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"operator", Unit::Text, Role::Key, Facet::Operator,
         "the operator that owns the FLOP; with of=all also the innermost one that only moves data"},
        {"inputs", Unit::Text, Role::Key, Facet::None, "with by=inputs the shapes and types of its inputs"},
        {"precision", Unit::Text, Role::Key, Facet::None,
         "type of its first matrix; tf32 where its kernels' names say so"},
        {"part", Unit::Text, Role::Key, Facet::None,
         "with by=module the path of the module around it, with by=kernel its kernel; else empty"},
        {"calls", Unit::Count, Role::Measure, Facet::None, "how often it ran", true},
        {"executed", Unit::Count, Role::Measure, Facet::None, "calls that launched GPU work; the rest counts for it",
         true},
        {"flop", Unit::Flop, Role::Measure, Facet::None, "floating-point operations of the executed calls", true},
        {"model_flop", Unit::Flop, Role::Measure, Facet::None,
         "of these, what the model needs: without recomputed calls and attention's second scores", true},
        {"recomputed_flop", Unit::Flop, Role::Measure, Facet::None,
         "of forward operators that the backward pass ran again", true},
        {"bytes", Unit::Bytes, Role::Measure, Facet::None,
         "read and written, each tensor once; absent where a type is unknown", true},
        {"time", Unit::Ns, Role::Measure, Facet::None, "sum of the durations of all GPU events below the calls", true},
        {"flop_rate", Unit::FlopPerSecond, Role::Measure, Facet::None, "flop / time"},
        {"bandwidth", Unit::BytesPerSecond, Role::Measure, Facet::None, "bytes / time"},
        {"intensity", Unit::FlopPerByte, Role::Measure, Facet::None, "flop / bytes"},
        {"compute_share",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "flop_rate / the device's peak of this precision",
         false,
         {},
         Better::More},
        {"floor",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "the least time at the device's peaks: flop / peak or bytes / bandwidth, the longer",
         true,
         {},
         Better::Neither},
        {"roof_share", Unit::Ratio, Role::Measure, Facet::None, "floor / time", false, {}, Better::More},
        {"loss", Unit::Ns, Role::Measure, Facet::None, "time - floor, at least 0", true},
        {"unseen_flop", Unit::Flop, Role::Measure, Facet::None,
         "of calls without GPU work in the trace: on the CPU, captured into a graph, or lost", true},
        {"bound", Unit::Text, Role::Info, Facet::None, "compute, memory, or launch where a call is too short"},
        {"marks", Unit::Text, Role::Info, Facet::None,
         "estimated; algorithm: does less than the formula; unseen_flop; lower bound: of the bytes; cached: not all of "
         "them "
         "went to memory; guessed device"},
        {"device", Unit::Text, Role::Info, Facet::None, "whose peaks these are; absent where none are known"}};
}

namespace {

using Groups = std::map<Key, Sums>;

void add_call(const RankWork& work, const ChosenCall& one, Sums& sums) {
    const WorkCall& call = work.calls[one.call];
    const WorkShape& shape = work.shapes[call.shape];
    ++sums.calls;
    if (!one.executed) {
        sums.unseen_flop += shape.work.flop;
        return;
    }
    if (sums.executed++ == 0) sums.first = call.first;
    sums.flop += shape.work.flop;
    sums.model_flop += work.model_flop_of(call);
    if (call.is_recomputed) sums.recomputed_flop += shape.work.flop;
    sums.all_bytes = sums.all_bytes && shape.work.bytes.has_value();
    sums.bytes += shape.work.bytes.value_or(0);
    sums.time += call.gpu_time.count();
    if (shape.work.estimated) ++sums.estimated;
    sums.fast_algorithm = sums.fast_algorithm || shape.work.has_fast_algorithm;
}

// How calls are told apart.
struct Grouping {
    std::int64_t by = kByInputs;
    std::shared_ptr<const ModulePaths> paths{};  // with kByModule

    bool by_inputs() const { return by == kByInputs || by == kByKernel; }
    Key key_of(NameId name, NameId sizes, NameId types, Precision precision, EventId call) const {
        const std::uint32_t module = paths ? paths->of_event[index_of(call)] : kNoPart;
        return by_inputs() ? Key{name, sizes, types, precision, module}
                           : Key{name, kNoName, kNoName, precision, module};
    }
};
static_assert(kNoModule == kNoPart);

Groups sum_calls(const ChosenCalls& chosen, const Grouping& grouping) {
    const RankWork& work = *chosen.work;
    Groups groups;
    for (const ChosenCall& one : chosen.calls) {
        const WorkCall& call = work.calls[one.call];
        const WorkShape& shape = work.shapes[call.shape];
        add_call(work, one,
                 groups[grouping.key_of(shape.name, shape.sizes, shape.types, work.precision_of(call), call.event)]);
    }
    return groups;
}

// The kernel of each call that has its FLOP: the longest whose name is that of a matrix kernel, else the longest.
std::vector<EventId> find_main_kernels(const RankTrace& trace, const RankWork& work) {
    std::vector<bool> is_matrix(trace.names.size());
    for (std::uint32_t n = 0; n < is_matrix.size(); ++n) is_matrix[n] = is_matrix_kernel(trace.text(NameId{n}));
    std::vector<EventId> main(work.calls.size(), kNoEvent);
    const auto rank_of = [&](EventId e) {
        return std::pair<bool, std::int64_t>(is_matrix[index_of(trace.name[index_of(e)])],
                                             trace.duration[index_of(e)].count());
    };
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        const std::uint32_t owner = work.owners[i];
        if (owner == RankWork::kNoCall) continue;
        const EventId e = trace.gpu_events[i];
        if (main[owner] == kNoEvent || rank_of(e) > rank_of(main[owner])) main[owner] = e;
    }
    return main;
}

// Each GPU event of the chosen calls by its name; FLOP and bytes of a call are those of one of them.
Groups sum_kernels(const RankTrace& trace, const ChosenCalls& chosen) {
    const RankWork& work = *chosen.work;
    const std::vector<EventId> main = find_main_kernels(trace, work);
    std::vector<const ChosenCall*> chosen_of(work.calls.size(), nullptr);
    Groups groups;
    const auto group_of = [&](const WorkCall& call, std::uint32_t kernel) -> Sums& {
        const WorkShape& shape = work.shapes[call.shape];
        return groups[{shape.name, shape.sizes, shape.types, work.precision_of(call), kernel}];
    };
    for (const ChosenCall& one : chosen.calls) {
        chosen_of[one.call] = &one;
        if (!one.executed) add_call(work, one, group_of(work.calls[one.call], kNoPart));
    }
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        const std::uint32_t owner = work.owners[i];
        if (owner == RankWork::kNoCall || !chosen_of[owner]) continue;
        const EventId e = trace.gpu_events[i];
        const WorkCall& call = work.calls[owner];
        Sums& sums = group_of(call, static_cast<std::uint32_t>(index_of(trace.name[index_of(e)])));
        const Wide before = sums.time;
        if (e == main[owner]) {
            sums.has_main = true;
            add_call(work, *chosen_of[owner], sums);
        } else if (sums.executed++ == 0) {
            ++sums.calls;
            sums.first = e;
        } else {
            ++sums.calls;
        }
        sums.time = before + trace.duration[index_of(e)].count();
    }
    for (auto& [key, sums] : groups) {
        sums.only_moves = sums.executed > 0 && !sums.has_main;
        sums.all_bytes = sums.all_bytes && !sums.only_moves;
    }
    return groups;
}

// Calls that move data alone, of which the filter chooses a GPU event and the first one starts in its time range.
Result<bool> add_moves(const RankView& view, const JobContext& context, const Grouping& grouping, Groups& groups) {
    const RankMovesPtr moves = moves_of(*view.rank().index, context);
    if (!moves) return cancelled_error();
    const RankTrace& trace = view.trace();
    std::vector<bool> passes(moves->calls.size());
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const std::uint32_t owner = moves->owners[i];
        if (owner != RankMoves::kNoCall && view.selection->passes(trace.gpu_events[i])) passes[owner] = true;
    }
    for (std::size_t i = 0; i < moves->calls.size(); ++i) {
        const MovedCall& call = moves->calls[i];
        if (!passes[i] || (view.time && !view.time->contains(trace.start[index_of(call.first)]))) continue;
        const MovedShape& shape = moves->shapes[call.shape];
        Key key = grouping.key_of(shape.name, shape.sizes, shape.types, shape.precision, call.event);
        if (grouping.by == kByKernel && call.gpu_events == 1)
            std::get<4>(key) = static_cast<std::uint32_t>(index_of(trace.name[index_of(call.first)]));
        Sums& sums = groups[key];
        sums.only_moves = true;
        ++sums.calls;
        if (sums.executed++ == 0) sums.first = call.first;
        sums.all_bytes = sums.all_bytes && shape.moved.has_value();
        if (shape.moved) sums.bytes += shape.moved->bytes;
        sums.is_lower_bound = sums.is_lower_bound || (shape.moved && shape.moved->is_lower_bound);
        sums.time += call.gpu_time.count();
    }
    return true;
}

struct EfficiencyRow {
    const Key* key;
    const Sums* sums;
    Roof roof;
    Peaks peaks;
};

// Rows by loss, then time.
std::vector<EfficiencyRow> measure_groups(const RankView& view, const Groups& groups, const Params& params) {
    std::vector<EfficiencyRow> rows;
    for (const auto& [key, sums] : groups) {
        if (sums.time < params[kMinTime]) continue;
        Peaks peaks = peaks_of(*view.run, view.slot, sums.first);
        const Roof roof = roof_of(sums, std::get<3>(key), peaks, params[kLaunchBound]);
        rows.push_back({.key = &key, .sums = &sums, .roof = roof, .peaks = std::move(peaks)});
    }
    std::ranges::stable_sort(rows, [](const EfficiencyRow& a, const EfficiencyRow& b) {
        return std::tuple(a.roof.loss.value_or(-1), a.sums->time) > std::tuple(b.roof.loss.value_or(-1), b.sums->time);
    });
    return rows;
}

std::string part_of(const RankTrace& trace, const Grouping& grouping, std::uint32_t part) {
    if (grouping.by == kByModule) return part == kNoModule ? std::string(kUnattributed) : grouping.paths->text_of(part);
    if (grouping.by != kByKernel || part == kNoPart) return {};
    return std::string(trace.text(NameId{part}));
}

void add_row(const RankView& view, const RankTrace& trace, const EfficiencyRow& row, const Grouping& grouping,
             Table& table) {
    const auto& [name, sizes, types, precision, part] = *row.key;
    const Sums& sums = *row.sums;
    const bool ran = sums.executed > 0;
    const bool timed = ran && sums.time > 0;
    const bool bytes = ran && sums.all_bytes;
    const auto flop = static_cast<double>(sums.flop), moved = static_cast<double>(sums.bytes);
    const double seconds = static_cast<double>(sums.time) / 1e9;
    const bool has_flop = ran && !sums.only_moves;
    const auto counted = [&](Wide value) { return has_flop ? Cell{clamped(value)} : Cell{}; };
    const std::string inputs = inputs_of(trace, sizes, types);
    const std::string within = part_of(trace, grouping, part);
    const std::string marks = marks_of(sums, row.roof, row.peaks);
    table.add_row({view.key(),
                   trace.text(name),
                   inputs,
                   name_of(precision),
                   within,
                   sums.calls,
                   sums.executed,
                   counted(sums.flop),
                   counted(sums.model_flop),
                   counted(sums.recomputed_flop),
                   bytes ? Cell{clamped(sums.bytes)} : Cell{},
                   ran ? Cell{clamped(sums.time)} : Cell{},
                   timed && has_flop ? Cell{flop / seconds} : Cell{},
                   timed && bytes ? Cell{moved / seconds} : Cell{},
                   bytes && has_flop && sums.bytes > 0 ? Cell{flop / moved} : Cell{},
                   optional_cell(row.roof.compute_share),
                   row.roof.floor ? Cell{*row.roof.floor} : Cell{},
                   optional_cell(row.roof.roof_share),
                   row.roof.loss ? Cell{*row.roof.loss} : Cell{},
                   sums.only_moves ? Cell{} : Cell{clamped(sums.unseen_flop)},
                   row.roof.bound.empty() ? Cell{} : Cell{row.roof.bound},
                   std::string_view(marks),
                   row.peaks.empty() ? Cell{} : Cell{std::string_view(row.peaks.of)}});
}

}  // namespace

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const Result<ChosenCalls> chosen = choose_calls(view, context);
    if (!chosen) return chosen.error();
    Grouping grouping{.by = params[kBy]};
    if (grouping.by == kByModule) {
        grouping.paths = module_paths_of(*view.rank().index, ModuleSource::Auto, context);
        if (!grouping.paths) return cancelled_error();
    }
    Groups groups = grouping.by == kByKernel ? sum_kernels(view.trace(), *chosen) : sum_calls(*chosen, grouping);
    if (params[kOf] == kOfAll)
        if (const Result<bool> done = add_moves(view, context, grouping, groups); !done) return done.error();
    const std::vector<EfficiencyRow> rows = measure_groups(view, groups, params);
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    if (const std::string why = explain_no_peaks(*view.run, view.slot); !why.empty() && !rows.empty())
        partial.excluded.push_back({why, rows.size()});
    for (const EfficiencyRow& row : rows)
        add_row(view, chosen->work->trace(), row, grouping, partial.tables.front().table);
    return partial;
}

constexpr std::int64_t kLongestCutoff = 3'600'000'000'000;  // one hour
constexpr std::string_view kEfficiencyGroups[] = {"inputs", "operator", "module", "kernel"};
constexpr std::string_view kMatrixOrAll[] = {"matrix", "all"};
constexpr std::int64_t kLongestLaunch = 1'000'000'000;
constexpr Param kEfficiencyParams[] = {
    {"by",
     "inputs: apart by the shapes and types of the inputs; operator: all calls of an operator; module: those below one "
     "module; kernel: by inputs, and each kernel apart",
     Unit::Count, 0, 0, 3, kEfficiencyGroups},
    {"min_time", "rows with less GPU time are left out", Unit::Ns, 0, 0, kLongestCutoff},
    {"launch_bound", "rows whose calls take less on average are bound by launches", Unit::Ns, 5'000, 0, kLongestLaunch},
    {"of", "matrix: operators with FLOP; all: also those that only move data, by their bytes", Unit::Count, 0, 0, 1,
     kMatrixOrAll},
};
constexpr std::string_view kLoss[] = {"loss", "time"};

}  // namespace core::op_efficiency

namespace core {

constinit const Analysis kOpEfficiency{
    .id = "op-efficiency",
    .title = "Operator efficiency",
    .summary = "How near each matrix operator comes to what the device can do.",
    .definition = R"(
One row per rank, operator, inputs and precision. 1 multiply-add = 2 FLOP. FLOP and bytes follow from the arguments:
a product [M,K] x [K,N] has 2MNK; a convolution 2 x outputs x weights per output; attention 2 x batch x heads x
attended pairs x (depth of keys + depth of values), half the pairs with a causal mask; gradients of a convolution
one forward's FLOP each, of attention 5 products to the forward's 2. bytes: each tensor read or written once,
expanded dimensions once. What the arguments do not tell is in flop-coverage as uncounted; packed sequences of
unknown lengths count as equally long, the least there can be (estimated).

flop_rate = flop / time, bandwidth = bytes / time, intensity = flop / bytes: of sums, never means. compute_share =
flop_rate / peak; floor = the longer of flop / peak and bytes / peak bandwidth, rounded half up; roof_share = floor
/ time; loss = time - floor, at least 0. bound: compute or memory, whichever is longer; launch if time / executed is
below launch_bound. Peaks are dense, of the device's datasheet, or given by --peak; a device that is not known has
none. A call without GPU work in the trace (on the CPU, captured into a graph, records lost) counts in calls and
unseen_flop only.

with of=all operators that only move data have rows, too: the innermost around their kernels, without FLOP. Their
bytes are the least traffic: elementwise all tensors and the broadcast output in the widest type (comparisons one
byte); copies source and destination; fills the destination; cat, gather and index_select twice the output;
reductions input and output; softmax twice its input, its gradient three times; norms twice the input and the
parameters, their gradients three times and twice; embeddings the indices and twice the output, bags the indices and
the output only (lower bound); dropout twice and a byte of mask per element; optimizers on lists every tensor read,
and all but the gradients written. So bandwidth is a lower bound, and passes the peak only where caches serve
(cached). Lists whose element type is not written have no bytes.

by=module: apart by the path of the nn.Module, or annotation, around the call (modules). by=kernel: a row for each
kernel of the calls; FLOP and bytes of a call go to the longest of its kernels whose name is a matrix kernel's
(flop-coverage), else to the longest; the others have time alone.

recomputed: a forward operator that runs below the autograd engine while gradients are recorded (activation
checkpointing; also backward passes with create_graph=True). The filter chooses calls whole: those of which any GPU
event passes and the first starts in the time range.
)",
    .params = op_efficiency::kEfficiencyParams,
    .chart = {.kind = ChartKind::Bars, .category = "operator", .measures = op_efficiency::kLoss, .label = "inputs"},
    .comparable = true,
    .rank = op_efficiency::rank,
    .columns = op_efficiency::columns,
    .lead = "time",
    .made_of = "GPU work of operators whose FLOP are known",
};

}  // namespace core
