#pragma once
// Tools of several processes that do one job: work handed out to any free thread, bytes from process 0 to all, bytes of
// all combined at process 0 along a tree, and bytes from each to each. A team of one needs no channel and sends
// nothing. Collective: every process calls the same function at the same point; one that dies is the launcher's to
// notice.

#include "core/base/result.hpp"
#include "core/cluster/channel.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class Team {
public:
    Team() = default;  // this process alone
    explicit Team(Channel& channel) : channel_(&channel) {}

    int index() const { return channel_ ? channel_->index() : 0; }
    int count() const { return channel_ ? channel_->count() : 1; }
    bool is_alone() const { return count() == 1; }
    bool is_first() const { return index() == 0; }

    // Collective. What process 0 passed, in every process.
    Result<std::string> broadcast(std::string bytes, const std::stop_token&);
    // Collective. Adds the bytes of a process to those of a process with a lower number.
    using Combine = std::function<void(std::string& into, std::string_view more)>;
    // All processes' bytes in process 0, at most log2(count) messages one after another; elsewhere empty.
    Result<std::string> reduce(std::string own, const Combine&, const std::stop_token&);
    // Collective. Process i gets `own[i]` of every process, and returns these by sender. One other process at a time,
    // in messages of at most kMostExchanged bytes and a few more.
    Result<std::vector<std::string>> exchange(std::vector<std::string> own, const std::stop_token&);
    // Collective. Every process's bytes in every process, by process: passed on round a ring, each sent once.
    Result<std::vector<std::string>> gather(std::string own, const std::stop_token&);
    static constexpr std::size_t kMostExchanged = std::size_t{1} << 20;

private:
    friend class Handout;
    Result<Message> receive(int from, MessageKind, const std::stop_token&);
    void send_parts(int to, std::string_view bytes);
    Result<std::string> receive_parts(int from, const std::stop_token&);
    Channel* channel_ = nullptr;
};

// The numbers 0 … items-1, rising, each to one thread of one process: a free thread takes the next. Process 0 hands
// them out when it takes one itself, and on a thread of its own; the others ask one message ahead, so that they work
// while it answers. Collective to make and to destroy; between two of them lies a broadcast.
class Handout {
public:
    // At most `most_at_once` to a process in one message: 1 for files, more where an item takes microseconds.
    Handout(Team&, std::size_t items, std::size_t most_at_once, std::stop_token);
    ~Handout();  // in process 0: when every other process was told that nothing is left, or when stopped
    Handout(const Handout&) = delete;
    Handout& operator=(const Handout&) = delete;

    // Any thread. Nothing when all is taken, or when stopped; each process takes until then.
    std::optional<std::size_t> take();

private:
    struct Server;
    struct Range {
        std::size_t first = 0;
        std::size_t count = 0;
    };
    Range take_range(std::size_t processes);
    bool answer_requests();
    void request();
    Range receive_range();

    Team& team_;
    std::stop_token stop_;
    std::size_t items_;
    std::size_t most_at_once_;
    std::mutex mutex_;  // of what follows, and elsewhere than in process 0 of the channel
    std::size_t next_ = 0;  // process 0
    Range mine_{};
    bool finished_ = false;
    std::mutex channel_mutex_;  // process 0: of the channel and of the next
    int unfinished_ = 0;  // processes that have not been told that nothing is left
    std::unique_ptr<Server> server_;
};

}  // namespace core
