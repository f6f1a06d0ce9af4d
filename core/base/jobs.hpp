#pragma once
// Background work that reports progress and stops when asked.
// A job is a function of its inputs and a JobContext; it returns a value and calls nobody back.
// Its owner polls once per frame. Dropping the last Job asks the work to stop and does not wait.
// Newest first: a pool takes the most recently given work, so that what the user asked for last
// is answered first.
// Threads: everything here may be called from any thread.

#include "core/base/executor.hpp"
#include "core/base/result.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace core {

struct Progress {
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> total{0};  // 0 while unknown
};

struct JobContext {
    std::stop_token stop;
    Progress* progress = nullptr;  // may be null
    Executor* executor = nullptr;  // may be null: then the job is alone
    std::atomic<std::uint64_t>* pulse = nullptr;  // may be null; a sign of life: rises as work goes on
    // Calls body(0) … body(count-1), on the threads that load files if there is an executor.
    void parallel_for(std::size_t count, const Executor::Body& body) const;
    bool cancelled() const { return stop.stop_requested(); }
    void beat() const {
        if (pulse != nullptr) pulse->fetch_add(1, std::memory_order_relaxed);
    }
    // In loops: a sign of life, and whether to stop.
    bool checkpoint() const {
        beat();
        return cancelled();
    }
};

// How many events work goes through before it looks whether it was cancelled: well under a millisecond.
inline constexpr std::size_t kEventsBetweenChecks = 1 << 14;

// A queue of jobs on the executor's answer threads, at most some of them at once.
class JobPool {
public:
    explicit JobPool(unsigned at_once);
    ~JobPool();  // drops what has not begun, waits for what has
    JobPool(const JobPool&) = delete;
    JobPool& operator=(const JobPool&) = delete;

    void run(std::function<void()> work);  // newest first
    // Called on a worker thread whenever all that was given is done (wakes a sleeping window; while there is more to do
    // the window looks by itself a few times a second, as a frame per piece of work would take the processors from it).
    void set_on_rest(std::function<void()> callback);

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

template <class T>
class Job {
public:
    Job() = default;
    static Job start(JobPool& pool, std::function<Result<T>(const JobContext&)> work);
    static Job finished(Result<T> result);

    explicit operator bool() const { return shared_ != nullptr; }
    // The result, once there is one; nullptr while running.
    const Result<T>* poll() const {
        return shared_ && shared_->ready.load(std::memory_order_acquire) ? shared_->result.get() : nullptr;
    }
    const Progress& progress() const { return shared_->progress; }
    void cancel() const {
        if (shared_) shared_->stop.request_stop();
    }
    bool operator==(const Job& other) const { return shared_ == other.shared_; }

private:
    struct Shared {
        std::stop_source stop;
        Progress progress;
        std::atomic<bool> ready{false};
        std::unique_ptr<Result<T>> result;
    };
    std::shared_ptr<Shared> shared_;
    std::shared_ptr<void> owner_;  // last copy gone: its deleter asks the work to stop
};

template <class T>
Job<T> Job<T>::start(JobPool& pool, std::function<Result<T>(const JobContext&)> work) {
    Job job;
    job.shared_ = std::make_shared<Shared>();
    job.owner_ = {job.shared_.get(), [shared = job.shared_](void*) { shared->stop.request_stop(); }};
    pool.run([shared = job.shared_, work = std::move(work)] {
        Result<T> result = cancelled_error();
        if (!shared->stop.stop_requested()) {
            try {
                result = work(JobContext{shared->stop.get_token(), &shared->progress});
            } catch (const std::exception& e) {
                result = Error{ErrorCode::Internal, e.what()};
            }
        }
        shared->result = std::make_unique<Result<T>>(std::move(result));
        shared->ready.store(true, std::memory_order_release);
    });
    return job;
}

template <class T>
Job<T> Job<T>::finished(Result<T> result) {
    Job job;
    job.shared_ = std::make_shared<Shared>();
    job.shared_->result = std::make_unique<Result<T>>(std::move(result));
    job.shared_->ready.store(true, std::memory_order_release);
    return job;
}

}  // namespace core
