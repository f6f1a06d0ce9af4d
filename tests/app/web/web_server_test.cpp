// Rules of connecting to `lockstep web`, and limits of a connection without the token.

#include "tests/app/web/web_process.hpp"
#include "tests/ui/remote/page_input.hpp"
#include "ui/remote/page_request.hpp"
#include "ui/remote/page_stream.hpp"

#include <thread>

#include <sys/stat.h>

using app::testing::lockstep;
using app::testing::RawConnection;
using app::testing::WebProcess;
using core::testing::TempFolder;
using ui::remote::WireWriter;
namespace fs = std::filesystem;

namespace {

std::string get(const WebProcess& web, const std::string& target, const std::string& host,
                const std::string& method = "GET") {
    RawConnection connection(web.port());
    connection.send(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    return connection.read_all();
}

bool has_status(const std::string& answer, int status) {
    return answer.starts_with("HTTP/1.1 " + std::to_string(status) + " ");
}

std::string upgrade(const std::string& host, const std::string& origin) {
    return "GET /socket HTTP/1.1\r\nHost: " + host + "\r\n" + (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
}

// Client frames are masked; with zeros here, so that the bytes stay as they are.
std::string as_frame(std::string_view message) {
    std::string frame = "\x82";
    if (message.size() < 126) {
        frame += static_cast<char>(0x80 | message.size());
    } else {
        const bool is_long = message.size() > 65'535;
        frame += static_cast<char>(0x80 | (is_long ? 127 : 126));
        for (int shift = is_long ? 56 : 8; shift >= 0; shift -= 8)
            frame += static_cast<char>(message.size() >> shift & 255);
    }
    return frame + std::string(4, '\0') + std::string(message);
}

std::string begin_message(const std::string& token, bool takes_over = false,
                          std::string_view protocol = ui::remote::kProtocol) {
    WireWriter out;
    out.add_byte(static_cast<std::uint8_t>(ui::remote::RequestKind::Begin));
    out.add_text(protocol);
    out.add_text(token);
    out.add_byte(takes_over ? 1 : 0);
    out.add_byte(0);
    out.add_varint(800);
    out.add_varint(600);
    out.add_float(1);
    return out.take();
}

class Page {
public:
    explicit Page(const WebProcess& web) : connection_(web.port()) {
        connection_.send(upgrade(web.host(), "http://" + web.host()));
        REQUIRE(has_status(connection_.read_headers(), 101));
    }
    void send(std::string_view message) { connection_.send(as_frame(message)); }
    // The code of the close frame that ends the connection; 0: it ends without one, -1: it goes on.
    int end_code() {
        for (;;) {
            const auto [kind, body] = read();
            if (kind < 0) return connection_.ended() ? 0 : -1;
            if (kind == 8 && body.size() >= 2)
                return static_cast<unsigned char>(body[0]) << 8 | static_cast<unsigned char>(body[1]);
        }
    }
    // Whether a message of the window comes.
    bool is_served() { return read().first == 2; }

private:
    // A frame's kind and content; below zero: none came.
    std::pair<int, std::string> read() {
        const std::string head = connection_.read(2);
        if (head.size() < 2) return {-1, ""};
        std::size_t length = static_cast<unsigned char>(head[1]) & 127;
        if (length >= 126) {
            const std::string more = connection_.read(length == 126 ? 2 : 8);
            length = 0;
            for (const char byte : more) length = length << 8 | static_cast<unsigned char>(byte);
        }
        return {head[0] & 15, connection_.read(length)};
    }

    RawConnection connection_;
};

}  // namespace

TEST_CASE("the page and its files are served with strict headers, other paths and methods are not") {
    const WebProcess web({});
    for (const char* const target : {"/", "/page.js", "/page.css", "/frame_reader.js", "/painter.js", "/page_input.js",
                                     "/shaders.json", "/?x=1"}) {
        CAPTURE(target);
        const std::string answer = get(web, target, web.host());
        CHECK(has_status(answer, 200));
        CHECK(answer.find("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
                          "connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
                          "frame-ancestors 'none'\r\n") != std::string::npos);
        CHECK(answer.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
        CHECK(answer.find("Referrer-Policy: no-referrer\r\n") != std::string::npos);
        CHECK(answer.find("Cross-Origin-Resource-Policy: same-origin\r\n") != std::string::npos);
        CHECK(answer.find("Set-Cookie") == std::string::npos);
        CHECK(answer.find(web.token()) == std::string::npos);
    }
    for (const char* const target : {"/index.htm", "/../etc/passwd", "/%2e%2e/etc/passwd", "/etc/passwd", "//", "*"}) {
        CAPTURE(target);
        CHECK(has_status(get(web, target, web.host()), 404));
    }
    CHECK(has_status(get(web, "/", web.host(), "POST"), 405));
    CHECK(has_status(get(web, "/", web.host(), "DELETE"), 405));
    const std::string head = get(web, "/", web.host(), "HEAD");
    CHECK(has_status(head, 200));
    CHECK(head.ends_with("\r\n\r\n"));
    RawConnection long_header(web.port());
    long_header.send("GET / HTTP/1.1\r\nHost: " + web.host() + "\r\nX: " + std::string(9'000, 'x') + "\r\n\r\n");
    CHECK(!has_status(long_header.read_all(), 200));
}

TEST_CASE("a Host that is not this machine's loopback is refused with words about --host") {
    const WebProcess web({});
    const std::string port = ":" + std::to_string(web.port());
    for (const std::string& host :
         {std::string("127.0.0.1"), "localhost" + port, std::string("[::1]:1"), std::string("LOCALHOST:65535")})
        CHECK(has_status(get(web, "/", host), 200));
    for (const std::string& host :
         {"evil.example" + port, std::string("127.0.0.1.evil.example"), std::string("localhost:x"),
          std::string("localhost:123456"), std::string(""), std::string("user@localhost"), "0.0.0.0" + port}) {
        CAPTURE(host);
        const std::string answer = get(web, "/", host);
        CHECK(has_status(answer, 421));
        CHECK(answer.find("lockstep web --host hub.example.org PATH") != std::string::npos);
    }
    const WebProcess proxied({"--host=Hub.Example.org"});
    const std::string answer = get(proxied, "/", "hub.example.org");
    CHECK(has_status(answer, 200));
    CHECK(answer.find("frame-ancestors 'self' http://hub.example.org:* https://hub.example.org:*\r\n") !=
          std::string::npos);
    CHECK(has_status(get(proxied, "/", "other.example.org"), 421));
}

TEST_CASE("a WebSocket is opened for a page of the same origin only") {
    const WebProcess web({"--host=hub.example.org"});
    const auto status_of = [&](const std::string& host, const std::string& origin) {
        RawConnection connection(web.port());
        connection.send(upgrade(host, origin));
        return connection.read_headers().substr(9, 3);
    };
    CHECK(status_of(web.host(), "http://" + web.host()) == "101");
    CHECK(status_of("localhost:8000", "http://localhost:8000") == "101");
    CHECK(status_of(web.host(), "https://hub.example.org") == "101");
    CHECK(status_of(web.host(), "") == "403");
    CHECK(status_of(web.host(), "null") == "403");
    CHECK(status_of(web.host(), "http://evil.example") == "403");
    CHECK(status_of(web.host(), "http://127.0.0.1:1") == "403");
    CHECK(status_of(web.host(), "http://hub.example.org.evil.example") == "403");
    CHECK(status_of("evil.example", "http://evil.example") == "421");
    CHECK(get(web, "/socket", web.host()).find(" 403 ") != std::string::npos);
}

TEST_CASE("only the token opens the window; a wrong one is delayed and locks nobody out") {
    const WebProcess web({});
    CHECK(web.token().size() == 32);
    const auto code_of = [&](const std::string& begin) {
        Page page(web);
        page.send(begin);
        return page.end_code();
    };
    const auto before = std::chrono::steady_clock::now();
    CHECK(code_of(begin_message(std::string(32, '0'))) == 4001);
    CHECK(std::chrono::steady_clock::now() - before > std::chrono::milliseconds(900));
    CHECK(code_of(begin_message(web.token(), false, "lockstep.web/0")) == 4002);
    std::vector<std::unique_ptr<Page>> wrong;
    for (const std::string& token : {std::string(), web.token().substr(1), web.token() + "0", std::string(100, 'f')}) {
        wrong.push_back(std::make_unique<Page>(web));
        wrong.back()->send(begin_message(token));
    }
    Page right(web);
    right.send(begin_message(web.token()));
    CHECK(right.is_served());
    for (const std::unique_ptr<Page>& page : wrong) CHECK(page->end_code() == 4001);
    CHECK(code_of(begin_message(web.token())) == 4003);
    Page other(web);
    other.send(begin_message(web.token(), true));
    CHECK(other.is_served());
    CHECK(right.end_code() == 4004);
}

TEST_CASE("connections without the token are few and short, and the oldest makes room") {
    const WebProcess web({});
    std::vector<std::unique_ptr<RawConnection>> idle;
    for (int i = 0; i < 20; ++i) {
        idle.push_back(std::make_unique<RawConnection>(web.port()));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    CHECK(has_status(get(web, "/", web.host()), 200));
    const auto before = std::chrono::steady_clock::now();
    for (const auto& connection : idle) CHECK(connection->read(1).empty());
    CHECK(idle.back()->ended());
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(9));
    Page silent(web);
    CHECK(silent.end_code() == 0);  // five seconds to say its token
    Page large(web);
    large.send(std::string(513, 'x'));
    CHECK(large.end_code() != -1);
}

TEST_CASE("damaged and too many messages end the page's connection, not the program") {
    const WebProcess web({});
    const auto code_after = [&](const std::string& message, int times = 1) {
        Page page(web);
        page.send(begin_message(web.token(), true));
        REQUIRE(page.is_served());
        for (int i = 0; i < times; ++i) page.send(message);
        return page.end_code();
    };
    const std::string input(1, static_cast<char>(ui::remote::RequestKind::Input));
    CHECK(code_after("\x7F") == 4006);
    CHECK(code_after(input + "\xFF") == 4006);
    CHECK(code_after(begin_message(web.token())) == 4006);
    CHECK(code_after(input + ui::testing::PageMessage().size(63, 600, 1).bytes()) == 4006);
    CHECK(code_after(input + ui::testing::PageMessage().size(20'000, 600, 1).bytes()) == 4006);
    ui::testing::PageMessage many;
    for (int i = 0; i < 900; ++i) many.wheel(0, 0, 0);
    CHECK(code_after(input + many.bytes(), 8) == 4006);
    CHECK(has_status(get(web, "/", web.host()), 200));
}

TEST_CASE("the server listens at the loopback, elsewhere only with a warning, or at a socket of mode 0600") {
    {
        WebProcess web({});
        CHECK(web.url().starts_with("http://127.0.0.1:"));
        const auto [status, words] = web.end();
        CHECK((status == 0 || status == 130));  // 130: it was slow
        CHECK(words.find("nothing is encrypted") == std::string::npos);
    }
    {
        WebProcess web({"--listen=0.0.0.0"});
        CHECK(web.end().second.find("nothing is encrypted") != std::string::npos);
    }
    const TempFolder folder;
    const fs::path path = folder.path() / "socket";
    {
        WebProcess web({"--socket=" + path.string()});
        CHECK((fs::status(path).permissions() & fs::perms::mask) == (fs::perms::owner_read | fs::perms::owner_write));
        RawConnection connection(path.string());
        connection.send("GET / HTTP/1.1\r\nHost: localhost:8000\r\nConnection: close\r\n\r\n");
        CHECK(has_status(connection.read_all(), 200));
        CHECK(web.end().second.find("ssh -L 8000:" + path.string()) != std::string::npos);
    }
    CHECK(!fs::exists(path));
    CHECK(lockstep({"web", "--socket=x", "--port=1"}).status == 2);
    CHECK(lockstep({"web", "--listen=nowhere"}).status == 1);
    CHECK(lockstep({"web", "--host=a/b"}).status == 2);
}
