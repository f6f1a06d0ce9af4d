#pragma once
// Threads that lend each other a hand: whoever has a loop to share takes part in it, and whoever has nothing else to
// do helps until the crew is dismissed. It starts no threads, and nobody waits for a thread that is busy elsewhere.
// Threads: everything here may be called from any thread.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace core {

class Crew {
public:
    // Calls body(0) … body(count-1), here and on the threads that help, and returns when all are done. A body may
    // share a loop of its own. An exception in a body is rethrown here.
    void share(std::size_t count, const std::function<void(std::size_t)>& body);
    void help();  // with what is shared, until the crew is dismissed
    void dismiss();  // once nobody will share any more

private:
    struct Loop;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Loop*> loops_;  // that have calls left, as far as is known
    bool dismissed_ = false;
};

}  // namespace core
