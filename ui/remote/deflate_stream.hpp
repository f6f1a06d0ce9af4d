#pragma once
// One raw deflate stream over all messages of a connection, flushed after each, so that a message
// can refer to those before. Level 1. One thread at a time.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ui::remote {

class DeflateStream {
public:
    DeflateStream();  // throws std::bad_alloc
    ~DeflateStream();
    DeflateStream(const DeflateStream&) = delete;
    DeflateStream& operator=(const DeflateStream&) = delete;

    // The bytes that give the message to a reader that inflated all before.
    std::string add(std::string_view message);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// A whole raw stream of a page. Absent: damaged, cut off, or of more than `most` bytes. Any bytes are safe.
std::optional<std::string> inflate_whole(std::string_view packed, std::size_t most);

}  // namespace ui::remote
