#include "core/base/jobs.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace core {

void JobContext::parallel_for(std::size_t count, const Executor::Body& body) const {
    const auto beating = [&](std::size_t i) {
        body(i);
        beat();
    };
    if (executor != nullptr) return executor->parallel_for(Priority::Load, count, executor->threads(), beating);
    for (std::size_t i = 0; i < count; ++i) beating(i);
}

struct JobPool::Impl {
    const unsigned at_once;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    std::function<void()> on_rest;
    unsigned takers = 0;   // threads that take from the queue
    unsigned at_work = 0;  // of them, those with a piece of work

    explicit Impl(unsigned most) : at_once(most) {}
    void take() {
        std::unique_lock lock(mutex);
        while (!queue.empty()) {
            std::function<void()> work = std::move(queue.front());
            queue.pop_front();
            ++at_work;
            lock.unlock();
            work();
            work = nullptr;
            lock.lock();
            if (--at_work > 0 || !queue.empty() || !on_rest) continue;
            const std::function<void()> rested = on_rest;
            lock.unlock();
            rested();
            lock.lock();
        }
        --takers;
        changed.notify_all();
    }
};

JobPool::JobPool(unsigned at_once) : impl_(std::make_shared<Impl>(std::max(1U, at_once))) {}

JobPool::~JobPool() {
    std::unique_lock lock(impl_->mutex);
    impl_->queue.clear();
    impl_->changed.wait(lock, [&] { return impl_->takers == 0; });
}

void JobPool::run(std::function<void()> work) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->queue.push_front(std::move(work));
        if (impl_->takers == impl_->at_once) return;
        ++impl_->takers;
    }
    Executor::instance().run(Priority::Answer, [impl = impl_] { impl->take(); });
}

void JobPool::set_on_rest(std::function<void()> callback) {
    const std::lock_guard lock(impl_->mutex);
    impl_->on_rest = std::move(callback);
}

}  // namespace core
