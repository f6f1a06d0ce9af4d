#include "core/base/crew.hpp"

#include <atomic>
#include <exception>

namespace core {

struct Crew::Loop {
    const std::function<void(std::size_t)>& body;
    std::size_t count;
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure{};  // guarded by the crew's mutex
    unsigned helpers = 0;          // guarded by the crew's mutex

    void work(std::mutex& mutex) {
        for (std::size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                body(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    }
};

void Crew::share(std::size_t count, const std::function<void(std::size_t)>& body) {
    if (count <= 1) {
        if (count == 1) body(0);
        return;
    }
    Loop loop{body, count};
    {
        const std::lock_guard lock(mutex_);
        loops_.push_back(&loop);
    }
    changed_.notify_all();
    loop.work(mutex_);
    std::unique_lock lock(mutex_);
    std::erase(loops_, &loop);
    changed_.wait(lock, [&] { return loop.helpers == 0; });
    if (loop.failure) std::rethrow_exception(loop.failure);
}

void Crew::help() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return dismissed_ || !loops_.empty(); });
        if (loops_.empty()) return;
        Loop& loop = *loops_.back();
        ++loop.helpers;
        lock.unlock();
        loop.work(mutex_);
        lock.lock();
        std::erase(loops_, &loop);
        if (--loop.helpers == 0) changed_.notify_all();
    }
}

void Crew::dismiss() {
    {
        const std::lock_guard lock(mutex_);
        dismissed_ = true;
    }
    changed_.notify_all();
}

}  // namespace core
