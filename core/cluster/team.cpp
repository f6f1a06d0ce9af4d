#include "core/cluster/team.hpp"

#include "core/cluster/byte_codec.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace core {
namespace {

// Waiting without a processor of its own: processes may share one. Ever longer, but never long beside a file's work.
class Pause {
public:
    void wait() {
        constexpr std::chrono::microseconds kLongest{500};
        if (turns_ < kTurnsAtOnce) {
            ++turns_;
            std::this_thread::yield();
            return;
        }
        std::this_thread::sleep_for(length_);
        length_ = std::min(length_ * 2, kLongest);
    }
    void restart() { *this = Pause(); }

private:
    static constexpr int kTurnsAtOnce = 16;
    int turns_ = 0;
    std::chrono::microseconds length_{10};
};

// Process i has the parent i without its lowest bit, and children with one more bit below that one.
int parent_of(int index) { return index & (index - 1); }

template <class Visit>
void for_each_child(int index, int count, const Visit& visit) {
    for (int bit = 1; (index & bit) == 0 && (index | bit) < count; bit <<= 1) visit(index | bit);
}

}  // namespace

Result<Message> Team::receive(int from, MessageKind kind, const std::stop_token& stop) {
    for (Pause pause;; pause.wait()) {
        if (std::optional<Message> message = channel_->poll(from, kind)) return *std::move(message);
        if (stop.stop_requested()) return cancelled_error();
    }
}

Result<std::string> Team::broadcast(std::string bytes, const std::stop_token& stop) {
    if (is_alone()) return bytes;
    if (!is_first()) {
        Result<Message> message = receive(parent_of(index()), MessageKind::Broadcast, stop);
        if (!message) return std::move(message).error();
        bytes = std::move(message->bytes);
    }
    for_each_child(index(), count(), [&](int child) { channel_->send(child, MessageKind::Broadcast, bytes); });
    channel_->flush();
    return bytes;
}

Result<std::string> Team::reduce(std::string own, const Combine& combine, const std::stop_token& stop) {
    if (is_alone()) return own;
    std::optional<Error> failed;
    for_each_child(index(), count(), [&](int child) {
        if (failed) return;
        Result<Message> message = receive(child, MessageKind::Reduce, stop);
        if (message)
            combine(own, message->bytes);
        else
            failed = std::move(message).error();
    });
    if (failed) return *std::move(failed);
    if (is_first()) return own;
    channel_->send(parent_of(index()), MessageKind::Reduce, std::move(own));
    channel_->flush();
    return std::string();
}

// Each part says how many bytes follow it.
void Team::send_parts(int to, std::string_view bytes) {
    do {
        const std::string_view part = bytes.substr(0, kMostExchanged);
        bytes.remove_prefix(part.size());
        ByteWriter message;
        message.unsigned_number(bytes.size());
        message.text(part);
        channel_->send(to, MessageKind::Exchange, std::move(message).take());
    } while (!bytes.empty());
}

Result<std::string> Team::receive_parts(int from, const std::stop_token& stop) {
    std::string bytes;
    for (std::optional<std::uint64_t> left; left != 0;) {
        const Result<Message> message = receive(from, MessageKind::Exchange, stop);
        if (!message) return message.error();
        ByteReader in(message->bytes);
        const std::uint64_t follow = in.unsigned_number();
        const std::string_view part = in.text();
        if (!in.ok() || !in.at_end() || (left && part.size() + follow != *left))
            return Error{ErrorCode::Internal, "what process " + std::to_string(from) + " sent is not whole"};
        bytes += part;
        left = follow;
    }
    return bytes;
}

Result<std::vector<std::string>> Team::exchange(std::vector<std::string> own, const std::stop_token& stop) {
    std::vector<std::string> got(own.size());
    const auto self = static_cast<std::size_t>(index());
    got[self] = std::move(own[self]);
    for (int round = 1; round < count(); ++round) {
        const int to = (index() + round) % count(), from = (index() + count() - round) % count();
        send_parts(to, std::exchange(own[static_cast<std::size_t>(to)], {}));
        Result<std::string> bytes = receive_parts(from, stop);
        if (!bytes) return std::move(bytes).error();
        got[static_cast<std::size_t>(from)] = *std::move(bytes);
        channel_->flush();
    }
    return got;
}

Result<std::vector<std::string>> Team::gather(std::string own, const std::stop_token& stop) {
    std::vector<std::string> got(static_cast<std::size_t>(count()));
    got[static_cast<std::size_t>(index())] = std::move(own);
    const int next = (index() + 1) % count(), before = (index() + count() - 1) % count();
    for (int round = 1; round < count(); ++round) {
        const auto passed = static_cast<std::size_t>((index() + count() - round + 1) % count());
        send_parts(next, got[passed]);
        Result<std::string> bytes = receive_parts(before, stop);
        if (!bytes) return std::move(bytes).error();
        got[static_cast<std::size_t>((index() + count() - round) % count())] = *std::move(bytes);
        channel_->flush();
    }
    return got;
}

// Answers the requests of other processes while the threads of this one are at work.
struct Handout::Server {
    explicit Server(Handout& handout) : thread([&handout] { serve(handout); }) {}

    static void serve(Handout& handout) {
        const auto is_done = [&] {
            const std::lock_guard lock(handout.channel_mutex_);
            return handout.unfinished_ == 0;
        };
        for (Pause pause; !is_done() && !handout.stop_.stop_requested();) {
            if (handout.answer_requests())
                pause.restart();
            else
                pause.wait();
        }
        const std::lock_guard lock(handout.channel_mutex_);
        if (handout.unfinished_ == 0) handout.team_.channel_->flush();
    }

    std::thread thread;
};

// Process 0: whether there were any.
bool Handout::answer_requests() {
    const std::lock_guard lock(channel_mutex_);
    Channel& channel = *team_.channel_;
    bool any = false;
    while (unfinished_ > 0) {
        const std::optional<Message> message = channel.poll(Channel::kAnyone, MessageKind::Request);
        if (!message) break;
        any = true;
        const Range range = take_range(static_cast<std::size_t>(channel.count()));
        if (range.count == 0) --unfinished_;
        ByteWriter reply;
        reply.unsigned_number(range.first);
        reply.unsigned_number(range.count);
        channel.send(message->from, MessageKind::Reply, std::move(reply).take());
    }
    return any;
}

Handout::Handout(Team& team, std::size_t items, std::size_t most_at_once, std::stop_token stop)
    : team_(team), stop_(std::move(stop)), items_(items), most_at_once_(most_at_once) {
    if (team.is_alone()) return;
    if (!team.is_first()) {
        request();
        return;
    }
    unfinished_ = team.count() - 1;
    server_ = std::make_unique<Server>(*this);
}

Handout::~Handout() {
    if (server_) server_->thread.join();
}

// A process gets fewer the fewer are left, so that all end together.
Handout::Range Handout::take_range(std::size_t processes) {
    constexpr std::size_t kTurns = 4;
    const std::lock_guard lock(mutex_);
    const std::size_t left = items_ - next_;
    const std::size_t count = std::min(left, std::clamp<std::size_t>(left / (processes * kTurns), 1, most_at_once_));
    const Range range{next_, count};
    next_ += count;
    return range;
}

void Handout::request() { team_.channel_->send(0, MessageKind::Request, {}); }

Handout::Range Handout::receive_range() {
    const Result<Message> reply = team_.receive(0, MessageKind::Reply, stop_);
    if (!reply) return {};
    ByteReader reader(reply->bytes);
    const std::uint64_t first = reader.unsigned_number(), count = reader.unsigned_number();
    if (!reader.ok() || first > items_ || count > items_ - first) return {};
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(count)};
}

std::optional<std::size_t> Handout::take() {
    if (stop_.stop_requested()) return std::nullopt;
    if (team_.is_first()) {
        if (server_) answer_requests();
        const std::lock_guard lock(mutex_);
        return next_ < items_ ? std::optional(next_++) : std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    if (mine_.count == 0 && !finished_) {
        mine_ = receive_range();
        finished_ = mine_.count == 0;
        if (!finished_) request();
    }
    if (mine_.count == 0) return std::nullopt;
    --mine_.count;
    return mine_.first++;
}

}  // namespace core
