#include "app/web/web_server.hpp"

#include "app/web/access_token.hpp"
#include "app/web/served_files.hpp"

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <algorithm>
#include <deque>
#include <list>
#include <thread>
#include <utility>

namespace app::web {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;
using Socket = net::generic::stream_protocol::socket;
using Stream = beast::basic_stream<net::generic::stream_protocol>;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr std::size_t kMostHeaderBytes = 8'192;
constexpr std::chrono::seconds kPingTime{30};
constexpr std::size_t kMostUnsent = std::size_t{64} << 20;

std::string_view to_view(beast::string_view text) { return {text.data(), text.size()}; }
beast::string_view to_beast(std::string_view text) { return {text.data(), text.size()}; }

// A connection that has shown no token yet.
class Unknown {
public:
    virtual ~Unknown() = default;
    virtual void drop() = 0;
};

// Shared by all connections; used on the server's thread only.
class Shared {
public:
    Shared(const ServerOptions& options, PageLink& link) : options_(options), link_(link) {}

    const ServerOptions& options() const { return options_; }
    PageLink& link() { return link_; }
    void add(const std::shared_ptr<Unknown>& connection) {
        unknown_.remove_if([](const std::weak_ptr<Unknown>& each) { return each.expired(); });
        unknown_.push_back(connection);
        while (unknown_.size() > WebServer::kMostUnknown) {
            if (const std::shared_ptr<Unknown> oldest = unknown_.front().lock()) oldest->drop();
            unknown_.pop_front();
        }
    }
    void remove(const Unknown* connection) {
        unknown_.remove_if([&](const std::weak_ptr<Unknown>& each) {
            const std::shared_ptr<Unknown> held = each.lock();
            return !held || held.get() == connection;
        });
    }

private:
    ServerOptions options_;
    PageLink& link_;
    std::list<std::weak_ptr<Unknown>> unknown_;  // oldest first
};

// A WebSocket: first its token, then the messages of the page.
class PageConnection final : public PageSocket, public Unknown, public std::enable_shared_from_this<PageConnection> {
public:
    PageConnection(Stream stream, std::shared_ptr<Shared> shared)
        : socket_(std::move(stream)), shared_(std::move(shared)), timer_(socket_.get_executor()) {}

    void run(const Request& request) {
        shared_->add(shared_from_this());
        beast::get_lowest_layer(socket_).expires_never();
        websocket::stream_base::timeout timeout{};
        timeout.handshake_timeout = shared_->options().begin_time;
        timeout.idle_timeout = kPingTime * 3;  // pings are sent after half of it
        timeout.keep_alive_pings = true;
        socket_.set_option(timeout);
        socket_.set_option(websocket::stream_base::decorator([names = shared_->options().names](auto& response) {
            for (const auto& [name, value] : answer_headers(names)) response.set(to_beast(name), to_beast(value));
        }));
        socket_.read_message_max(ui::remote::kMostBeginBytes);
        socket_.binary(true);
        wait(shared_->options().begin_time, [this] { drop(); });
        socket_.async_accept(request, [self = shared_from_this()](error_code error) {
            if (!error) self->read();
        });
    }

    void drop() override { beast::get_lowest_layer(socket_).close(); }

    void send(std::string bytes) override {
        net::post(socket_.get_executor(), [self = shared_from_this(), bytes = std::move(bytes)]() mutable {
            self->unsent_ += bytes.size();
            self->out_.push_back(std::move(bytes));
            if (self->unsent_ > kMostUnsent) return self->drop();
            if (self->out_.size() == 1) self->write();
        });
    }

    void close(EndCode code, std::string reason) override {
        net::post(socket_.get_executor(),
                  [self = shared_from_this(), code, reason = std::move(reason)] { self->end(code, reason); });
    }

private:
    template <class Then>
    void wait(std::chrono::milliseconds time, Then then) {
        timer_.expires_after(time);
        timer_.async_wait([self = shared_from_this(), then](error_code error) {
            if (!error) then();
        });
    }

    void read() {
        socket_.async_read(in_, [self = shared_from_this()](error_code error, std::size_t) {
            if (error) return self->leave();
            const std::string message = beast::buffers_to_string(self->in_.data());
            self->in_.consume(self->in_.size());
            self->take(message);
        });
    }

    void take(const std::string& message) {
        if (ended_) return;
        if (!accepted_) return begin(message);
        shared_->link().receive(*this, message);
        read();
    }

    void begin(const std::string& message) {
        const std::optional<ui::remote::PageBegin> begin = ui::remote::decode_begin(message);
        if (begin && begin->protocol != ui::remote::kProtocol)
            return end(EndCode::OtherProtocol, "The page is of another version than the program.");
        if (!begin || !is_same_token(shared_->options().token, begin->token)) {
            ended_ = true;
            return wait(shared_->options().failure_delay, [this] {
                ended_ = false;
                end(EndCode::WrongToken, "The address has no valid token. Use the one that the program printed.");
            });
        }
        if (!shared_->link().attach(shared_from_this(), *begin))
            return end(EndCode::Shown, "Another page shows this window.");
        accepted_ = true;
        timer_.cancel();
        shared_->remove(this);
        socket_.read_message_max(ui::remote::kMostPictureBytes);
        read();
    }

    void write() {
        socket_.async_write(net::buffer(out_.front()), [self = shared_from_this()](error_code error, std::size_t) {
            if (error) return self->leave();
            self->unsent_ -= self->out_.front().size();
            self->out_.pop_front();
            if (!self->out_.empty()) return self->write();
            if (self->ended_) self->write_close();
        });
    }

    void end(EndCode code, const std::string& reason) {
        if (ended_) return;
        ended_ = true;
        constexpr std::size_t kMostReason = 120;
        reason_ =
            websocket::close_reason(static_cast<websocket::close_code>(code), to_beast(reason.substr(0, kMostReason)));
        wait(shared_->options().begin_time, [this] { drop(); });
        if (out_.empty()) write_close();
    }

    void write_close() {
        socket_.async_close(reason_, [self = shared_from_this()](error_code) { self->leave(); });
    }

    void leave() {
        timer_.cancel();
        if (accepted_) shared_->link().detach(*this);
    }

    websocket::stream<Stream> socket_;
    std::shared_ptr<Shared> shared_;
    net::steady_timer timer_;
    beast::flat_buffer in_;
    std::deque<std::string> out_;
    std::size_t unsent_ = 0;  // bytes of them
    websocket::close_reason reason_;
    bool accepted_ = false;
    bool ended_ = false;
};

// Requests for files, until one becomes a WebSocket.
class FileConnection final : public Unknown, public std::enable_shared_from_this<FileConnection> {
public:
    FileConnection(Socket socket, std::shared_ptr<Shared> shared)
        : stream_(std::move(socket)), shared_(std::move(shared)), in_(kMostHeaderBytes) {}

    void run() {
        shared_->add(shared_from_this());
        read();
    }
    void drop() override { stream_.close(); }

private:
    void read() {
        parser_.emplace();
        parser_->header_limit(kMostHeaderBytes);
        parser_->body_limit(0);
        stream_.expires_after(shared_->options().begin_time);
        http::async_read(stream_, in_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
            if (error) return self->drop();
            self->answer(self->parser_->get());
        });
    }

    void answer(const Request& request) {
        const HostNames& names = shared_->options().names;
        const std::string_view host = to_view(request[http::field::host]);
        if (!is_own_host(host, names))
            return write(request, http::status::misdirected_request, "text/plain; charset=utf-8", wrong_host_page());
        const std::string_view target = to_view(request.target());
        if (target == "/socket") return open_socket(request, host);
        if (request.method() != http::verb::get && request.method() != http::verb::head)
            return write(request, http::status::method_not_allowed, "text/plain", "only GET\n");
        std::optional<ServedFile> file = find_served(target);
        if (!file) return write(request, http::status::not_found, "text/plain", "not found\n");
        write(request, http::status::ok, file->type, std::move(file->content));
    }

    void open_socket(const Request& request, std::string_view host) {
        if (!is_own_origin(to_view(request[http::field::origin]), host, shared_->options().names))
            return write(request, http::status::forbidden, "text/plain", "a page of another origin; see --host\n");
        if (!websocket::is_upgrade(request))
            return write(request, http::status::upgrade_required, "text/plain", "only WebSocket\n");
        shared_->remove(this);
        std::make_shared<PageConnection>(std::move(stream_), shared_)->run(request);
    }

    void write(const Request& request, http::status status, std::string_view type, std::string content) {
        response_ = Response(status, request.version());
        for (const auto& [name, value] : answer_headers(shared_->options().names))
            response_.set(to_beast(name), to_beast(value));
        response_.set(http::field::content_type, to_beast(type));
        response_.keep_alive(request.keep_alive() && status == http::status::ok);
        response_.body() = std::move(content);
        response_.prepare_payload();
        if (request.method() == http::verb::head) response_.body().clear();
        stream_.expires_after(shared_->options().begin_time);
        http::async_write(stream_, response_, [self = shared_from_this()](error_code error, std::size_t) {
            if (error || !self->response_.keep_alive()) return self->finish();
            self->read();
        });
    }

    void finish() {
        error_code ignored;
        stream_.socket().shutdown(Socket::shutdown_send, ignored);
        drop();
    }

    Stream stream_;
    std::shared_ptr<Shared> shared_;
    beast::flat_buffer in_;
    std::optional<http::request_parser<http::empty_body>> parser_;
    Response response_;
};

core::Error failure(const std::string& what, const error_code& error) {
    return {core::ErrorCode::Io, what + ": " + error.message()};
}

}  // namespace

struct WebServer::State {
    State(const ServerOptions& options, PageLink& link) : shared(std::make_shared<Shared>(options, link)) {}

    template <class Protocol>
    void accept(typename Protocol::acceptor& acceptor) {
        acceptor.async_accept([this, &acceptor](error_code error, typename Protocol::socket socket) {
            if (error == net::error::operation_aborted) return;
            if (!error) {
                if constexpr (std::is_same_v<Protocol, net::ip::tcp>) {
                    error_code ignored;
                    socket.set_option(net::ip::tcp::no_delay(true), ignored);
                }
                std::make_shared<FileConnection>(Socket(std::move(socket)), shared)->run();
            }
            accept<Protocol>(acceptor);
        });
    }

    error_code listen(const net::ip::tcp::endpoint& at) {
        error_code error;
        net::ip::tcp::acceptor acceptor(context);
        acceptor.open(at.protocol(), error);
        if (!error && at.address().is_v6()) acceptor.set_option(net::ip::v6_only(true), error);
        if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
        if (!error) acceptor.bind(at, error);
        if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
        if (!error) acceptors.push_back(std::move(acceptor));
        return error;
    }

    // 0600 before it listens: nobody can connect until then.
    error_code listen(const std::filesystem::path& path) {
        error_code error;
        local.open({}, error);
        if (!error) local.bind(net::local::stream_protocol::endpoint(path.string()), error);
        using std::filesystem::perms;
        std::error_code refused;
        if (!error) std::filesystem::permissions(path, perms::owner_read | perms::owner_write, refused);
        if (refused) error = error_code(refused.value(), boost::system::system_category());
        if (!error) local.listen(net::socket_base::max_listen_connections, error);
        return error;
    }

    void start() {
        for (net::ip::tcp::acceptor& acceptor : acceptors) accept<net::ip::tcp>(acceptor);
        if (local.is_open()) accept<net::local::stream_protocol>(local);
        thread = std::thread([this] { context.run(); });
    }

    net::io_context context{1};
    std::shared_ptr<Shared> shared;
    std::list<net::ip::tcp::acceptor> acceptors;
    net::local::stream_protocol::acceptor local{context};
    std::thread thread;
};

WebServer::WebServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

core::Result<std::unique_ptr<WebServer>> WebServer::start(const ServerOptions& options, PageLink& link) {
    auto state = std::make_unique<State>(options, link);
    if (!options.socket.empty()) {
        if (const error_code error = state->listen(options.socket))
            return failure("--socket " + options.socket.string(), error);
    } else {
        error_code error;
        const auto address = net::ip::make_address(options.address, error);
        if (error) return core::bad_input("--listen: '" + options.address + "' is not an address, such as 127.0.0.1");
        if (error = state->listen(net::ip::tcp::endpoint(address, options.port)); error)
            return failure("cannot listen at " + options.address + " port " + std::to_string(options.port), error);
        // A browser may try ::1 first for "localhost". 127.0.0.1 is enough if that one fails.
        if (address == net::ip::address_v4::loopback())
            state->listen(net::ip::tcp::endpoint(net::ip::address_v6::loopback(),
                                                 state->acceptors.front().local_endpoint().port()));
    }
    state->start();
    return std::unique_ptr<WebServer>(new WebServer(std::move(state)));
}

WebServer::~WebServer() {
    State& state = *state_;
    net::post(state.context, [&state] {
        for (net::ip::tcp::acceptor& acceptor : state.acceptors) acceptor.close();
        state.local.close();
    });
    state.shared->link().close(EndCode::Ended, "Lockstep ended.");
    constexpr std::chrono::milliseconds kFarewell{300};
    auto last = std::make_shared<net::steady_timer>(state.context, kFarewell);
    last->async_wait([&state, last](error_code) { state.context.stop(); });
    state.thread.join();
    std::error_code ignored;
    if (!state.shared->options().socket.empty()) std::filesystem::remove(state.shared->options().socket, ignored);
}

std::uint16_t WebServer::port() const {
    return state_->acceptors.empty() ? std::uint16_t{0} : state_->acceptors.front().local_endpoint().port();
}

}  // namespace app::web
