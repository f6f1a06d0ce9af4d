#pragma once
// Runs a command on several processes: process 0 runs it as `lockstep` does and sends requests to
// the others, which serve it until it ends. Every process opens every run. Index files are made
// together first, then collectives are matched together, and the ranks of an analysis are split.
// Knows nothing of MPI.
// then, and ranks of an analysis are shared. Knows no MPI.

#include "app/command_run.hpp"
#include "core/analysis/run/exchange_partials.hpp"

#include <map>
#include <vector>

namespace app {

class TeamHelpers final : public Helpers, public core::PartialsSource {
public:
    explicit TeamHelpers(core::Team& team) : team_(team) {}

    core::Team& team() override { return team_; }
    // In other processes than 0: serves process 0 until it ends, then fails.
    core::Result<core::RunPtr> open_everywhere(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                               const std::stop_token& stop,
                                               const std::function<core::Result<core::RunPtr>()>& open) override;
    core::Result<std::vector<core::Result<core::Partial>>> compute(const core::PartialsTask&,
                                                                   const core::JobContext&) override;
    // Call after the command, in every process.
    void end();

private:
    void serve(const std::stop_token& stop);
    core::Result<bool> index_together(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                      const std::stop_token& stop);
    core::Result<bool> compare_runs(const core::Result<core::RunPtr>& run, const std::stop_token& stop);
    core::Result<bool> match_together(const core::Run& run, const std::stop_token& stop);
    core::Result<core::RunPtr> open_together(const core::Result<core::RunPtr>& run, const Loading& loading,
                                             const std::stop_token& stop);
    bool serve_open(std::string_view message, const std::stop_token& stop);
    bool serve_match(std::string_view message, const std::stop_token& stop);
    bool serve_question(std::string_view message, const std::stop_token& stop);

    core::Team& team_;
    bool ended_ = false;  // in other processes: the command has ended, or must end with this process
    unsigned threads_ = 0;
    std::map<std::uint64_t, std::uint64_t> numbers_;  // process 0: number of each run that all have open, by its id
    std::vector<core::RunPtr> runs_;                  // by number
};

}  // namespace app
