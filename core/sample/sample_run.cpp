#include "core/sample/sample_run.hpp"

#include "core/base/platform/processes.hpp"
#include "core/sample/gpu_logs.hpp"
#include "core/sample/sample_simulation.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxSteps = 1'000'000;
constexpr std::uint64_t kMostEvents = 10'000'000'000;
constexpr std::uint64_t kMostEventsInDetail = 2'000'000;
constexpr int kMostRanksInDetail = 512;
constexpr int kComfortableSteps = 64;
constexpr int kDeepestScaled = 48;
constexpr int kMostSynced = 512;  // files: waiting for the disk at each of thousands takes longer than writing them

Error refuse(const std::string& what) { return Error{ErrorCode::BadInput, "sample: " + what}; }

Result<bool> check_options(const SampleOptions& options) {
    const auto check_range = [](const char* name, std::int64_t value, std::int64_t low,
                                std::int64_t high) -> Result<bool> {
        if (value >= low && value <= high) return true;
        return refuse(std::string(name) + " must be " + std::to_string(low) + " to " + std::to_string(high) + ", not " +
                      std::to_string(value));
    };
    const int last_rank = options.ranks - 1;
    if (auto ok = check_range("ranks", options.ranks, 1, kMostSampleRanks); !ok) return ok;
    if (auto ok = check_range("steps", options.steps, 1, kMaxSteps); !ok) return ok;
    if (auto ok = check_range("layers", options.layers, 1, kMostRankLayers / options.ranks); !ok) return ok;
    const int split = options.tensor_parallel;
    if (split != 1 && split != 2 && split != 4 && split != 8 && split != 16)
        return refuse("tensor parallel must be 1, 2, 4, 8 or 16, not " + std::to_string(split));
    if (options.ranks % split != 0)
        return refuse(std::to_string(options.ranks) + " ranks cannot be split into tensor parallel groups of " +
                      std::to_string(split));
    if (options.stages != 1 && options.stages != 2)
        return refuse("pipeline stages must be 1 or 2, not " + std::to_string(options.stages));
    if (options.ranks % (split * options.stages) != 0)
        return refuse(std::to_string(options.ranks) + " ranks cannot be split into " + std::to_string(options.stages) +
                      " stages of tensor parallel groups of " + std::to_string(split));
    if (options.straggler < kAutomaticStraggler || options.straggler > last_rank)
        return refuse("straggler must be a rank from 0 to " + std::to_string(last_rank) + ", or -1 for none, not " +
                      std::to_string(options.straggler));
    for (const int rank : options.further_stragglers)
        if (auto ok = check_range("each straggler", rank, 0, last_rank); !ok) return ok;
    if (!options.further_stragglers.empty() && options.straggler < 0) return refuse("there is no first straggler");
    constexpr std::int64_t kMostSpread = 10'000'000'000;
    constexpr std::int64_t kMostDrift = 1'000'000;
    if (auto ok = check_range("clock spread (ns)", options.faults.clock_spread_ns, 0, kMostSpread); !ok) return ok;
    if (auto ok = check_range("clock drift (parts per billion)", options.faults.clock_drift_ppb, 0, kMostDrift); !ok)
        return ok;
    if (options.faults.clock != ClockFault::None && options.straggler == kNoStraggler)
        return refuse("a low clock needs a straggler that has it");
    if (options.faults.late_window && options.steps < 2) return refuse("a late window needs at least 2 steps");
    const bool needs_group = options.faults.sharded || options.faults.experts;
    if (needs_group && options.ranks / split / options.stages < 2)
        return refuse("shards and experts need data parallel groups of at least 2 ranks");
    if (options.faults.sharded && options.layers < 2) return refuse("shards need at least 2 layers");
    if (options.stages > 1 && (needs_group || options.faults.fp8 || options.faults.recompute))
        return refuse("shards, experts, 8 bits and recomputation are for runs of one stage");
    if (options.faults.lost_records && options.ranks < 2) return refuse("lost records need at least 2 ranks");
    if (options.events > kMostEvents) return refuse("events must be at most " + std::to_string(kMostEvents));
    return true;
}

int resolve_straggler(const SampleOptions& options) {
    if (options.straggler != kAutomaticStraggler) return options.straggler;
    return options.ranks == 1 ? kNoStraggler : std::min(5, options.ranks - 1);
}

std::uint64_t steps_for(const sample::EventModel& model, std::uint64_t target, int layers) {
    const std::uint64_t step = model.events(1, static_cast<std::uint64_t>(layers)) - model.fixed;
    const std::uint64_t wanted = target > model.fixed ? target - model.fixed : 0;
    return std::max<std::uint64_t>((wanted + step / 2) / step, 1);
}

// Keeps the requested layers if possible; adds layers before very many steps, and removes some if
// one step is too large.
Result<SampleOptions> scale(SampleOptions options) {
    if (options.events == 0) return options;
    const sample::EventModel model = sample::measure_events(options);
    const int deepest = std::max(options.layers, std::min(kDeepestScaled, kMostRankLayers / options.ranks));
    int layers = options.layers;
    while (layers < deepest && steps_for(model, options.events, layers) > kComfortableSteps) ++layers;
    const auto error = [&](int candidate) {
        const std::uint64_t events =
            model.events(steps_for(model, options.events, candidate), static_cast<std::uint64_t>(candidate));
        return events > options.events ? events - options.events : options.events - events;
    };
    if (error(layers) > options.events / 20)
        for (int fewer = layers - 1; fewer >= 1; --fewer)
            if (error(fewer) < error(layers)) layers = fewer;
    if (error(layers) > options.events / 5)
        return refuse("a run of " + std::to_string(options.ranks) + " ranks has at least " +
                      std::to_string(model.events(1, 1)) + " events, not " + std::to_string(options.events));
    options.layers = layers;
    options.steps = static_cast<int>(std::min<std::uint64_t>(steps_for(model, options.events, layers), kMaxSteps));
    return options;
}

// Refuses a folder with ranks of another sample, which would join this run.
Result<bool> check_directory(const fs::path& dir, const SampleOptions& options) {
    std::error_code error;
    fs::create_directories(dir, error);
    if (error) return Error{ErrorCode::Io, dir.string() + ": cannot create: " + error.message()};
    std::set<std::string> ours;
    for (int rank = 0; rank < options.ranks; ++rank) ours.insert(sample::trace_file_name(rank, options.gzip));
    for (fs::directory_iterator entry(dir, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const bool is_rank = name.starts_with("sample_rank") && name.find(".pt.trace.json") != std::string::npos;
        if (is_rank && !ours.contains(name))
            return Error{ErrorCode::BadInput,
                         entry->path().string() + ": belongs to another sample; choose an empty folder"};
    }
    if (error) return Error{ErrorCode::Io, dir.string() + ": cannot read: " + error.message()};
    return true;
}

// All ranks' files are open at once. The system may allow it only to those that ask.
Result<bool> allow_files(int files) {
    constexpr std::uint64_t kOthers = 64;
    const std::uint64_t wanted = static_cast<std::uint64_t>(files) + kOthers;
    const OpenFileLimit limit = allow_open_files(wanted);
    if (limit.allowed) return true;
    if (limit.most < wanted)
        return refuse(std::to_string(files) + " files would be open at once, and the system allows " +
                      std::to_string(limit.most) + ": raise it (ulimit -Hn), or write fewer ranks");
    return refuse("so many files cannot be open at once: raise the limit (ulimit -n " + std::to_string(wanted) + ")");
}

Result<bool> create_files(const fs::path& dir, const SampleOptions& options, SampleSummary& summary,
                          std::vector<OutputFile>& files) {
    if (Result<bool> allowed = allow_files(options.ranks); !allowed) return allowed;
    for (int rank = 0; rank < options.ranks; ++rank) {
        summary.files.push_back(dir / sample::trace_file_name(rank, options.gzip));
        const bool is_large = options.ranks > kMostSynced;
        Result<OutputFile> file = OutputFile::create(summary.files.back(), {.gzip = options.gzip, .sync = !is_large});
        if (!file) return std::move(file).error();
        files.push_back(std::move(*file));
    }
    return true;
}

Result<bool> commit_files(std::vector<OutputFile>& files, SampleSummary& summary) {
    for (OutputFile& file : files) {
        Result<std::uint64_t> size = file.commit();
        if (!size) return std::move(size).error();
        summary.bytes += *size;
    }
    return true;
}

Result<bool> run_steps(sample::Simulation& simulation, const SampleOptions& options, std::vector<OutputFile>& files,
                       const JobContext& context) {
    simulation.begin(files);
    if (context.progress != nullptr) context.progress->total = static_cast<std::uint64_t>(options.steps);
    for (int step = 0; step < options.steps; ++step) {
        if (context.cancelled()) return cancelled_error();
        simulation.run_step(sample::kFirstStep + step, files);
        for (OutputFile& file : files)
            if (file.failed()) return std::move(file.commit()).error();
        if (context.progress != nullptr) context.progress->done = static_cast<std::uint64_t>(step) + 1;
    }
    simulation.finish(files);
    return true;
}

Result<SampleSummary> write_resolved(const fs::path& dir, const SampleOptions& options, const JobContext& context) {
    SampleSummary summary;
    summary.options = options;
    if (auto usable = check_directory(dir, options); !usable) return std::move(usable).error();
    std::vector<OutputFile> files;
    if (auto created = create_files(dir, options, summary, files); !created) return std::move(created).error();
    const std::uint64_t expected = std::max<std::uint64_t>(
        options.events, static_cast<std::uint64_t>(options.ranks) * static_cast<std::uint64_t>(options.steps) *
                            static_cast<std::uint64_t>(options.layers) * 300);
    sample::Simulation simulation(options, expected <= kMostEventsInDetail && options.ranks <= kMostRanksInDetail);
    if (auto ran = run_steps(simulation, options, files, context); !ran) return std::move(ran).error();
    if (auto committed = commit_files(files, summary); !committed) return std::move(committed).error();
    if (options.faults.clock != ClockFault::None)
        if (auto written = sample::write_gpu_logs(dir, options, sample::kBeginNs, simulation.end_ns()); !written)
            return std::move(written).error();
    summary.events = simulation.events();
    sample::RunTruth truth = simulation.truth();
    truth.files = summary.files;
    auto written = write_truth(dir / "truth.json", simulation.catalog(), simulation.topology(), truth);
    if (!written) return std::move(written).error();
    return summary;
}

}  // namespace

Result<SampleSummary> write_sample_run(const fs::path& dir, const SampleOptions& options, const JobContext& context) {
    if (auto valid = check_options(options); !valid) return std::move(valid).error();
    SampleOptions resolved = options;
    resolved.straggler = resolve_straggler(options);
    Result<SampleOptions> scaled = scale(resolved);
    if (!scaled) return std::move(scaled).error();
    return write_resolved(dir, *scaled, context);
}

}  // namespace core
