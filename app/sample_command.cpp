#include "app/console.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/sample/sample_run.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace app {
namespace {

constexpr Option kSampleOptions[] = {
    {"--ranks", "N", "ranks (8)"},
    {"--tensor-parallel", "N", "ranks that share a layer; divides --ranks (2)"},
    {"--pipeline-parallel", "N", "stages that the layers are spread over: 1 or 2 (1)"},
    {"--steps", "N", "training steps (6)"},
    {"--layers", "N", "transformer layers (8; fewer of more than 4,096 ranks)"},
    {"--straggler", "RANK|none", "the rank that is late (5, or the last); repeat for more"},
    {"--cause", "WORD", "why it is late: loading, host, launch, allocation, kernels, work, copies or sync (loading)"},
    {"--clock-spread", "US", "clocks of the ranks are ahead or behind by up to this many microseconds (1.9)"},
    {"--clock-drift", "PPM", "and drift by up to this many parts per million (0)"},
    {"--plant", "WORD",
     "a further defect or trait: slow-link, lost-records, late-window, desync, fsdp, experts, fp8, recompute, "
     "unknown-device, or, with logs of the GPUs, thermal, power or clock-locked: why the straggler's clock is low; "
     "repeat for more; truth.json lists them"},
    {"--seed", "N", "seed of the noise (1)"},
    {"--variant", "baseline|candidate", "candidate: the same run with known differences (baseline)"},
    {"--events", "N", "approximate number of events; sets steps and layers"},
    {"--gzip", "", "compress the files"},
    {"--quiet", "", "no progress and no summary"},
};

core::Result<bool> read_variant(const Options& options) {
    const std::string variant = options.last("--variant", "baseline");
    if (variant == "candidate") return true;
    if (variant == "baseline") return false;
    return core::bad_input("--variant: '" + variant + "' is not baseline or candidate");
}

// The first rank is the straggler; the others are late, too.
core::Result<std::vector<int>> read_stragglers(const Options& options, int ranks) {
    std::vector<int> stragglers;
    for (const std::string& text : options.all("--straggler")) {
        int rank = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
        if (error != std::errc{} || end != text.data() + text.size() || rank < 0 || rank >= ranks)
            return core::bad_input("--straggler: '" + text + "' is not a rank from 0 to " + std::to_string(ranks - 1) +
                                   (options.all("--straggler").size() > 1 ? "" : ", or none"));
        stragglers.push_back(rank);
    }
    return stragglers;
}

core::Result<core::StragglerCause> read_cause(const Options& options) {
    const std::string given = options.last("--cause", std::string(core::kCausesOfStragglers[0]));
    const auto found = std::ranges::find(core::kCausesOfStragglers, given);
    if (found == std::end(core::kCausesOfStragglers))
        return core::bad_input("--cause: '" + given +
                               "' is not loading, host, launch, allocation, kernels, work, copies or sync");
    return static_cast<core::StragglerCause>(found - std::begin(core::kCausesOfStragglers));
}

core::Result<core::SampleFaults> read_faults(const Options& options) {
    core::SampleFaults faults;
    if (options.has("--clock-spread")) {
        const core::Result<std::int64_t> spread = options.integer("--clock-spread", 0, 0, 10'000'000);
        if (!spread) return spread.error();
        faults.clock_spread_ns = *spread * 1000;
    }
    const core::Result<std::int64_t> drift = options.integer("--clock-drift", 0, 0, 1000);
    if (!drift) return drift.error();
    faults.clock_drift_ppb = *drift * 1000;
    constexpr std::pair<std::string_view, bool core::SampleFaults::*> kWords[] = {
        {"slow-link", &core::SampleFaults::slow_link},
        {"lost-records", &core::SampleFaults::lost_records},
        {"late-window", &core::SampleFaults::late_window},
        {"desync", &core::SampleFaults::desynchronised},
        {"fsdp", &core::SampleFaults::sharded},
        {"experts", &core::SampleFaults::experts},
        {"fp8", &core::SampleFaults::fp8},
        {"recompute", &core::SampleFaults::recompute},
        {"unknown-device", &core::SampleFaults::unknown_device}};
    constexpr std::pair<std::string_view, core::ClockFault> kClocks[] = {{"thermal", core::ClockFault::Thermal},
                                                                         {"power", core::ClockFault::Power},
                                                                         {"clock-locked", core::ClockFault::Locked}};
    for (const std::string& word : options.all("--plant")) {
        const auto* const clock = std::ranges::find(kClocks, word, [](const auto& pair) { return pair.first; });
        if (clock != std::end(kClocks)) {
            faults.clock = clock->second;
            continue;
        }
        const auto* const known = std::ranges::find(kWords, word, [](const auto& pair) { return pair.first; });
        if (known == std::end(kWords))
            return core::bad_input(
                "--plant: '" + word +
                "' is not slow-link, lost-records, late-window, desync, fsdp, experts, fp8, recompute, "
                "unknown-device, thermal, power or clock-locked");
        faults.*(known->second) = true;
    }
    return faults;
}

core::Result<core::SampleOptions> read_sample_options(const Options& options) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    core::SampleOptions sample;
    core::Error error;
    const auto read = [&](std::string_view name, std::int64_t standard, std::int64_t least, std::int64_t most) {
        const core::Result<std::int64_t> value = options.integer(name, standard, least, most);
        if (value) return *value;
        if (error.message.empty()) error = value.error();
        return standard;
    };
    sample.ranks = static_cast<int>(read("--ranks", sample.ranks, 1, core::kMostSampleRanks));
    sample.tensor_parallel =
        static_cast<int>(read("--tensor-parallel", std::min(sample.tensor_parallel, sample.ranks), 1, sample.ranks));
    sample.stages = static_cast<int>(read("--pipeline-parallel", 1, 1, 2));
    sample.steps = static_cast<int>(read("--steps", sample.steps, 1, 1'000'000));
    const int layers = std::clamp(core::kMostRankLayers / sample.ranks, 1, sample.layers);
    sample.layers = static_cast<int>(read("--layers", layers, 1, 10'000));
    sample.seed = static_cast<std::uint64_t>(read("--seed", 1, 0, kMost));
    sample.events = static_cast<std::uint64_t>(read("--events", 0, 1, kMost));
    if (!error.message.empty()) return error;
    if (sample.ranks % sample.tensor_parallel != 0) return core::bad_input("--tensor-parallel must divide --ranks");
    if (sample.ranks % (sample.tensor_parallel * sample.stages) != 0)
        return core::bad_input("--tensor-parallel times --pipeline-parallel must divide --ranks");
    sample.gzip = options.has("--gzip");
    const core::Result<bool> candidate = read_variant(options);
    if (!candidate) return candidate.error();
    sample.candidate = *candidate;
    if (options.has("--straggler") && options.all("--straggler") == std::vector<std::string>{"none"}) {
        sample.straggler = core::kNoStraggler;
    } else {
        const core::Result<std::vector<int>> stragglers = read_stragglers(options, sample.ranks);
        if (!stragglers) return stragglers.error();
        if (!stragglers->empty()) sample.straggler = stragglers->front();
        if (stragglers->size() > 1) sample.further_stragglers.assign(stragglers->begin() + 1, stragglers->end());
    }
    const core::Result<core::StragglerCause> cause = read_cause(options);
    if (!cause) return cause.error();
    sample.cause = *cause;
    const core::Result<core::SampleFaults> faults = read_faults(options);
    if (!faults) return faults.error();
    sample.faults = *faults;
    return sample;
}

std::string describe(const core::SampleSummary& summary, const std::string& dir) {
    return dir + ": " + std::to_string(summary.files.size()) + " ranks, " +
           core::format_count(static_cast<std::int64_t>(summary.events)) + " events, " +
           core::format_bytes(static_cast<std::int64_t>(summary.bytes)) + "; truth.json lists what was planted\n";
}

int write_sample(const core::SampleOptions& sample, const std::string& dir, bool quiet) {
    const Interrupt interrupt;
    core::Progress progress;
    const core::Result<core::SampleSummary> summary = [&] {
        const ProgressLine line(!quiet, [&] {
            return "writing: " + std::to_string(progress.done.load()) + " of " + std::to_string(progress.total.load());
        });
        return core::write_sample_run(dir, sample, {.stop = interrupt.token(), .progress = &progress});
    }();
    if (!summary) return report_failure(summary.error());
    return quiet ? kDone : print_text(describe(*summary, dir));
}

}  // namespace

int run_sample(Arguments args) {
    const core::Result<Options> options = parse_options(kSampleOptions, args);
    if (!options) return refuse_usage("sample", options.error().message);
    if (options->has("--help")) return print_text(format_help(*find_command("sample"), kSampleOptions));
    if (options->words().size() != 1) return refuse_usage("sample", "needs one folder to write to");
    const core::Result<core::SampleOptions> sample = read_sample_options(*options);
    if (!sample) return refuse_usage("sample", sample.error().message);
    return write_sample(*sample, options->words()[0], options->has("--quiet"));
}

}  // namespace app
