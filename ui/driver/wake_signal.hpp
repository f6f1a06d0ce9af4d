#pragma once
// Wakes the drawing thread: workers call raise(), the drawing thread waits for that or a timeout.

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace ui {

class WakeSignal {
public:
    void raise() {
        {
            const std::lock_guard lock(mutex_);
            raised_ = true;
        }
        wake_.notify_one();
    }
    void wait(std::chrono::milliseconds longest) {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, longest, [this] { return raised_; });
        raised_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable wake_;
    bool raised_ = false;
};

}  // namespace ui
