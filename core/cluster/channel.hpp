#pragma once
// Messages between the processes of one job. Between two processes, messages of one kind arrive whole and in the order
// in which they were sent. One thread at a time, whichever. What carries them (MPI, a test's queues) is not known here.

#include <cstdint>
#include <optional>
#include <string>

namespace core {

enum class MessageKind : std::uint8_t { Broadcast, Reduce, Request, Reply, Exchange };

struct Message {
    int from = 0;
    std::string bytes{};
};

class Channel {
public:
    static constexpr int kAnyone = -1;

    virtual ~Channel() = default;
    virtual int index() const = 0;  // of this process, from 0
    virtual int count() const = 0;
    // Takes the bytes and does not wait for the receiver.
    virtual void send(int to, MessageKind, std::string bytes) = 0;
    // The next message of this kind from this process, or from any (kAnyone); absent while there is none.
    virtual std::optional<Message> poll(int from, MessageKind) = 0;
    // Returns when receivers have what was sent to them, or need nothing more of this process to get it.
    virtual void flush() = 0;
};

}  // namespace core
