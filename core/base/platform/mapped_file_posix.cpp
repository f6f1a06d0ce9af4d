#include "core/base/platform/mapped_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>

#ifdef __linux__
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>
#endif

namespace core {
namespace {

// One mapping, readable by the signal handler. Slots are never freed, only reused.
struct Slot {
    std::atomic<std::byte*> begin{nullptr};  // null: free
    std::atomic<std::size_t> bytes{0};
    std::atomic<bool> lost{false};
    std::atomic<bool> kept{false};  // a copy in memory by now: the file no longer matters
    std::atomic<bool> leased{false};
};
struct SlotBlock {
    std::array<Slot, 256> slots;
    std::atomic<SlotBlock*> next{nullptr};
};

constinit SlotBlock first_block;
constinit std::atomic<std::uint64_t> lost_count{0};
struct sigaction previous_action {};

// Calls visit(slot) for each slot until it returns true. Async-signal-safe if visit is.
template <class Visit>
Slot* find_slot(Visit visit) {
    for (SlotBlock* block = &first_block; block != nullptr; block = block->next.load(std::memory_order_acquire)) {
        for (Slot& slot : block->slots) {
            if (visit(slot)) return &slot;
        }
    }
    return nullptr;
}

// Async-signal-safe. Marks the slot first, so a thread that reads zeros also finds the mark.
bool replace_by_zeros(Slot& slot) {
    std::byte* const begin = slot.begin.load(std::memory_order_acquire);
    if (!slot.lost.exchange(true)) lost_count.fetch_add(1);
    return ::mmap(begin, slot.bytes.load(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                  0) != MAP_FAILED;
}

std::atomic<std::size_t> kept_bytes{0};  // of copies

// A fault outside our mappings goes to the previous handler.
void on_bus_error(int signal, siginfo_t* info, void*) {
    const int saved = errno;
    const auto* const at = static_cast<const std::byte*>(info->si_addr);
    Slot* const slot = info->si_code <= 0 ? nullptr : find_slot([at](const Slot& candidate) {
        const std::byte* const begin = candidate.begin.load(std::memory_order_acquire);
        return begin != nullptr && at >= begin && at < begin + candidate.bytes.load(std::memory_order_acquire);
    });
    if (slot == nullptr || !replace_by_zeros(*slot)) {
        ::sigaction(signal, &previous_action, nullptr);
        if (info->si_code <= 0) ::raise(signal);
    }
    errno = saved;
}

void install_handler() {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous_action);
}

#ifdef __linux__

std::size_t most_kept_bytes() {
    return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

// Puts a copy in the place of the mapping, at once for every reader. False if memory is short or the file is gone.
bool replace_by_copy(Slot& slot) {
    const std::size_t bytes = slot.bytes.load();
    if (slot.lost || kept_bytes.load() + bytes > most_kept_bytes()) return false;
    std::byte* const begin = slot.begin.load();
    void* const copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return false;
    std::memcpy(copy, begin, bytes);
    const bool placed = !slot.lost && ::mprotect(copy, bytes, PROT_READ) == 0 &&
                        ::mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, begin) != MAP_FAILED;
    if (!placed) {
        ::munmap(copy, bytes);
        return false;
    }
    slot.kept = true;
    kept_bytes += bytes;
    return true;
}

// Each lease needs a descriptor, and a program has few.
std::size_t most_leases() {
    rlimit files{};
    return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? static_cast<std::size_t>(files.rlim_cur) / 4 : 0;
}

// Mappings by inotify's number of their file, and by the descriptor of their lease. Lives as long as the program: its
// thread is never joined.
class Watcher {
public:
    static Watcher& get() {
        static auto* const kWatcher = new Watcher;
        return *kWatcher;
    }

    // The watch number, or -1 if changes cannot be watched.
    int add(int file, Slot* slot, std::function<bool()> is_unchanged) {
        if (inotify_ < 0) return -1;
        const std::string path = "/proc/self/fd/" + std::to_string(file);
        const std::lock_guard lock(mutex_);
        const int number = ::inotify_add_watch(inotify_, path.c_str(), IN_MODIFY);
        if (number >= 0) watched_.emplace(number, Watched{slot, std::move(is_unchanged)});
        return number;
    }
    // Everything is set before the lease is taken: the signal that announces a writer ends programs by default.
    void add_lease(int file, Slot* slot) {
        if (signals_ < 0 || ::getpid() != process_) return;
        const std::lock_guard lock(mutex_);
        if (leases_.size() >= most_leases()) return;
        const int own = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
        if (own < 0) return;
        f_owner_ex owner{.type = F_OWNER_TID, .pid = thread_};
        if (::fcntl(own, F_SETSIG, kAnnounced) == 0 && ::fcntl(own, F_SETOWN_EX, &owner) == 0 &&
            ::fcntl(own, F_SETLEASE, F_RDLCK) == 0)
            slot->leased = leases_.emplace(own, slot).second;
        else
            ::close(own);
    }
    void remove(int number, const Slot* slot) {
        const std::lock_guard lock(mutex_);
        const auto lease = std::ranges::find(leases_, slot, &std::pair<const int, Slot*>::second);
        if (lease != leases_.end()) end_lease(lease);
        if (number < 0) return;
        auto [it, end] = watched_.equal_range(number);
        while (it != end) it = it->second.slot == slot ? watched_.erase(it) : std::next(it);
        if (!watched_.contains(number)) ::inotify_rm_watch(inotify_, number);
    }

private:
    struct Watched {
        Slot* slot;
        std::function<bool()> is_unchanged;
    };
    using Leases = std::map<int, Slot*>;

    Watcher() : process_(::getpid()), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
        sigset_t announced;
        ::sigemptyset(&announced);
        ::sigaddset(&announced, kAnnounced);
        ::sigaddset(&announced, SIGIO);  // instead, where too many are waiting
        signals_ = ::signalfd(-1, &announced, SFD_CLOEXEC | SFD_NONBLOCK);
        sigset_t all, before;  // signals to the program are for its other threads
        ::sigfillset(&all);
        ::sigdelset(&all, SIGBUS);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        std::promise<pid_t> thread;
        std::thread([this, &thread] {
            thread.set_value(::gettid());
            work();
        }).detach();
        thread_ = thread.get_future().get();
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    [[noreturn]] void work() {
        std::array<pollfd, 2> sources{
            {{.fd = inotify_, .events = POLLIN, .revents = 0}, {.fd = signals_, .events = POLLIN, .revents = 0}}};
        for (;;) {
            ::poll(sources.data(), sources.size(), -1);
            read_announcements();
            read_changes();
        }
    }
    void read_announcements() {
        signalfd_siginfo signal{};
        while (::read(signals_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
            const std::lock_guard lock(mutex_);
            if (signal.ssi_signo == static_cast<std::uint32_t>(kAnnounced)) {
                if (const auto lease = leases_.find(signal.ssi_fd); lease != leases_.end()) check_lease(lease);
                continue;
            }
            for (auto it = leases_.begin(); it != leases_.end();) check_lease(it++);
        }
    }
    // The writer waits until the lease is given back.
    void check_lease(Leases::iterator lease) {
        if (::fcntl(lease->first, F_GETLEASE) == F_RDLCK) return;
        if (!lease->second->lost && !replace_by_copy(*lease->second)) replace_by_zeros(*lease->second);
        end_lease(lease);
    }
    void end_lease(Leases::iterator lease) {
        ::fcntl(lease->first, F_SETLEASE, F_UNLCK);
        ::close(lease->first);
        leases_.erase(lease);
    }
    void read_changes() {
        alignas(inotify_event) std::array<char, 4096> buffer;
        for (;;) {
            const ssize_t got = ::read(inotify_, buffer.data(), buffer.size());
            if (got <= 0) return;
            for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
                const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
                on_change(event->wd, (event->mask & IN_Q_OVERFLOW) != 0);
                at += sizeof *event + event->len;
            }
        }
    }
    // Holding the lock keeps the mappings alive while they are replaced.
    void on_change(int number, bool any) {
        const std::lock_guard lock(mutex_);
        for (auto& [of, watched] : watched_) {
            if (of != number && !any) continue;
            if (!watched.slot->lost && !watched.slot->kept && !watched.is_unchanged()) replace_by_zeros(*watched.slot);
        }
    }

    static inline const int kAnnounced = SIGRTMIN + 7;
    pid_t process_;
    pid_t thread_ = 0;
    int inotify_;
    int signals_ = -1;
    std::mutex mutex_;
    std::multimap<int, Watched> watched_;
    Leases leases_;
};

#else

// Elsewhere only pages that are gone are noticed, at their first touch.
class Watcher {
public:
    static Watcher& get() {
        static Watcher watcher;
        return watcher;
    }
    static int add(int, Slot*, const std::function<bool()>&) { return -1; }
    static void add_lease(int, Slot*) {}
    static void remove(int, const Slot*) {}
};

#endif

std::mutex slots_mutex;  // held while taking and freeing slots

Slot* claim_slot(std::byte* begin, std::size_t bytes) {
    const std::lock_guard lock(slots_mutex);
    const auto is_free = [](const Slot& slot) { return slot.begin.load() == nullptr; };
    Slot* slot = find_slot(is_free);
    if (slot == nullptr) {
        SlotBlock* last = &first_block;
        while (last->next.load() != nullptr) last = last->next.load();
        auto* const added = new SlotBlock;
        slot = added->slots.data();
        last->next.store(added, std::memory_order_release);
    }
    slot->lost = false;
    slot->kept = false;
    slot->leased = false;
    slot->bytes = bytes;
    slot->begin.store(begin, std::memory_order_release);
    return slot;
}

struct Unmap {
    Slot* slot;
    std::size_t bytes;
    int watch;
    void operator()(const std::byte* begin) const {
        if (watch >= 0 || slot->leased) Watcher::get().remove(watch, slot);
        if (slot->kept) kept_bytes -= bytes;
        {
            const std::lock_guard lock(slots_mutex);
            slot->begin.store(nullptr, std::memory_order_release);
        }
        ::munmap(const_cast<std::byte*>(begin), bytes);
    }
};

}  // namespace

std::shared_ptr<const std::byte> map_file(const OpenFile& file, std::size_t bytes, std::error_code& error,
                                          std::function<bool()> is_unchanged) {
    static std::once_flag installed;
    std::call_once(installed, install_handler);
    const int descriptor = static_cast<int>(file.handle());
    void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    error = at == MAP_FAILED ? std::error_code(errno, std::system_category()) : std::error_code();
    if (error) return nullptr;
    auto* const begin = static_cast<std::byte*>(at);
    Slot* const slot = claim_slot(begin, bytes);
    const int watch = is_unchanged ? Watcher::get().add(descriptor, slot, std::move(is_unchanged)) : -1;
    return {begin, Unmap{.slot = slot, .bytes = bytes, .watch = watch}};
}

void ask_for_notice(const std::byte* mapped, const OpenFile& file) {
    Slot* const slot = find_slot([mapped](const Slot& candidate) { return candidate.begin.load() == mapped; });
    if (slot != nullptr) Watcher::get().add_lease(static_cast<int>(file.handle()), slot);
}

bool is_lost(const std::byte* mapped) {
    if (count_lost_mappings() == 0 || mapped == nullptr) return false;
    const Slot* const slot = find_slot([mapped](const Slot& candidate) { return candidate.begin.load() == mapped; });
    return slot != nullptr && slot->lost;
}

std::uint64_t count_lost_mappings() { return lost_count.load(); }

}  // namespace core
