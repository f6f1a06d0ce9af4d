#pragma once
// Collects what a load finds, ranks and troubles, and publishes Runs of it while more arrives. Any thread; Runs are
// published one at a time, and later ones hold more.

#include "core/ingest/load/assemble_run.hpp"
#include "core/ingest/load/index_messages.hpp"
#include "core/ingest/load/left_out.hpp"
#include "core/ingest/load/load_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Decides when a load publishes a Run of the ranks read so far. Publishing is O(ranks), so arrivals are batched: the
// first ranks appear one by one, later ones in growing batches, and a load of n ranks publishes O(n) ranks in all.
class HandOver {
public:
    // `since`: the time since the last hand-over. `last_files`: no file is left to begin.
    bool is_due(std::size_t arrived, std::chrono::microseconds since, bool last_files) const {
        if (arrived == published_) return false;
        return arrived - published_ >= batch_of(arrived) || last_files || since > longest_wait(arrived);
    }
    void publish(std::size_t arrived) { published_ = arrived; }
    bool is_complete(std::size_t arrived) const { return arrived == published_; }

private:
    static std::size_t batch_of(std::size_t arrived) {
        constexpr std::size_t kMany = 2048;
        return std::max<std::size_t>(1, arrived / (arrived < kMany ? 48 : 4));
    }
    // The window needs longer for a Run of more ranks; it must not be busy with publishing alone.
    static std::chrono::microseconds longest_wait(std::size_t arrived) {
        return std::chrono::microseconds{250'000 + 250 * arrived};
    }

    std::size_t published_ = 0;
};

// An Error NotFound of a file that was found, not named, means that it isn't a trace.
bool is_no_trace(const FoundFile&, const Error&);

class RunPublisher {
public:
    enum class Keep { Ranks, Counts };  // Counts: ranks are released as they arrive; no Run is made
    struct Load {
        std::span<const FoundFile> files;
        std::string name;
        Keep keep = Keep::Ranks;
        std::function<bool()> all_begun;  // no file is left to begin
    };
    // `found`: diagnostics of finding the files. Options, progress and job outlive it.
    RunPublisher(Load load, Diagnostics found, const LoadOptions& options, LoadProgress& progress,
                 const JobContext& job);

    // For every Run: files of the folder that are not among those to read, and logs of GPUs.
    void leave_out(std::vector<LeftOut> files) { left_out_ = std::move(files); }
    void add_companions(std::vector<Companion> companions) { companions_ = std::move(companions); }
    // For the Run of the whole load, after it.
    void set_files(std::shared_ptr<const RunFiles> files) { run_files_ = std::move(files); }

    enum class Then { Publish, Wait };  // Wait: the caller takes the Run of these ranks at once
    void add_ranks(std::size_t file, const std::vector<RankIndexPtr>& ranks, Then then = Then::Publish);
    void add_failure(std::size_t file, const Error&);
    void note(std::string_view kind, std::size_t file, const std::string& text);
    // Publishes the ranks that were not yet, after a load that did not end well.
    void publish_rest();

    // After the load.
    RunPtr build_run() const;
    std::size_t arrived() const { return arrived_; }
    const FirstFailure& first_failure() const { return first_failure_; }
    Error all_failed() const { return all_failed_of(first_failure_.error, load_.files.size()); }

private:
    bool is_due() const;
    void publish();

    const Load load_;
    const LoadOptions& options_;
    LoadProgress& progress_;
    const JobContext& job_;
    std::shared_ptr<InternedNames> names_;

    std::mutex publishing_;
    std::mutex mutex_;  // of all below
    std::vector<std::vector<LoadedRank>> loaded_;  // by file; empty: not (yet) read
    std::size_t arrived_ = 0;  // ranks
    HandOver handed_over_;
    std::chrono::steady_clock::time_point handed_over_at_{};
    Diagnostics troubles_;
    std::vector<LeftOut> left_out_;
    std::vector<Companion> companions_;
    std::shared_ptr<const RunFiles> run_files_{};
    FirstFailure first_failure_{};
};

}  // namespace core
