#pragma once
// Headless Chromium, worked through its remote debugging pipe: JSON messages ended by NUL on the
// descriptors 3 and 4. No port is opened.

#include "tests/app/cli.hpp"
#include "tests/app/x_server.hpp"
#include "tests/core/temp_folder.hpp"
#include "ui/platform/platform.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace app::testing {

class DevTools {
public:
    // Empty without a browser.
    static std::string find() {
        for (const char* const name : {"chromium", "chromium-browser", "google-chrome"})
            if (is_installed(name)) return name;
        return {};
    }

    explicit DevTools(const std::string& program) {
        int to[2];
        int from[2];
        REQUIRE(::pipe2(to, O_CLOEXEC) == 0);
        REQUIRE(::pipe2(from, O_CLOEXEC) == 0);
        const std::string profile = "--user-data-dir=" + (folder_.path() / "profile").string();
        const std::string home = folder_.path().string();
        pid_ = ::fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) {
            ::setpgid(0, 0);
            const int in = ::fcntl(to[0], F_DUPFD, 100);
            const int out = ::fcntl(from[1], F_DUPFD, 101);
            ::dup2(in, 3);
            ::dup2(out, 4);
            const int nothing = ::open("/dev/null", O_RDWR);
            for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
            ::setenv("HOME", home.c_str(), 1);
            ::execlp(program.c_str(), program.c_str(), "--headless=new", "--no-sandbox", "--remote-debugging-pipe",
                     "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-sync",
                     "--disable-background-networking", "--disable-component-update", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--hide-scrollbars", profile.c_str(), "about:blank", nullptr);
            ::_exit(127);
        }
        ::setpgid(pid_, pid_);
        ::close(to[0]);
        ::close(from[1]);
        write_ = to[1];
        read_ = from[0];
        const std::string target = call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
        session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
        call("Page.enable");
        call("Runtime.enable");
        call("Network.enable");
    }
    ~DevTools() {
        ::close(write_);
        ::close(read_);
        ::kill(-pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    DevTools(const DevTools&) = delete;
    DevTools& operator=(const DevTools&) = delete;

    nlohmann::json call(const std::string& method, nlohmann::json params = nlohmann::json::object()) {
        nlohmann::json message{{"id", ++number_}, {"method", method}, {"params", std::move(params)}};
        if (!session_.empty()) message["sessionId"] = session_;
        const std::string text = message.dump() + '\0';
        REQUIRE(::write(write_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        for (;;) {
            nlohmann::json answer = read_message();
            if (answer.value("id", 0) != number_) {
                note(answer);
                continue;
            }
            INFO(method << " " << answer.dump().substr(0, 400));
            REQUIRE(answer.contains("result"));
            return answer["result"];
        }
    }

    void resize(int width, int height, double ratio) {
        call("Emulation.setDeviceMetricsOverride",
             {{"width", width}, {"height", height}, {"deviceScaleFactor", ratio}, {"mobile", false}});
    }
    void open(const std::string& url) {
        call("Page.navigate", {{"url", url}});
        REQUIRE(wait_until("document.body && document.documentElement.dataset"));
    }
    nlohmann::json evaluate(const std::string& script) {
        const nlohmann::json result =
            call("Runtime.evaluate", {{"expression", script}, {"awaitPromise", true}, {"returnByValue", true}});
        INFO(result.dump());
        REQUIRE(!result.contains("exceptionDetails"));
        return result["result"].value("value", nlohmann::json());
    }
    bool wait_until(const std::string& script, std::chrono::seconds most = std::chrono::seconds(30)) {
        const auto end = std::chrono::steady_clock::now() + most;
        while (std::chrono::steady_clock::now() < end) {
            if (evaluate("Boolean(" + script + ")") == true) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
        }
        return false;
    }
    // Until the window is idle: nothing is computed, and no frame came for a while.
    bool wait_idle() {
        std::string last;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (std::chrono::steady_clock::now() < end) {
            const std::string now = evaluate(
                "JSON.stringify([document.documentElement.dataset.state, document.documentElement.dataset.frame,"
                "document.querySelector('canvas').ariaBusy])");
            if (now == last && now.find("connected") != std::string::npos && now.find("false") != std::string::npos)
                return true;
            last = now;
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
        }
        return false;
    }
    void allow_downloads(const std::filesystem::path& folder) {
        const std::string page = std::exchange(session_, {});
        call("Browser.setDownloadBehavior", {{"behavior", "allow"}, {"downloadPath", folder.string()}});
        session_ = page;
    }
    std::string state() { return evaluate("document.documentElement.dataset.state"); }
    std::string words() { return evaluate("document.getElementById('words').textContent"); }

    ui::Image picture() {
        const std::string text = call("Page.captureScreenshot", {{"format", "png"}})["data"];
        const std::filesystem::path file = folder_.path() / "page.png";
        std::ofstream(file, std::ios::binary) << from_base64(text);
        core::Result<ui::Image> image = ui::read_png(file);
        REQUIRE(image);
        return *std::move(image);
    }

    void mouse(const std::string& type, double x, double y, const std::string& button = "none", int buttons = 0) {
        call("Input.dispatchMouseEvent", {{"type", type},
                                          {"x", x},
                                          {"y", y},
                                          {"button", button},
                                          {"buttons", buttons},
                                          {"clickCount", type == "mouseMoved" ? 0 : 1}});
    }
    void click(double x, double y) {
        mouse("mouseMoved", x, y);
        mouse("mousePressed", x, y, "left", 1);
        mouse("mouseReleased", x, y, "left");
    }
    void wheel(double x, double y, double delta, int modifiers = 0) {
        call("Input.dispatchMouseEvent",
             {{"type", "mouseWheel"}, {"x", x}, {"y", y}, {"deltaX", 0}, {"deltaY", delta}, {"modifiers", modifiers}});
    }
    // modifiers: 2 Ctrl, 8 Shift
    void key(const std::string& code, const std::string& key, int virtual_key, int modifiers = 0) {
        const bool control = (modifiers & 2) != 0;
        const bool shift = (modifiers & 8) != 0;
        if (control) change_key("rawKeyDown", "ControlLeft", "Control", 17, 2);
        if (shift) change_key("rawKeyDown", "ShiftLeft", "Shift", 16, modifiers);
        change_key("rawKeyDown", code, key, virtual_key, modifiers);
        change_key("keyUp", code, key, virtual_key, modifiers);
        if (shift) change_key("keyUp", "ShiftLeft", "Shift", 16, modifiers & 2);
        if (control) change_key("keyUp", "ControlLeft", "Control", 17, 0);
    }
    void type(const std::string& text) { call("Input.insertText", {{"text", text}}); }

    // Bytes of WebSocket messages that the page received, and their number.
    std::size_t received_bytes() const { return received_bytes_; }
    std::size_t received_messages() const { return received_messages_; }
    std::string console() const { return console_; }

private:
    void change_key(const std::string& type, const std::string& code, const std::string& key, int virtual_key,
                    int modifiers) {
        call("Input.dispatchKeyEvent", {{"type", type},
                                        {"code", code},
                                        {"key", key},
                                        {"windowsVirtualKeyCode", virtual_key},
                                        {"modifiers", modifiers}});
    }

    static std::string from_base64(const std::string& text) {
        std::string bytes;
        unsigned bits = 0;
        int count = 0;
        for (const char c : text) {
            const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                              : c >= 'a' && c <= 'z' ? c - 'a' + 26
                              : c >= '0' && c <= '9' ? c - '0' + 52
                              : c == '+'             ? 62
                              : c == '/'             ? 63
                                                     : -1;
            if (value < 0) break;
            bits = bits << 6 | static_cast<unsigned>(value);
            count += 6;
            if (count < 8) continue;
            count -= 8;
            bytes += static_cast<char>(bits >> count & 255);
        }
        return bytes;
    }

    void note(const nlohmann::json& event) {
        const std::string method = event.value("method", "");
        if (method == "Network.webSocketFrameReceived") {
            ++received_messages_;
            const std::string data = event["params"]["response"]["payloadData"];
            received_bytes_ += data.size() / 4 * 3;
        }
        if (method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown")
            console_ += event["params"].dump().substr(0, 2'000) + "\n";
    }

    nlohmann::json read_message() {
        for (;;) {
            if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
                nlohmann::json message = nlohmann::json::parse(buffer_.substr(0, end));
                buffer_.erase(0, end + 1);
                return message;
            }
            pollfd ready{read_, POLLIN, 0};
            REQUIRE(::poll(&ready, 1, 60'000) == 1);
            char piece[65'536];
            const ssize_t got = ::read(read_, piece, sizeof piece);
            REQUIRE(got > 0);
            buffer_.append(piece, static_cast<std::size_t>(got));
        }
    }

    core::testing::TempFolder folder_;
    pid_t pid_ = -1;
    int write_ = -1;
    int read_ = -1;
    int number_ = 0;
    std::string session_;
    std::string buffer_;
    std::string console_;
    std::size_t received_bytes_ = 0;
    std::size_t received_messages_ = 0;
};

}  // namespace app::testing
