#include "core/base/executor.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace core {

// One shared loop. Loops that its bodies share are within it; `busy` of the outermost counts the threads in any of
// them.
struct Executor::Loop {
    const Body& body;
    std::size_t count;
    unsigned most_threads;
    Lane* lane;
    Loop* parent;
    Loop* outermost;
    std::atomic<std::size_t> next{0};
    unsigned helpers = 0;  // of this loop; guarded by the lane's mutex, as are the members below
    unsigned busy = 1;  // of the outermost loop only
    std::exception_ptr failure{};

    bool is_within(const Loop& outer) const {
        const Loop* loop = this;
        while (loop != nullptr && loop != &outer) loop = loop->parent;
        return loop != nullptr;
    }
    void work();
};

// The threads of one priority, their tasks and loops.
struct Executor::Lane {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;  // the newest first
    std::vector<Loop*> loops;  // with calls left, as far as is known; the newest last
    std::vector<std::thread> workers;
    unsigned idle = 0;
    bool closing = false;

    static thread_local Loop* current;  // whose body this thread is in

    void want_idle(std::size_t wanted);
    void work();
    Loop* find_loop(const Loop* within);
    void help(Loop& loop, std::unique_lock<std::mutex>& lock);
    void finish(Loop& loop);
};

thread_local Executor::Loop* Executor::Lane::current = nullptr;

namespace {
constexpr std::size_t kMostThreads = 64;
}  // namespace

void Executor::Loop::work() {
    Loop* const before = std::exchange(Lane::current, this);
    for (std::size_t i; (i = next.fetch_add(1)) < count;) {
        try {
            body(i);
        } catch (...) {
            const std::lock_guard lock(lane->mutex);
            if (!failure) failure = std::current_exception();
        }
    }
    Lane::current = before;
}

// With the mutex held. The newest loop that may have one more thread.
Executor::Loop* Executor::Lane::find_loop(const Loop* within) {
    std::erase_if(loops, [](const Loop* loop) { return loop->next.load() >= loop->count; });
    for (std::size_t i = loops.size(); i-- > 0;) {
        Loop* const loop = loops[i];
        if (within != nullptr ? loop->is_within(*within) : loop->outermost->busy < loop->outermost->most_threads)
            return loop;
    }
    return nullptr;
}

// With the mutex held, which is released meanwhile.
void Executor::Lane::help(Loop& loop, std::unique_lock<std::mutex>& lock) {
    ++loop.helpers;
    lock.unlock();
    loop.work();
    lock.lock();
    --loop.helpers;
}

void Executor::Lane::work() {
    std::unique_lock lock(mutex);
    for (;;) {
        if (Loop* const loop = find_loop(nullptr)) {
            Loop* const outermost = loop->outermost;
            ++outermost->busy;
            help(*loop, lock);
            --outermost->busy;
            changed.notify_all();
        } else if (!tasks.empty() && !closing) {
            std::function<void()> task = std::move(tasks.front());
            tasks.pop_front();
            lock.unlock();
            task();
            task = nullptr;
            lock.lock();
        } else if (closing) {
            return;
        } else {
            ++idle;
            changed.wait(lock);
            --idle;
        }
    }
}

// With the mutex held.
void Executor::Lane::want_idle(std::size_t wanted) {
    for (std::size_t have = idle; have < wanted && workers.size() < kMostThreads; ++have)
        workers.emplace_back([this] { work(); });
}

// Returns once nobody is in the loop; helps with what its bodies share until then.
void Executor::Lane::finish(Loop& loop) {
    std::unique_lock lock(mutex);
    std::erase(loops, &loop);
    const bool is_outermost = loop.outermost == &loop;
    while (loop.helpers > 0 || (is_outermost && loop.busy > 1)) {
        if (Loop* const inner = find_loop(&loop)) {
            help(*inner, lock);
            changed.notify_all();
        } else {
            changed.wait(lock);
        }
    }
}

Executor::Executor(unsigned threads)
    : threads_(threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency())) {
    for (std::unique_ptr<Lane>& lane : lanes_) lane = std::make_unique<Lane>();
}

Executor::~Executor() {
    for (const std::unique_ptr<Lane>& lane : lanes_) {
        {
            const std::lock_guard lock(lane->mutex);
            lane->closing = true;
            lane->tasks.clear();
        }
        lane->changed.notify_all();
        for (std::thread& worker : lane->workers) worker.join();
    }
}

Executor& Executor::instance() {
    static auto* const kExecutor = new Executor;
    return *kExecutor;
}

void Executor::prepare(Priority priority) {
    Lane& own = lane(priority);
    const std::lock_guard lock(own.mutex);
    own.want_idle(threads_ - 1);
}

void Executor::run(Priority priority, std::function<void()> task) {
    Lane& own = lane(priority);
    {
        const std::lock_guard lock(own.mutex);
        own.tasks.push_front(std::move(task));
        own.want_idle(own.tasks.size());
    }
    own.changed.notify_all();
}

void Executor::parallel_for(Priority priority, std::size_t count, unsigned most_threads, const Body& body) {
    Loop* const parent = Lane::current;
    if (count == 0) return;
    if (count == 1 && parent != nullptr) return body(0);
    Lane& own = parent != nullptr ? *parent->lane : lane(priority);
    Loop loop{.body = body,
              .count = count,
              .most_threads = std::max(1U, most_threads),
              .lane = &own,
              .parent = parent,
              .outermost = nullptr};
    loop.outermost = parent != nullptr ? parent->outermost : &loop;
    {
        const std::lock_guard lock(own.mutex);
        own.loops.push_back(&loop);
        if (parent == nullptr && priority != Priority::Frame)
            own.want_idle(std::min<std::size_t>(count, loop.most_threads) - 1);
    }
    own.changed.notify_all();
    loop.work();
    own.finish(loop);
    if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace core
