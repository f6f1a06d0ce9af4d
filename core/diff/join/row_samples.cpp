#include "core/diff/join/row_samples.hpp"

#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace core {
namespace {

constexpr std::size_t kMostSampleCells = 40'000'000;
constexpr std::size_t kEventsBetweenStops = 65536;
constexpr std::int64_t kMicrosecond = 1000;

// Columns of the table; its column count where it has none of the kind.
struct SampledKeys {
    std::size_t rank, kernel_class, launched_by, kernel, inputs, none;
    explicit SampledKeys(const Table& table)
        : rank(table.find_column("rank")),
          kernel_class(table.find_column("class")),
          launched_by(table.find_column("operator")),
          kernel(table.find_column("kernel")),
          inputs(table.find_column("inputs")),
          none(table.columns().size()) {}
};

using RowKey = std::tuple<std::int64_t, std::string_view, std::string_view, std::string_view>;

std::map<RowKey, std::size_t> index_rows(const Table& table, const SampledKeys& at) {
    const auto text = [&](std::size_t row, std::size_t column) {
        return column == at.none || table.absent(row, column) ? std::string_view{} : table.text(row, column);
    };
    std::map<RowKey, std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (!text(row, at.inputs).empty()) continue;  // apart by shapes: not sampled
        rows.try_emplace({at.rank == at.none ? -1 : table.integer(row, at.rank), text(row, at.kernel_class),
                          text(row, at.launched_by), text(row, at.kernel)},
                         row);
    }
    return rows;
}

// Adds the GPU events of one rank to the rows.
class RowAdder {
public:
    RowAdder(const RankView& view, const std::map<RowKey, std::size_t>& rows, const SampledKeys& at,
             const std::unordered_map<std::int64_t, std::size_t>& steps, RowSamples& samples)
        : view_(view), rows_(rows), at_(at), steps_(steps), samples_(samples), operators_(call_trace_of(view)) {}

    bool add_all(const JobContext& context) {
        const RankTrace& trace = view_.trace();
        std::size_t seen = 0;
        for (const EventId e : view_.gpu_events()) {
            if (seen++ % kEventsBetweenStops == 0 && context.cancelled()) return false;
            const Step* const step = trace.step_of(e);
            const auto column = step ? steps_.find(step->number) : steps_.end();
            if (column == steps_.end()) continue;
            if (const std::optional<std::size_t> row = find_row(e))
                add(*row, column->second, view_.visible(e).length());
        }
        return true;
    }

private:
    void add(std::size_t row, std::size_t step, Duration length) {
        std::vector<std::int64_t>& ns = samples_.ns[row];
        if (ns.empty()) ns.resize(steps_.size());
        std::int64_t& sum = ns[step];
        sum = clamped(Wide{sum} + length.count());
        ++samples_.calls[row];
    }
    // Memoised by what the table tells apart.
    std::optional<std::size_t> find_row(EventId e) {
        const RankTrace& trace = call_trace_of(view_);
        NameId above = kNoName;
        if (at_.launched_by != at_.none) {
            const EventId call = operators_.find(e);
            if (call != kNoEvent) above = trace.name[index_of(call)];
        }
        const NameId kernel = at_.kernel == at_.none ? kNoName : trace.name[index_of(e)];
        const KernelClass kernel_class = view_.class_of(e);
        const auto [it, is_new] = known_.try_emplace({kernel, above, static_cast<int>(kernel_class)});
        if (!is_new) return it->second;
        const std::string_view launched_by = at_.launched_by == at_.none ? std::string_view{}
                                             : above == kNoName          ? kUnattributed
                                                                         : trace.text(above);
        const auto row = rows_.find({at_.rank == at_.none ? -1 : view_.key(),
                                     at_.kernel_class == at_.none ? std::string_view{} : name_of(kernel_class),
                                     launched_by, kernel == kNoName ? std::string_view{} : trace.text(kernel)});
        if (row != rows_.end()) it->second = row->second;
        return it->second;
    }

    const RankView& view_;
    const std::map<RowKey, std::size_t>& rows_;
    const SampledKeys& at_;
    const std::unordered_map<std::int64_t, std::size_t>& steps_;
    RowSamples& samples_;
    OperatorsAbove operators_;
    std::map<std::tuple<NameId, NameId, int>, std::optional<std::size_t>> known_;
};

bool has_whole_microseconds(const RankTrace& trace) {
    return std::ranges::all_of(trace.gpu_events, [&](EventId e) {
        return ns_of(trace.start[index_of(e)]) % kMicrosecond == 0 &&
               trace.duration[index_of(e)].count() % kMicrosecond == 0;
    });
}

}  // namespace

std::string_view sampled_measure(const Analysis& analysis) {
    if (analysis.id == "kernels" || analysis.id == "kernels-by-operator") return "total";
    if (analysis.id == "operators") return "self_kernel_time";
    return {};
}

Result<RowSamples> collect_row_samples(const Analysis& analysis, const Table& table, const Run& run,
                                       const Filter& filter, const StepSample& sample, const JobContext& context) {
    RowSamples samples;
    if (sampled_measure(analysis).empty()) {
        samples.absent = "the rows of " + std::string(analysis.id) + " are not sampled per step";
        return samples;
    }
    if (sample.steps.empty()) {
        samples.absent = "there are no steps to sample";
        return samples;
    }
    if (table.rows() > kMostSampleCells / sample.steps.size()) {
        samples.absent = "too many rows and steps: narrow the filter";
        return samples;
    }
    const SampledKeys at(table);
    const std::map<RowKey, std::size_t> rows = index_rows(table, at);
    std::unordered_map<std::int64_t, std::size_t> steps;
    for (std::size_t i = 0; i < sample.steps.size(); ++i) steps.try_emplace(sample.steps[i].number, i);
    samples.ns.resize(table.rows());
    samples.calls.resize(table.rows());
    samples.ranks = at.rank == at.none ? sample.ranks : 1;
    bool is_coarse = true;
    for (const std::size_t slot : sample.slots) {
        const Result<RankView> view = build_rank_view(run, slot, filter, context);
        if (!view) return view.error();
        if (!RowAdder(*view, rows, at, steps, samples).add_all(context)) return cancelled_error();
        is_coarse = is_coarse && has_whole_microseconds(view->trace());
    }
    samples.grain_ns = is_coarse ? kMicrosecond : 1;
    return samples;
}

}  // namespace core
