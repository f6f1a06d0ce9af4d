#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/operators/operator_analyses.hpp"
#include "core/analysis/operators/operator_records.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace core::operators {
namespace {

constexpr std::size_t kBy = 0, kFlop = 1;  // parameters
constexpr std::int64_t kByInputs = 1, kWithFlop = 1;
constexpr std::string_view kWorkOfCalls = "work of calls";

enum ColumnAt : std::size_t {
    kOperator,
    kInputs,
    kCalls,
    kTotal,
    kSelf,
    kKernels,
    kKernelTime,
    kSelfKernelTime,
    kKernelSpan,
    kUtilization
};

// Sums over calls that own FLOP and launched GPU work.
struct CallWork {
    Wide flop = 0, bytes = 0, time = 0;
    bool all_bytes = true;

    CallWork& operator+=(const CallWork& other) {
        flop += other.flop;
        bytes += other.bytes;
        time += other.time;
        all_bytes = all_bytes && other.all_bytes;
        return *this;
    }
};

// Totals of a group of calls. Sums without contributions are absent.
struct Sums {
    std::int64_t kernels = 0;
    Wide kernel_time = 0;
    Wide self_kernel_time = 0;
    std::int64_t calls = 0;
    std::optional<Wide> total, self, span;
    std::optional<CallWork> work{};

    Sums& operator+=(const Sums& other) {
        kernels += other.kernels;
        kernel_time += other.kernel_time;
        self_kernel_time += other.self_kernel_time;
        calls += other.calls;
        add(total, other.total);
        add(self, other.self);
        add(span, other.span);
        if (other.work) work = work ? * work += *other.work : *other.work;
        return *this;
    }
    bool empty() const { return calls == 0 && kernels == 0; }

private:
    static void add(std::optional<Wide>& sum, const std::optional<Wide>& more) {
        if (more) sum = sum.value_or(0) + *more;
    }
};

Cell cell_of(const std::optional<Wide>& sum) { return sum ? Cell{clamped(*sum)} : Cell{}; }

// Per second.
Cell rate_cell(Wide amount, Wide ns) {
    return ns > 0 ? Cell{static_cast<double>(amount) * 1e9 / static_cast<double>(ns)} : Cell{};
}

void add_row(Table& table, std::string_view name, std::string_view inputs, const Sums& sums) {
    table.add_row({name, inputs, sums.calls > 0 ? Cell{sums.calls} : Cell{}, cell_of(sums.total), cell_of(sums.self),
                   sums.kernels, clamped(sums.kernel_time), clamped(sums.self_kernel_time), cell_of(sums.span),
                   sums.span ? ratio_cell(sums.kernel_time, *sums.span) : Cell{},
                   sums.work ? Cell{clamped(sums.work->flop)} : Cell{},
                   sums.work ? rate_cell(sums.work->flop, sums.work->time) : Cell{},
                   sums.work && sums.work->all_bytes ? rate_cell(sums.work->bytes, sums.work->time) : Cell{}});
}

Sums sums_of(const Table& table, std::size_t row) {
    const auto sum = [&](std::size_t column) {
        return table.absent(row, column) ? std::nullopt : std::optional<Wide>(table.integer(row, column));
    };
    return {.kernels = table.integer(row, kKernels),
            .kernel_time = table.integer(row, kKernelTime),
            .self_kernel_time = table.integer(row, kSelfKernelTime),
            .calls = table.integer(row, kCalls),
            .total = sum(kTotal),
            .self = sum(kSelf),
            .span = sum(kKernelSpan),
            .work = {}};
}

Sums sums_of(const RankView& view, const OperatorCall& call) {
    Sums sums;
    if (call.is_captured) {
        sums.calls = call.replays;
    } else if (view.passes(call.event)) {
        sums.calls = 1;
        sums.total = view.visible(call.event).length().count();
        sums.self = call.self.count();
    }
    sums.kernels = call.below.kernels;
    sums.kernel_time = call.below.time;
    sums.self_kernel_time = call.self_kernel_time;
    if (sums.kernels > 0) sums.span = call.span();
    return sums;
}

std::string inputs_text(const RankTrace& trace, NameId dims, NameId types) {
    if (dims == kNoName) return types == kNoName ? std::string() : std::string(trace.text(types));
    std::string text(trace.text(dims));
    if (types != kNoName) text += ' ' + std::string(trace.text(types));
    return text;
}

NameId text_of(const SparseColumn<NameId>& column, EventId e) {
    const NameId* const text = column.find(e);
    return text ? *text : kNoName;
}

// Name, input shapes, input types; the latter two are kNoName when grouping by name alone.
using Key = std::tuple<NameId, NameId, NameId>;

std::map<Key, Sums> group_calls(const RankView& view, const std::vector<OperatorCall>& calls, bool by_inputs) {
    const RankTrace& trace = call_trace_of(view);
    const SparseColumn<NameId> dims = trace.texts(Arg::InputDims);
    const SparseColumn<NameId> types = trace.texts(Arg::InputTypes);
    std::map<Key, Sums> groups;
    for (const OperatorCall& call : calls) {
        const Sums sums = sums_of(view, call);
        if (sums.empty()) continue;
        const NameId name = trace.name[index_of(call.event)];
        const Key key =
            by_inputs ? Key{name, text_of(dims, call.event), text_of(types, call.event)} : Key{name, kNoName, kNoName};
        groups[key] += sums;
    }
    return groups;
}

// A table of the work of the chosen calls that own FLOP. Fails when cancelled.
Result<Table> collect_work(const RankView& view, bool by_inputs, const JobContext& context) {
    const Result<ChosenCalls> chosen = choose_calls(view, context);
    if (!chosen) return chosen.error();
    std::map<Key, CallWork> groups;
    for (const ChosenCall& one : chosen->calls) {
        if (!one.executed) continue;
        const WorkCall& call = chosen->work->calls[one.call];
        const WorkShape& shape = chosen->work->shapes[call.shape];
        const Key key = by_inputs ? Key{shape.name, shape.sizes, shape.types} : Key{shape.name, kNoName, kNoName};
        groups[key] += {.flop = shape.work.flop,
                        .bytes = shape.work.bytes.value_or(0),
                        .time = call.gpu_time.count(),
                        .all_bytes = shape.work.bytes.has_value()};
    }
    Table table = make_record_table<WorkOfCalls>();
    const RankTrace& trace = chosen->work->trace();
    for (const auto& [key, work] : groups) {
        const std::string inputs = inputs_text(trace, std::get<1>(key), std::get<2>(key));
        add_record(table, WorkOfCalls{.name = trace.text(std::get<0>(key)),
                                      .inputs = inputs,
                                      .flop = clamped(work.flop),
                                      .bytes = clamped(work.bytes),
                                      .time = clamped(work.time),
                                      .all_bytes = work.all_bytes});
    }
    return table;
}

// By own GPU time, then CPU time, largest first; rows without an operator last.
void sort_by_weight(Table& table) {
    std::vector<std::size_t> order(table.rows());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto weight = [&](std::size_t row) {
        const bool is_operator = table.text(row, kOperator) != kUnattributed;
        return std::tuple(is_operator, table.integer(row, kSelfKernelTime), table.integer(row, kTotal));
    };
    std::ranges::stable_sort(order, std::ranges::greater{}, weight);
    table.sort_rows(order);
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"operator", Unit::Text, Role::Key, Facet::Operator, "its name; (unattributed): GPU events below none"},
        {"inputs", Unit::Text, Role::Key, Facet::None, "with by=inputs the shapes and types of its inputs"},
        {"calls", Unit::Count, Role::Measure, Facet::None, "how often it ran; absent if none of its calls passes",
         true},
        {"total", Unit::Ns, Role::Measure, Facet::None, "sum of the calls' durations on the CPU", true},
        {"self", Unit::Ns, Role::Measure, Facet::None, "of that, the part in no other event inside the call", true},
        {"kernels", Unit::Count, Role::Measure, Facet::None, "GPU events launched below its calls, at any depth", true},
        {"kernel_time", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true},
        {"self_kernel_time", Unit::Ns, Role::Measure, Facet::None,
         "of that, what no operator inside the call launched; adds up to the GPU time of the run", true},
        {"kernel_span", Unit::Ns, Role::Measure, Facet::None,
         "first start to last end of a call's GPU events, summed over the calls; absent without any", true},
        {"gpu_utilization",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "kernel_time / kernel_span; above 1 where GPU events run at once",
         false,
         {},
         Better::More},
        {"flop", Unit::Flop, Role::Measure, Facet::None,
         "with flop=yes: of its calls that own FLOP (op-efficiency), so that rows add up; absent where none does",
         true},
        {"flop_rate", Unit::FlopPerSecond, Role::Measure, Facet::None, "flop / GPU time of these calls"},
        {"bandwidth", Unit::BytesPerSecond, Role::Measure, Facet::None,
         "bytes of these calls / their GPU time; absent where a type is unknown"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const Result<OperatorCalls> found = collect_operator_calls(view, context);
    if (!found) return found.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    for (const auto& [key, sums] : group_calls(view, found->calls, params[kBy] == kByInputs)) {
        const auto& [name, dims, types] = key;
        add_row(table, call_trace_of(view).text(name), inputs_text(call_trace_of(view), dims, types), sums);
    }
    if (const GpuWork& work = found->unattributed; work.kernels > 0)
        add_row(table, kUnattributed, "",
                {.kernels = work.kernels,
                 .kernel_time = work.time,
                 .self_kernel_time = work.time,
                 .calls = 0,
                 .total = {},
                 .self = {},
                 .span = {},
                 .work = {}});
    if (params[kFlop] != kWithFlop) return partial;
    Result<Table> work = collect_work(view, params[kBy] == kByInputs, context);
    if (!work) return std::move(work).error();
    partial.tables.push_back({std::string(kWorkOfCalls), *std::move(work)});
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run&, const Params&, const JobContext& context) {
    std::map<std::pair<std::string_view, std::string_view>, Sums> operators;
    for (const Partial* partial : partials) {
        if (context.cancelled()) return cancelled_error();
        const Table& table = partial->main();
        for (std::size_t row = 0; row < table.rows(); ++row)
            operators[{table.text(row, kOperator), table.text(row, kInputs)}] += sums_of(table, row);
        const Table* const work = partial->find(kWorkOfCalls);
        for (std::size_t row = 0; work && row < work->rows(); ++row) {
            const auto read = read_record<WorkOfCalls>(*work, row);
            const auto known = operators.find({read.name, read.inputs});
            if (known == operators.end()) continue;
            const CallWork more{.flop = read.flop, .bytes = read.bytes, .time = read.time, .all_bytes = read.all_bytes};
            known->second.work = known->second.work ? * known->second.work += more : more;
        }
    }
    Answer answer{.tables = {{"main", Table(columns())}}, .series = {}, .marks = {}, .excluded = {}};
    for (const auto& [key, sums] : operators) add_row(answer.tables.front().table, key.first, key.second, sums);
    sort_by_weight(answer.tables.front().table);
    return answer;
}

constexpr std::string_view kNoOrYes[] = {"no", "yes"};
constexpr std::string_view kOperatorGroups[] = {"name", "inputs"};
constexpr Param kOperatorParams[] = {
    {"by", "name: all calls of an operator; inputs: apart by the shapes and types of its inputs", Unit::Count, 0, 0, 1,
     kOperatorGroups},
    {"flop", "yes: FLOP, their rate and the bandwidth, of the calls that own FLOP", Unit::Count, 0, 0, 1, kNoOrYes},
};
constexpr std::string_view kSelfTimes[] = {"self_kernel_time", "self"};

}  // namespace core::operators

namespace core {

constinit const Analysis kOperators{
    .id = "operators",
    .title = "Operators",
    .summary = "CPU time of every operator, and the GPU time of what it launched.",
    .definition = R"(
One row per operator (CPU events of category cpu_op, without step marks), over all ranks; with by=inputs one per
operator and the shapes and types of its inputs, where the trace has them.

calls, total and self are of the calls that pass the filter. total is the sum of their durations; self leaves out
what any event directly inside the call takes, a runtime call too; in the call tree of a thread a child that
outlives its parent is cut at the parent's end.

kernels, kernel_time and kernel_span are of the GPU events that pass the filter and whose launch call lies below a
call of the operator, at any depth: an operator inside another counts for both, and of nested calls of one name
every one counts. kernel_span = last end - first start per call, summed over calls; gpu_utilization = kernel_time /
kernel_span. self_kernel_time belongs to the innermost operator alone. With the row (unattributed), GPU events whose
launch is unknown or lies in no operator, it adds up to the total of `kernels`.

A time range cuts calls and GPU events to their visible parts. A filter that no CPU event can pass (stream, class,
group) leaves calls, total and self absent. flop, flop_rate and bandwidth are absent without flop=yes; they are of
the calls that op-efficiency counts. HTA has no such table; the sums per call agree with its call graph, which
ignores GPU events on stream 0.
)",
    .params = operators::kOperatorParams,
    .chart = {.kind = ChartKind::Bars, .category = "operator", .measures = operators::kSelfTimes},
    .comparable = true,
    .rank = operators::rank,
    .merge = operators::merge,
    .columns = operators::columns,
    .lead = "kernel_time",
    .of_cpu = true,
    .made_of = "operators",
};

}  // namespace core
