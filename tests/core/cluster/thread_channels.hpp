#pragma once
// Processes of a team as threads of one test, with queues between them.

#include "core/cluster/team.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace core::testing {

class ThreadChannels {
public:
    // Sees each message before it is sent, and may change it; one at a time.
    using OnSend = std::function<void(int from, MessageKind, std::string& bytes)>;

    // Calls body(team) on a thread per process, and returns when all have ended.
    static void run(int count, const std::function<void(Team&)>& body, const OnSend& on_send = {}) {
        ThreadChannels channels;
        channels.on_send_ = on_send;
        std::vector<std::thread> threads;
        for (int index = 0; index < count; ++index) {
            threads.emplace_back([&channels, &body, index, count] {
                End end(channels, index, count);
                Team team(end);
                body(team);
            });
        }
        for (std::thread& thread : threads) thread.join();
    }

private:
    class End final : public Channel {
    public:
        End(ThreadChannels& all, int index, int count) : all_(all), index_(index), count_(count) {}
        int index() const override { return index_; }
        int count() const override { return count_; }
        void send(int to, MessageKind kind, std::string bytes) override {
            const std::lock_guard lock(all_.mutex_);
            if (all_.on_send_) all_.on_send_(index_, kind, bytes);
            all_.queues_[{to, kind}].push_back({index_, std::move(bytes)});
        }
        std::optional<Message> poll(int from, MessageKind kind) override {
            const std::lock_guard lock(all_.mutex_);
            std::deque<Message>& queue = all_.queues_[{index_, kind}];
            for (auto it = queue.begin(); it != queue.end(); ++it) {
                if (from != kAnyone && it->from != from) continue;
                Message message = std::move(*it);
                queue.erase(it);
                return message;
            }
            return std::nullopt;
        }
        void flush() override {}

    private:
        ThreadChannels& all_;
        int index_;
        int count_;
    };

    std::mutex mutex_;
    OnSend on_send_{};
    std::map<std::pair<int, MessageKind>, std::deque<Message>> queues_;
};

}  // namespace core::testing
