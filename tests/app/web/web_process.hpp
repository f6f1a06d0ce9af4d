#pragma once
// `lockstep web` as a process, and raw connections to it.

#include "tests/app/cli.hpp"
#include "tests/app/x_server.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace app::testing {

class WebProcess {
public:
    explicit WebProcess(const std::vector<std::string>& words) {
        std::vector<std::string> all{core::testing::lockstep_binary(), "web", "--no-cache"};
        all.insert(all.end(), words.begin(), words.end());
        process_ = std::make_unique<Process>(all, std::vector<std::pair<std::string, std::string>>{}, messages());
        const auto end = std::chrono::steady_clock::now() + kDeadline;
        std::string text;
        while (text.find('\n') == std::string::npos && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            text = read_file(messages());
        }
        INFO(text);
        REQUIRE(text.starts_with("http://"));
        url_ = text.substr(0, text.find('\n'));
    }
    const std::string& url() const { return url_; }
    std::string token() const { return url_.substr(url_.find('#') + 1); }
    std::uint16_t port() const {
        const std::size_t at = url_.find(':', url_.find("//"));
        return static_cast<std::uint16_t>(std::stoi(url_.substr(at + 1)));
    }
    std::string host() const { return "127.0.0.1:" + std::to_string(port()); }
    // Asks it to end; its exit status, and all that it said.
    std::pair<std::optional<int>, std::string> end() {
        process_->ask_to_end();
        const std::optional<int> status = process_->wait_end();
        return {status, read_file(messages())};
    }

private:
    std::filesystem::path messages() const { return folder_.path() / "messages"; }

    core::testing::TempFolder folder_;
    std::unique_ptr<Process> process_;
    std::string url_;
};

// Bytes to and from the server; every read has a limit of ten seconds.
class RawConnection {
public:
    explicit RawConnection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    explicit RawConnection(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~RawConnection() { ::close(socket_); }
    RawConnection(const RawConnection&) = delete;
    RawConnection& operator=(const RawConnection&) = delete;

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    // Until `count` bytes are there, or the connection ends, or nothing came for a while.
    std::string read(std::size_t count, int milliseconds = 10'000) {
        while (buffer_.size() < count) {
            if (!fill(milliseconds)) break;
        }
        std::string taken = buffer_.substr(0, count);
        buffer_.erase(0, taken.size());
        return taken;
    }
    // Through the empty line after the headers.
    std::string read_headers() {
        while (buffer_.find("\r\n\r\n") == std::string::npos)
            if (!fill(10'000)) return std::exchange(buffer_, {});
        const std::size_t end = buffer_.find("\r\n\r\n") + 4;
        std::string taken = buffer_.substr(0, end);
        buffer_.erase(0, end);
        return taken;
    }
    std::string read_all() {
        while (fill(10'000)) {}
        return std::exchange(buffer_, {});
    }
    bool ended() const { return ended_; }

private:
    bool fill(int milliseconds) {
        pollfd ready{socket_, POLLIN, 0};
        if (::poll(&ready, 1, milliseconds) != 1) return false;
        char piece[65'536];
        const ssize_t got = ::read(socket_, piece, sizeof piece);
        if (got <= 0) {
            ended_ = true;
            return false;
        }
        buffer_.append(piece, static_cast<std::size_t>(got));
        return true;
    }

    int socket_;
    std::string buffer_;
    bool ended_ = false;
};

}  // namespace app::testing
