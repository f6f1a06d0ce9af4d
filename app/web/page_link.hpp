#pragma once
// Between the server's thread and the window's: the page that shows the window, what it sent, and
// where to send to. One page at a time. Thread-safe.

#include "ui/remote/page_request.hpp"
#include "ui/remote/page_stream.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app::web {

// Reasons for which a connection ends, as close codes that the page knows.
enum class EndCode : std::uint16_t {
    WrongToken = 4001,
    OtherProtocol = 4002,  // the page is of another version and loads itself again
    Shown = 4003,          // another page shows the window
    TakenOver = 4004,
    Ended = 4005,          // the program
    Misused = 4006,        // damaged, too large or too many messages
};

// A page's connection; any thread may call it.
class PageSocket {
public:
    PageSocket() = default;
    virtual ~PageSocket() = default;
    PageSocket(const PageSocket&) = delete;
    PageSocket& operator=(const PageSocket&) = delete;
    virtual void send(std::string bytes) = 0;
    virtual void close(EndCode code, std::string reason) = 0;  // after what was sent
};

class PageLink {
public:
    explicit PageLink(std::function<void()> wake) : wake_(std::move(wake)) {}

    // The server's thread.
    bool attach(const std::shared_ptr<PageSocket>&, const ui::remote::PageBegin&);  // false: another page shows it
    void receive(const PageSocket&, std::string message);
    void detach(const PageSocket&);

    // The window's thread.
    struct Arrivals {
        std::optional<ui::remote::PageBegin> begun;  // a new page, before the messages
        std::uint64_t page = 0;                      // its number
        std::vector<std::string> messages;           // of the page that is there now
        bool left = false;                           // no page is there any more
    };
    Arrivals take();
    bool has_arrivals() const;
    void send(std::uint64_t page, std::string bytes);  // unless another one has come since
    void close(EndCode code, std::string reason);

    static constexpr std::size_t kMostWaitingBytes = std::size_t{96} << 20;
    static constexpr std::size_t kMostWaiting = 4'000;

private:
    std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::shared_ptr<PageSocket> page_;
    std::uint64_t pages_ = 0;  // that were attached
    Arrivals arrivals_;
    std::size_t waiting_bytes_ = 0;
};

}  // namespace app::web
