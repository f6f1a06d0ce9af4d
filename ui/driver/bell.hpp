#pragma once
// Worker threads ring it; the thread that draws naps until they do, or a little while.

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace ui {

class Bell {
public:
    void ring() {
        {
            const std::lock_guard lock(mutex_);
            rung_ = true;
        }
        wake_.notify_one();
    }
    void nap(std::chrono::milliseconds longest) {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, longest, [this] { return rung_; });
        rung_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable wake_;
    bool rung_ = false;
};

}  // namespace ui
