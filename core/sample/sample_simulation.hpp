#pragma once
// Steps all ranks of a sample run through the same schedule and passes each step to its writers.
// Deterministic for any number of threads: concurrent ranks share nothing.

#include "core/sample/device_schedule.hpp"
#include "core/sample/kineto_writer.hpp"
#include "core/sample/sample_truth.hpp"
#include "core/sample/training_program.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace core::sample {

std::string trace_file_name(int rank, bool gzip);

class Simulation {
public:
    Simulation(const SampleOptions& options, bool detail);

    void begin(std::vector<OutputFile>& files);
    void run_step(int step, std::vector<OutputFile>& files);
    void finish(std::vector<OutputFile>& files);

    std::uint64_t events() const;
    std::int64_t end_ns() const { return end_ns_; }  // of the last device work, once finished; since kBaseTimeNs
    const Catalog& catalog() const { return catalog_; }
    const Topology& topology() const { return topology_; }
    RunTruth truth() const;

private:
    struct Rank {
        TrainingProgram program;
        KinetoWriter writer;
        RankTruth truth;
    };

    void for_each_rank(const std::function<void(std::size_t)>& body) const;

    SampleOptions options_;
    bool detail_;
    Catalog catalog_;
    Topology topology_;
    DeviceSchedule schedule_;
    std::vector<std::unique_ptr<Rank>> ranks_;
    std::vector<RankRecorder*> recorders_;
    std::vector<CollectiveTruth> collectives_;
    std::int64_t end_ns_ = 0;
};

// Event counts of a run with these options, found by simulating its smallest versions.
struct EventModel {
    std::uint64_t fixed = 0;      // independent of steps
    std::uint64_t per_step = 0;   // independent of layers
    std::uint64_t per_layer = 0;  // per step
    std::uint64_t events(std::uint64_t steps, std::uint64_t layers) const {
        return fixed + steps * (per_step + layers * per_layer);
    }
};
EventModel measure_events(const SampleOptions& options);

}  // namespace core::sample
