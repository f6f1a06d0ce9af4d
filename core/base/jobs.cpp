#include "core/base/jobs.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace core {

void JobContext::share(std::size_t count, const std::function<void(std::size_t)>& body) const {
    const auto beating = [&](std::size_t i) {
        body(i);
        if (pulse != nullptr) pulse->fetch_add(1, std::memory_order_relaxed);
    };
    if (crew != nullptr) return crew->share(count, beating);
    for (std::size_t i = 0; i < count; ++i) beating(i);
}

struct JobPool::Impl {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> queue;
    std::function<void()> on_rest;
    bool closing = false;
    unsigned at_work = 0;
    std::vector<std::thread> workers;

    void loop() {
        for (;;) {
            std::function<void()> work;
            {
                std::unique_lock lock(mutex);
                wake.wait(lock, [&] { return closing || !queue.empty(); });
                if (closing) return;
                work = std::move(queue.front());
                queue.pop_front();
                ++at_work;
            }
            work();
            work = nullptr;
            std::function<void()> rested;
            {
                const std::lock_guard lock(mutex);
                if (--at_work == 0 && queue.empty()) rested = on_rest;
            }
            if (rested) rested();
        }
    }
};

JobPool::JobPool(unsigned workers) : impl_(std::make_unique<Impl>()) {
    for (unsigned i = 0; i < std::max(1u, workers); ++i) impl_->workers.emplace_back([this] { impl_->loop(); });
}

JobPool::~JobPool() {
    {
        std::lock_guard lock(impl_->mutex);
        impl_->closing = true;
    }
    impl_->wake.notify_all();
    for (std::thread& worker : impl_->workers) worker.join();
}

void JobPool::run(std::function<void()> work) {
    {
        std::lock_guard lock(impl_->mutex);
        impl_->queue.push_front(std::move(work));
    }
    impl_->wake.notify_one();
}

void JobPool::set_on_rest(std::function<void()> callback) {
    std::lock_guard lock(impl_->mutex);
    impl_->on_rest = std::move(callback);
}

unsigned JobPool::workers() const { return static_cast<unsigned>(impl_->workers.size()); }

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    auto work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                body(i);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    };
    std::vector<std::thread> helpers;
    for (unsigned t = 1; t < std::min<std::size_t>(std::max(1u, threads), count); ++t) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace core
