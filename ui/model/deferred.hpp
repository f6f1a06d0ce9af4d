#pragma once
// Something a panel makes of an answer, on the pool, because it may take longer than a frame. The last
// one stays until the next is there; a newer question cancels the work of an older one, as does the end of the
// Deferred. Main thread only; the work must own all it reads.
// A result made quickly is there in the frame that asks for it, so a chain of small works costs no frame each.

#include "core/base/jobs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>

namespace ui {

// How long a frame may wait for short work, all of it together. Main thread only.
class FrameBudget {
public:
    std::chrono::microseconds left(std::chrono::steady_clock::time_point now) {
        if (now - since_ > kFrame) *this = FrameBudget(now);
        return std::max(std::chrono::microseconds{0}, kMost - spent_);
    }
    void spend(std::chrono::steady_clock::duration time) {
        spent_ += std::chrono::duration_cast<std::chrono::microseconds>(time);
    }

    FrameBudget() = default;

private:
    static constexpr std::chrono::microseconds kFrame{16'000}, kMost{2'000};
    explicit FrameBudget(std::chrono::steady_clock::time_point since) : since_(since) {}
    std::chrono::steady_clock::time_point since_{};
    std::chrono::microseconds spent_{0};
};
inline FrameBudget frame_budget;
inline std::uint64_t frame_count = 0;  // frames begun; main thread only

template <class Key, class T>
class Deferred {
public:
    // Requests the value for a key; asking again with the same key is free. Returns the current value: for this key if
    // fresh(), else an older one or null. make() returns a T or a Result<T>; long work takes the JobContext and stops
    // when cancelled. Null after a failure.
    template <class Make>
    std::shared_ptr<const T> ask(core::JobPool& pool, const Key& key, const Make& make) {
        if (!asked_ || !(key_ == key)) {
            asked_ = true;
            key_ = key;
            job_ = core::Job<std::shared_ptr<const T>>::start(pool, work_of(make));
            wait_a_moment();
        }
        return last();
    }
    // The last value, or the result of the work under way, without a new request.
    std::shared_ptr<const T> last() {
        looked_in_ = frame_count;
        if (const auto* result = job_ ? job_.poll() : nullptr) {
            made_ = *result ? **result : nullptr;
            job_ = {};
        }
        return made_;
    }
    bool fresh() const { return !job_; }
    // True while the value requested in this frame is being made: a later frame will show it. Work that nobody requests
    // any more doesn't keep the window busy.
    bool busy() const { return job_ && looked_in_ == frame_count; }
    bool is_asked(const Key& key) const { return asked_ && key_ == key; }  // saves collecting the input again

private:
    static constexpr std::chrono::microseconds kMoment{400};
    static constexpr std::chrono::microseconds kBetweenLooks{20};

    void wait_a_moment() const {
        const auto begin = std::chrono::steady_clock::now();
        const auto deadline = begin + std::min(kMoment, frame_budget.left(begin));
        while (!job_.poll() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(kBetweenLooks);
        frame_budget.spend(std::chrono::steady_clock::now() - begin);
    }
    template <class Make>
    static std::function<core::Result<std::shared_ptr<const T>>(const core::JobContext&)> work_of(const Make& make) {
        return [make](const core::JobContext& job) -> core::Result<std::shared_ptr<const T>> {
            core::Result<T> made = run(make, job);
            if (!made) return std::move(made).error();
            return std::make_shared<const T>(*std::move(made));
        };
    }
    template <class Make>
    static core::Result<T> run(const Make& make, const core::JobContext& job) {
        if constexpr (std::is_invocable_v<const Make&, const core::JobContext&>)
            return make(job);
        else
            return make();
    }

    bool asked_ = false;
    std::uint64_t looked_in_ = 0;  // frame of the last request
    Key key_{};
    core::Job<std::shared_ptr<const T>> job_;
    std::shared_ptr<const T> made_;
};

}  // namespace ui
