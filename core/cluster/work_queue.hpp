#pragma once
// Decides which item of a job a thread takes next: in a process alone, or one of several that claim items in a shared
// folder or are handed them one by one. Items are numbers that only the caller interprets. Any thread.

#include "core/base/jobs.hpp"
#include "core/cluster/claims.hpp"
#include "core/cluster/shard.hpp"
#include "core/cluster/team.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// How the processes of a job share its items.
struct Sharing {
    Claims* claims = nullptr;  // of processes that share a folder; null: none
    Shard shard{};
    Handout* handout = nullptr;  // of processes that pass messages; null: none
};

// Result of claiming an item.
struct WorkClaim {
    enum class Holder { ThisProcess, AnotherProcess, Failed };  // Failed: in another process, which says why
    Holder holder = Holder::ThisProcess;
    std::string failure{};
};

class WorkQueue {
public:
    virtual ~WorkQueue() = default;

    // The next item; none: all are taken, or the job was cancelled.
    virtual std::optional<std::size_t> take(const JobContext&) = 0;
    // Whether every item was taken that this process knows of.
    virtual bool all_taken() const = 0;

    // Asks for the right to work on a taken item, at the first of these results that can be claimed; granted if none
    // can. An item of another process returns to the queue of wait_for_others().
    virtual WorkClaim claim(std::size_t item, std::span<const std::filesystem::path> results);
    // Ends the claim. fail(): would fail in every process; `why` is what the others get as WorkClaim::failure.
    virtual void finish(std::size_t item);
    virtual void fail(std::size_t item, std::string_view why);

    // After take() had nothing: waits a while for other processes, then takes up the items that they claimed. False:
    // nothing is left.
    virtual bool wait_for_others(const JobContext&);
};

// `order`: the items, most important first; claimed items are taken in order_of_work() of it.
std::unique_ptr<WorkQueue> make_work_queue(std::vector<std::size_t> order, const Sharing&);

}  // namespace core
