#pragma once
// Serves the page and its WebSocket, on a thread of its own. The one source that includes
// Boost.Beast, without its permessage-deflate. Checks Host, Origin and token; what an accepted page
// sends goes to the PageLink.

#include "app/web/page_link.hpp"
#include "app/web/request_rules.hpp"
#include "core/base/result.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace app::web {

struct ServerOptions {
    std::string address = "127.0.0.1";  // and ::1, if it is this one
    std::uint16_t port = 0;             // 0: a free one
    std::filesystem::path socket = {};  // a Unix socket instead; its folder exists
    HostNames names = {};               // --host
    std::string token;
    std::chrono::milliseconds failure_delay{1'000};  // of a wrong token
    std::chrono::milliseconds begin_time{5'000};     // for requests, and from a WebSocket to its token
};

class WebServer {
public:
    // A connection more than this, without a token, ends the oldest of them: nobody is locked out.
    static constexpr std::size_t kMostUnknown = 16;

    static core::Result<std::unique_ptr<WebServer>> start(const ServerOptions&, PageLink&);
    ~WebServer();  // sends what is left for a moment, then closes everything
    WebServer(const WebServer&) = delete;
    WebServer& operator=(const WebServer&) = delete;

    std::uint16_t port() const;  // 0: a Unix socket

private:
    struct State;
    explicit WebServer(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

}  // namespace app::web
