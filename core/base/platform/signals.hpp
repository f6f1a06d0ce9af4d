#pragma once
// Requests of the system and of the user that this program ends: Ctrl+C, and SIGTERM of a scheduler.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

namespace core {

// Writing to a pipe whose reader has left is an error then, and not the end of the program.
void ignore_broken_pipes();

// During its lifetime such requests do not end the program: they are for wait(). That holds for the thread that makes
// it and those that are begun meanwhile, so it comes before other threads.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    enum class Wake : std::uint8_t { Requested, Woken, TimedOut };
    // At most so long; absent: as long as it takes. For one thread.
    Wake wait(std::optional<std::chrono::nanoseconds> most) const;
    // Ends the wait() of that thread, the next one if it does not wait now.
    static void wake(std::thread&);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
