#pragma once
// Training logs of Megatron-LM and programs that print its line: "iteration 100/ 5000 | … | elapsed time per iteration
// (ms): 812.3 | throughput per GPU (TFLOP/s/GPU): 412.0 | …". Other lines are skipped. A log has no events and no rank.

#include "core/ingest/megatron/step_lines.hpp"
#include "core/ingest/source/trace_reader.hpp"
#include "core/store/event_batch.hpp"
#include "core/store/logged_iterations.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace core {

inline constexpr std::size_t kMostLoggedLines = 1'000'000;  // of a file

// True if a whole line about iterations is in it.
bool begins_megatron_log(std::string_view head);

// Reads a line: absent if it is not about iterations, an error if it is and its number or time cannot be read.
Result<std::optional<LoggedIterations>> read_megatron_line(std::string_view line);

// The log within the lines of a file, which may be a job's whole output.
class MegatronLines {
public:
    enum class Writer : std::uint8_t { Megatron, Any };  // Any: recognises lines by their shape
    explicit MegatronLines(Writer writer = Writer::Megatron) : writer_(writer) {}
    // `whole`: the line has its end and is not cut; others are skipped, as a job that still runs may be writing them.
    void add(std::string_view line, std::uint64_t number, bool whole);
    const TrainingLog& log() const { return log_; }
    TrainingLog release_log() { return std::move(log_); }
    // Lines that are about iterations, and what of them was lost.
    EventBatch release_counts() { return std::move(counts_); }

private:
    void keep(const LoggedIterations& row, std::uint64_t number);

    Writer writer_;
    StepLines steps_;
    TrainingLog log_;
    EventBatch counts_;
};

Result<std::unique_ptr<TraceReader>> open_megatron_log(const std::filesystem::path&, LoadProgress&);
// The same for logs of other programs (step_lines.hpp).
Result<std::unique_ptr<TraceReader>> open_step_log(const std::filesystem::path&, LoadProgress&);

}  // namespace core
