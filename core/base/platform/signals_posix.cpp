#include "core/base/platform/signals.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

namespace core {
namespace {

constexpr int kWakeSignal = SIGUSR1;

#ifdef __linux__
// The signal; -1 with errno set.
int wait_for_signal(const sigset_t& signals, const timespec* most) {
    return most == nullptr ? ::sigwaitinfo(&signals, nullptr) : ::sigtimedwait(&signals, nullptr, most);
}
#else
int wait_for_signal(const sigset_t& signals, const timespec* most) {
    constexpr std::chrono::milliseconds kLookEvery{10};
    const auto end = std::chrono::steady_clock::now() +
                     (most ? std::chrono::seconds(most->tv_sec) + std::chrono::nanoseconds(most->tv_nsec)
                           : std::chrono::nanoseconds(0));
    for (;; std::this_thread::sleep_for(kLookEvery)) {
        sigset_t pending;
        ::sigpending(&pending);
        bool any = most == nullptr;
        for (const int number : {SIGINT, SIGTERM, kWakeSignal}) any = any || ::sigismember(&pending, number) == 1;
        int number = 0;
        if (any) return ::sigwait(&signals, &number) == 0 ? number : -1;
        errno = EAGAIN;
        if (std::chrono::steady_clock::now() >= end) return -1;
    }
}
#endif

}  // namespace

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

struct StopSignals::Impl {
    sigset_t signals{};
    sigset_t before{};
};

StopSignals::StopSignals() : impl_(std::make_unique<Impl>()) {
    ::sigemptyset(&impl_->signals);
    for (const int number : {SIGINT, SIGTERM, kWakeSignal}) ::sigaddset(&impl_->signals, number);
    ::pthread_sigmask(SIG_BLOCK, &impl_->signals, &impl_->before);
}

StopSignals::~StopSignals() { ::pthread_sigmask(SIG_SETMASK, &impl_->before, nullptr); }

StopSignals::Wake StopSignals::wait(std::optional<std::chrono::nanoseconds> most) const {
    constexpr std::int64_t kOneSecondNs = 1'000'000'000;
    timespec limit{};
    if (most) {
        limit.tv_sec = static_cast<time_t>(most->count() / kOneSecondNs);
        limit.tv_nsec = static_cast<long>(most->count() % kOneSecondNs);
    }
    int number = -1;
    do {
        number = wait_for_signal(impl_->signals, most ? &limit : nullptr);
    } while (number < 0 && errno == EINTR);
    if (number < 0) return Wake::TimedOut;
    return number == kWakeSignal ? Wake::Woken : Wake::Requested;
}

void StopSignals::wake(std::thread& waiting) { ::pthread_kill(waiting.native_handle(), kWakeSignal); }

}  // namespace core
