#include "core/cluster/work_queue.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace core {
namespace {

class PlainQueue : public WorkQueue {
public:
    explicit PlainQueue(std::vector<std::size_t> order) : order_(std::move(order)) {}

    std::optional<std::size_t> take(const JobContext& job) override {
        const std::lock_guard lock(mutex_);
        if (next_ == order_.size() || job.cancelled()) return std::nullopt;
        return order_[next_++];
    }

    bool all_taken() const override {
        const std::lock_guard lock(mutex_);
        return next_ == order_.size();
    }

protected:
    // For all members, also those of derived classes; the others below are called under it.
    std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex_); }
    bool has_more() const { return next_ < order_.size(); }
    void add(std::size_t item) { order_.push_back(item); }

private:
    mutable std::mutex mutex_;
    std::vector<std::size_t> order_;
    std::size_t next_ = 0;
};

std::vector<std::size_t> order_of_shard(const std::vector<std::size_t>& order, const Shard& shard) {
    std::vector<std::size_t> own = order_of_work(order.size(), shard);
    for (std::size_t& place : own) place = order[place];
    return own;
}

class ClaimedQueue final : public PlainQueue {
public:
    ClaimedQueue(const std::vector<std::size_t>& order, const Sharing& sharing)
        : PlainQueue(order_of_shard(order, sharing.shard)), claims_(*sharing.claims) {}

    WorkClaim claim(std::size_t item, std::span<const std::filesystem::path> results) override {
        for (const std::filesystem::path& result : results) {
            std::error_code ignored;
            std::filesystem::create_directories(result.parent_path(), ignored);
            Result<Claims::Answer> answer = claims_.claim(result);
            if (!answer) continue;
            const std::unique_lock locked = lock();
            if (answer->mine) {
                claimed_[item] = result;
                return {};
            }
            if (answer->failure) return {.holder = WorkClaim::Holder::Failed, .failure = *std::move(answer->failure)};
            of_others_.push_back(item);
            return {.holder = WorkClaim::Holder::AnotherProcess};
        }
        return {};
    }

    void finish(std::size_t item) override {
        if (const std::filesystem::path result = end_claim(item); !result.empty()) claims_.release(result);
    }

    void fail(std::size_t item, std::string_view why) override {
        if (const std::filesystem::path result = end_claim(item); !result.empty()) claims_.fail(result, why);
    }

    bool wait_for_others(const JobContext& job) override {
        constexpr std::chrono::milliseconds kSlice{20}, kLongest{3'000};
        std::chrono::milliseconds patience{0};
        if (job.cancelled()) return false;
        {
            const std::unique_lock locked = lock();
            if (has_more()) return true;
            if (of_others_.empty()) return false;
            patience = patience_;
            patience_ = std::min(patience_ * 2, kLongest);
        }
        for (std::chrono::milliseconds slept{0}; slept < patience && !job.cancelled(); slept += kSlice) {
            std::this_thread::sleep_for(kSlice);
            job.beat();
        }
        const std::unique_lock locked = lock();
        for (const std::size_t item : std::exchange(of_others_, {})) add(item);
        return !job.cancelled();
    }

private:
    std::filesystem::path end_claim(std::size_t item) {
        const std::unique_lock locked = lock();
        const auto claimed = claimed_.extract(item);
        return claimed ? claimed.mapped() : std::filesystem::path();
    }

    Claims& claims_;
    std::map<std::size_t, std::filesystem::path> claimed_;
    std::vector<std::size_t> of_others_;
    std::chrono::milliseconds patience_{50};
};

class HandedOutQueue final : public WorkQueue {
public:
    HandedOutQueue(std::vector<std::size_t> order, Handout& handout) : order_(std::move(order)), handout_(handout) {}

    std::optional<std::size_t> take(const JobContext& job) override {
        const std::optional<std::size_t> place = job.cancelled() ? std::nullopt : handout_.take();
        return place ? std::optional(order_[*place]) : std::nullopt;
    }

    // The list of what is left is another process's.
    bool all_taken() const override { return true; }

private:
    const std::vector<std::size_t> order_;
    Handout& handout_;
};

}  // namespace

WorkClaim WorkQueue::claim(std::size_t, std::span<const std::filesystem::path>) { return {}; }
void WorkQueue::finish(std::size_t) {}
void WorkQueue::fail(std::size_t, std::string_view) {}
bool WorkQueue::wait_for_others(const JobContext&) { return false; }

std::unique_ptr<WorkQueue> make_work_queue(std::vector<std::size_t> order, const Sharing& sharing) {
    if (sharing.handout) return std::make_unique<HandedOutQueue>(std::move(order), *sharing.handout);
    if (sharing.claims) return std::make_unique<ClaimedQueue>(order, sharing);
    return std::make_unique<PlainQueue>(std::move(order));
}

}  // namespace core
