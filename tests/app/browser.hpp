#pragma once
// Headless Chromium, as a user's browser: the page after its scripts ran, and the requests it made.
// Every request goes to a local listener.

#include "tests/app/cli.hpp"
#include "tests/app/x_server.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace app::testing {

// A proxy that answers nothing and records the first line of every request.
class Listener {
public:
    Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(socket_, 64) == 0);
        REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { work(); });
    }
    ~Listener() {
        stop_ = true;
        thread_.join();
        ::close(socket_);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int port() const { return port_; }
    // Requests for this host since the listener was created.
    std::size_t count(std::string_view host) const {
        const std::lock_guard lock(mutex_);
        std::size_t count = 0;
        for (const std::string& request : requests_) count += request.find(host) != std::string::npos ? 1 : 0;
        return count;
    }

private:
    void work() {
        while (!stop_) {
            pollfd ready{socket_, POLLIN, 0};
            if (::poll(&ready, 1, 20) != 1) continue;
            const int from = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
            if (from < 0) continue;
            char text[512];
            pollfd comes{from, POLLIN, 0};
            const ssize_t got = ::poll(&comes, 1, 500) == 1 ? ::read(from, text, sizeof text) : 0;
            ::close(from);
            if (got <= 0) continue;
            const std::lock_guard lock(mutex_);
            requests_.emplace_back(text, static_cast<std::size_t>(got));
        }
    }

    int socket_;
    int port_ = 0;
    std::atomic<bool> stop_{false};
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

class Browser {
public:
    // Empty without a browser.
    static std::string find() {
        for (const char* const name : {"chromium", "chromium-browser", "google-chrome"})
            if (is_installed(name)) return name;
        return {};
    }

    explicit Browser(std::string program) : program_(std::move(program)) {}

    // The page after its scripts ran; empty if the browser failed.
    std::string open(const std::filesystem::path& page) const {
        const std::string command =
            "timeout --kill-after=10 100 " + program_ +
            " --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions"
            " --disable-background-networking --disable-component-update --disable-sync --disable-default-apps"
            " --virtual-time-budget=5000 '--proxy-bypass-list=<-loopback>' --proxy-server=127.0.0.1:" +
            std::to_string(listener_.port()) + " --user-data-dir=" + quoted((profile_.path() / "profile").string()) +
            " --dump-dom " + quoted("file://" + page.string());
        const Outcome outcome = run_shell("export HOME=" + quoted(profile_.path().string()) + "; " + command);
        return outcome.status == 0 ? outcome.out : std::string();
    }
    std::size_t requests_to(std::string_view host) const { return listener_.count(host); }

private:
    std::string program_;
    core::testing::TempFolder profile_;
    Listener listener_;
};

}  // namespace app::testing
