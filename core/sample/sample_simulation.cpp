#include "core/sample/sample_simulation.hpp"

#include "core/base/jobs.hpp"

#include <algorithm>

namespace core::sample {
namespace {

constexpr std::int64_t kLeadInNs = 1'900'000;             // before the first step
constexpr std::int64_t kLeadOutNs = 1'300'000;
constexpr std::size_t kCounterSamples = 16;

std::int64_t first_step_ns(std::uint64_t seed, int rank) {
    return kBeginNs + kLeadInNs +
           between(Noise(seed, static_cast<std::uint64_t>(rank), 0).draw(0xFFFF0001U, 0), 0, 60'000);
}

}  // namespace

std::string trace_file_name(int rank, bool gzip) {
    return "sample_rank" + std::to_string(rank) + ".pt.trace.json" + (gzip ? ".gz" : "");
}

Simulation::Simulation(const SampleOptions& options, bool detail)
    : options_(options),
      detail_(detail),
      catalog_(options.tensor_parallel, options.faults.fp8),
      topology_{.ranks = options.ranks,
                .tensor_parallel = options.tensor_parallel,
                .stages = options.stages,
                .sharded = options.faults.sharded,
                .experts = options.faults.experts},
      schedule_(topology_, options.seed, options.faults.slow_link) {
    for (int rank = 0; rank < options.ranks; ++rank) {
        const RankClock clock = clock_of(options, rank);
        const RecordFaults faults(options.faults, topology_, rank);
        ranks_.push_back(std::make_unique<Rank>(
            Rank{.program = TrainingProgram(catalog_, options, topology_, rank, first_step_ns(options.seed, rank)),
                 .writer = KinetoWriter(catalog_, topology_, rank, clock, faults, trace_file_name(rank, false)),
                 .truth = RankTruth(catalog_, clock, faults, detail)}));
        recorders_.push_back(&ranks_.back()->program.recorder());
    }
}

void Simulation::for_each_rank(const std::function<void(std::size_t)>& body) const {
    Executor& executor = Executor::instance();
    executor.parallel_for(Priority::Answer, ranks_.size(), executor.threads(), body);
}

void Simulation::begin(std::vector<OutputFile>& files) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r]->writer.write_header(files[r]);
}

void Simulation::run_step(int step, std::vector<OutputFile>& files) {
    schedule_.begin_step(step);
    for_each_rank([&](std::size_t r) { ranks_[r]->program.run_until_sync(step); });
    std::vector<CollectiveOutcome> outcomes;
    schedule_.run(recorders_, outcomes);
    for_each_rank([&](std::size_t r) {
        ranks_[r]->program.run_after_sync(schedule_.lane_end_ns(static_cast<int>(r), Lane::Compute));
    });
    schedule_.run(recorders_, outcomes);
    for_each_rank([&](std::size_t r) {
        Rank& rank = *ranks_[r];
        if (rank.truth.faults().skips_step(step)) return;
        rank.truth.add_step(step, *recorders_[r]);
        rank.writer.write_step(files[r], *recorders_[r], rank.truth.utilization(kCounterSamples));
    });
    if (!detail_) return;
    for (CollectiveOutcome& outcome : outcomes) collectives_.push_back({step, std::move(outcome)});
}

void Simulation::finish(std::vector<OutputFile>& files) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const std::int64_t device_end = schedule_.lane_end_ns(static_cast<int>(r), Lane::Compute);
        end_ns_ = std::max(end_ns_, device_end);
        const std::int64_t end = std::max(recorders_[r]->now_ns(), device_end) + kLeadOutNs;
        ranks_[r]->writer.write_footer(files[r], kBeginNs, end);
        ranks_[r]->truth.finish();
    }
}

std::uint64_t Simulation::events() const {
    std::uint64_t sum = 0;
    for (const auto& rank : ranks_) sum += rank->writer.events();
    return sum;
}

RunTruth Simulation::truth() const {
    RunTruth truth;
    truth.options = options_;
    truth.detail = detail_;
    truth.collectives = collectives_;
    for (const auto& rank : ranks_) {
        truth.ranks.push_back(&rank->truth);
        truth.writers.push_back(&rank->writer);
    }
    return truth;
}

EventModel measure_events(const SampleOptions& options) {
    // A few groups of each kind stand for those of thousands of ranks.
    constexpr int kMostMeasured = 512, kGroups = 4;
    SampleOptions measured = options;
    if (options.ranks > kMostMeasured) measured.ranks = options.tensor_parallel * options.stages * kGroups;
    measured.straggler = std::min(options.straggler, measured.ranks - 1);
    if (measured.ranks != options.ranks) measured.further_stragglers.clear();
    const auto count = [&](int steps, int layers) {
        SampleOptions small = measured;
        small.steps = steps;
        small.layers = layers;
        Simulation simulation(small, false);
        std::vector<OutputFile> nowhere(static_cast<std::size_t>(small.ranks));
        simulation.begin(nowhere);
        for (int step = 0; step < steps; ++step) simulation.run_step(kFirstStep + step, nowhere);
        simulation.finish(nowhere);
        const auto all = static_cast<std::uint64_t>(options.ranks), few = static_cast<std::uint64_t>(small.ranks);
        return simulation.events() * all / few;
    };
    const std::uint64_t smallest = count(1, 1);
    const std::uint64_t step = count(2, 1) - smallest;
    const std::uint64_t layer = count(1, 2) - smallest;
    return {.fixed = smallest - step, .per_step = step - layer, .per_layer = layer};
}

}  // namespace core::sample
