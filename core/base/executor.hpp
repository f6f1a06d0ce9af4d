#pragma once
// The one place that starts threads for work: loops shared among threads, and tasks in the background.
// Each priority has threads of its own, so a frame never waits for an answer, nor an answer for a load; the operating
// system divides the processors. Idle threads sleep.
// Threads: everything here may be called from any thread.

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

namespace core {

enum class Priority : unsigned char {
    Frame,   // the window waits: loops only, on threads that prepare() started
    Answer,  // somebody looks at a number that is not there yet
    Load,    // files are being read
    Index,   // nobody waits
};
inline constexpr std::size_t kPriorities = 4;

class Executor {
public:
    using Body = std::function<void(std::size_t)>;

    explicit Executor(unsigned threads = 0);  // per priority; 0: one per processor
    ~Executor();                              // drops tasks that have not begun, waits for those that have
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // The process's own. It is never destroyed: exiting waits for no task.
    static Executor& instance();

    unsigned threads() const { return threads_; }

    // Starts the threads of a priority, so that loops of a frame find them.
    void prepare(Priority);

    // Runs a task in the background, the newest first. A task that blocks delays no other: threads are added, up to 64.
    void run(Priority, std::function<void()> task);

    // Calls body(0) … body(count-1) on at most `most_threads` threads including the caller's, and returns when all are
    // done. A body may share a loop of its own: it gets the threads that its outermost loop has left, whatever is
    // passed here. An exception in a body is rethrown here, after all others are done.
    void parallel_for(Priority, std::size_t count, unsigned most_threads, const Body& body);

private:
    struct Loop;
    struct Lane;

    Lane& lane(Priority priority) { return *lanes_[static_cast<std::size_t>(priority)]; }

    unsigned threads_;
    std::array<std::unique_ptr<Lane>, kPriorities> lanes_;
};

}  // namespace core
