#include "core/analysis/telemetry/rank_samples.hpp"
#include "core/sql/row_scan.hpp"

#include <algorithm>

namespace core {
namespace {

// Samples of clocks, power, heat and errors, rank after rank, metric after metric.
class SampleRows {
public:
    explicit SampleRows(SqlContext& context) : context_(&context), telemetry_(telemetry_of(*context.run)) {
        for (std::uint32_t slot = 0; slot < telemetry_->ranks.size(); ++slot)
            for (std::size_t metric = 0; metric < kMetrics; ++metric) {
                const MetricSamples& samples = telemetry_->ranks[slot].metrics[metric];
                if (samples.empty()) continue;
                parts_.push_back({.slot = slot, .metric = metric, .first = rows_});
                rows_ += samples.time.size();
            }
    }
    std::size_t rows() const { return rows_; }
    Cell cell(std::size_t row, std::size_t column) const {
        const auto after = std::ranges::upper_bound(parts_, row, {}, &Part::first);
        const Part& part = *std::prev(after);
        const RankSlot& rank = context_->run->rank(part.slot);
        const MetricSamples& samples = telemetry_->ranks[part.slot].metrics[part.metric];
        const std::size_t at = row - part.first;
        switch (column) {
            case 0:
                return std::int64_t{rank.key.number};
            case 1:
                return std::string_view(context_->capture_of(rank.key));
            case 2:
                return rank.trace().info.host.empty() ? Cell{} : Cell{std::string_view(rank.trace().info.host)};
            case 3: {
                const std::int64_t gpu = main_gpu_of(rank.trace());
                return gpu < 0 ? Cell{} : Cell{gpu};
            }
            case 4:
                return (rank.to_run(samples.time[at]) - context_->run->origin()).count();
            case 5:
                return name_of(static_cast<Metric>(part.metric));
            case 6:
                return samples.value[at];
            default:
                return std::string_view(samples.source);
        }
    }

private:
    struct Part {
        std::uint32_t slot = 0;
        std::size_t metric = 0;
        std::size_t first = 0;  // row
    };
    SqlContext* context_;
    std::shared_ptr<const Telemetry> telemetry_;
    std::vector<Part> parts_;
    std::size_t rows_ = 0;
};

}  // namespace

std::vector<SqlTable> sample_tables() {
    SqlTable table;
    table.name = "samples";
    table.summary = "Samples of clocks, power, temperature and errors, from logs of GPUs and counters of the traces.";
    table.columns = {{"rank", Unit::Rank, "the rank", SqlPush::Range},
                     {"capture", Unit::Text, "a; b, c, … of further files that claim the rank"},
                     {"host", Unit::Text, "the machine"},
                     {"gpu", Unit::Count, "the GPU's number in its process"},
                     {"ts", Unit::Ns, "from the run's earliest event; below 0 before it", SqlPush::Range},
                     {"metric", Unit::Text, "sm_clock_mhz, power_w, temperature_c, clock_reasons, …", SqlPush::Text},
                     {"value", Unit::Number, "in the unit of the metric's name"},
                     {"source", Unit::Text, "trace, or the kind of log"}};
    table.open = [](SqlContext& context, SqlBounds bounds) {
        return scan_rows(context, std::move(bounds), SampleRows(context));
    };
    table.rows = [](const Run& run) { return 1000.0 * static_cast<double>(run.ranks().size()); };
    return {table};
}

}  // namespace core
