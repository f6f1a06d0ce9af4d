#include "app/mcp/protocol.hpp"

#include "core/base/nearest.hpp"
#include "core/base/small_json.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace app::mcp {
namespace {

using Request = nlohmann::json;

// Error codes of JSON-RPC 2.0.
constexpr int kNotJson = -32700;
constexpr int kNoRequest = -32600;
constexpr int kNoMethod = -32601;
constexpr int kWrongArguments = -32602;
constexpr int kInternal = -32603;

// Newest first. A client that asks for an unknown version is offered the newest.
constexpr std::string_view kProtocols[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::string_view kWithoutLists = "2025-06-18";  // no batches; older versions have them, as JSON-RPC does

constexpr std::size_t kMostWaiting = 64;
constexpr std::size_t kMostInList = 64;

std::string line_of(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json respond(const Request& id, Json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }

Json fail(const Request& id, int code, std::string_view message) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

bool is_id(const Request& id) { return id.is_string() || id.is_number_integer(); }

std::string text_member(const Request& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>()
                                                                             : std::string();
}

// One line of at most kMostMessageBytes; if longer, only its length.
struct Line {
    std::string text{};
    bool is_too_long = false;
};
std::optional<Line> read_line(std::istream& in) {
    Line line;
    for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
        if (c == '\n') return line;
        if (line.text.size() < kMostMessageBytes)
            line.text.push_back(static_cast<char>(c));
        else
            line.is_too_long = true;
    }
    if (line.text.empty()) return std::nullopt;
    return line;
}

template <class Predicate>
Request without(const Request& list, const Predicate& is_left_out) {
    Request kept = Request::array();
    for (const Request& one : list)
        if (!is_left_out(one)) kept.push_back(one);
    return kept;
}

class Server {
public:
    Server(std::ostream& out, std::span<const Tool> tools, std::string_view instructions, std::stop_token stop)
        : out_(out), tools_(tools), instructions_(instructions), stop_(std::move(stop)) {}

    // Called on the reading thread. False once no more lines are wanted.
    bool take(const Line& line);
    void end();
    // Called after end(): waits until all is answered, or gives up once nobody reads answers.
    void wait_for_answers(const std::function<bool()>& is_read);
    // Answers requests on its own thread until the end.
    void work();

private:
    void answer_all();
    void answer(const Request& message);
    void answer_list(const Request& list);
    std::optional<Json> answer_one(const Request& request);
    void obey_cancels(const Request& message);
    Json dispatch(const Request& id, const std::string& method, const Request& params);
    Json initialize(const Request& params);
    Json list_tools() const;
    Json call_tool(const Request& id, const Request& params);
    void cancel(const Request& params);
    void write(const Json& message);

    std::ostream& out_;
    std::span<const Tool> tools_;
    std::string_view instructions_;
    std::stop_token stop_;
    bool takes_lists_ = false;  // set by the agreed version; used by the answering thread only

    std::mutex writing_;
    std::mutex mutex_;  // guards everything below
    std::condition_variable_any changed_;
    std::deque<Request> waiting_;
    bool ended_ = false;
    bool done_ = false;  // all is answered
    Request running_;  // id of the running call; null: none
    std::stop_source calling_;
};

void Server::write(const Json& message) {
    const std::lock_guard lock(writing_);
    out_ << line_of(message) << std::flush;
}

bool Server::take(const Line& line) {
    if (line.is_too_long) {
        write(fail(nullptr, kNoRequest, "the message is longer than 1 MiB"));
        return true;
    }
    if (line.text.find_first_not_of(" \t\r") == std::string::npos) return true;
    core::Result<Request> parsed = core::parse_small_json(line.text, {.bytes = kMostMessageBytes});
    if (!parsed) {
        write(fail(nullptr, kNotJson, parsed.error().message));
        return true;
    }
    obey_cancels(*parsed);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop_, [&] { return waiting_.size() < kMostWaiting || ended_; });
    if (stop_.stop_requested() || ended_) return false;
    waiting_.push_back(*std::move(parsed));
    changed_.notify_all();
    return true;
}

// Handles cancellations at once, out of turn: the request they name is running or waiting.
void Server::obey_cancels(const Request& message) {
    if (message.is_array())
        for (const Request& one : message) obey_cancels(one);
    if (text_member(message, "method") == "notifications/cancelled")
        cancel(message.contains("params") ? message["params"] : Request());
}

void Server::cancel(const Request& params) {
    const std::lock_guard lock(mutex_);
    const auto id = params.is_object() ? params.find("requestId") : params.end();
    if (!params.is_object() || id == params.end() || !is_id(*id)) return;
    if (*id == running_) calling_.request_stop();
    const auto is_it = [&](const Request& request) {
        const auto own = request.is_object() ? request.find("id") : request.end();
        return request.is_object() && own != request.end() && *own == *id;
    };
    std::erase_if(waiting_, is_it);
    for (Request& message : waiting_)
        if (message.is_array() && std::ranges::any_of(message, is_it)) message = without(message, is_it);
    std::erase_if(waiting_, [](const Request& message) { return message.is_array() && message.empty(); });
}

void Server::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

void Server::wait_for_answers(const std::function<bool()>& is_read) {
    constexpr std::chrono::milliseconds kLookEvery{100};
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, stop_, kLookEvery, [&] { return done_; }) && !stop_.stop_requested()) {
        if (is_read()) continue;
        waiting_.clear();
        calling_.request_stop();
        return;
    }
}

void Server::work() {
    answer_all();
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
}

void Server::answer_all() {
    for (;;) {
        Request request;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop_, [&] { return !waiting_.empty() || ended_; });
            if (stop_.stop_requested() || waiting_.empty()) return;
            request = std::move(waiting_.front());
            waiting_.pop_front();
            changed_.notify_all();
        }
        answer(request);
    }
}

void Server::answer(const Request& message) {
    if (message.is_array() && takes_lists_) return answer_list(message);
    if (const std::optional<Json> said = answer_one(message)) write(*said);
}

void Server::answer_list(const Request& list) {
    if (list.empty() || list.size() > kMostInList)
        return write(fail(nullptr, kNoRequest, "a list holds 1 to " + std::to_string(kMostInList) + " requests"));
    Json answers = Json::array();
    for (const Request& request : list) {
        if (stop_.stop_requested()) return;
        if (std::optional<Json> said = answer_one(request)) answers.push_back(*std::move(said));
    }
    if (!answers.empty()) write(answers);
}

// Returns nothing for responses and notifications.
std::optional<Json> Server::answer_one(const Request& request) {
    if (!request.is_object()) return fail(nullptr, kNoRequest, "a request is a JSON object, and not in a list");
    const auto id = request.find("id");
    const std::string method = text_member(request, "method");
    if (text_member(request, "jsonrpc") != "2.0" ||
        (method.empty() && !request.contains("result") && !request.contains("error")))
        return fail(id != request.end() && is_id(*id) ? *id : Request(), kNoRequest, "not a request of JSON-RPC 2.0");
    if (method.empty() || id == request.end()) return std::nullopt;
    if (!is_id(*id)) return fail(nullptr, kNoRequest, "the id is not a number or a text");
    const auto params = request.find("params");
    try {
        return dispatch(*id, method, params == request.end() ? Request::object() : *params);
    } catch (const std::exception& error) {
        return fail(*id, kInternal, error.what());
    }
}

Json Server::dispatch(const Request& id, const std::string& method, const Request& params) {
    if (!params.is_object()) return fail(id, kWrongArguments, "params is not an object");
    if (method == "initialize") return respond(id, initialize(params));
    if (method == "ping") return respond(id, Json::object());
    if (method == "tools/list") return respond(id, list_tools());
    if (method == "tools/call") return call_tool(id, params);
    return fail(id, kNoMethod, "unknown method " + method.substr(0, 100));
}

Json Server::initialize(const Request& params) {
    const std::string asked = text_member(params, "protocolVersion");
    const auto* const known = std::ranges::find(kProtocols, asked);
    const std::string_view agreed = known == std::end(kProtocols) ? kProtocols[0] : *known;
    takes_lists_ = agreed != kWithoutLists;
    return {{"protocolVersion", agreed},
            {"capabilities", {{"tools", {{"listChanged", false}}}}},
            {"serverInfo", {{"name", "lockstep"}, {"title", "Lockstep"}, {"version", LOCKSTEP_VERSION}}},
            {"instructions", instructions_}};
}

Json Server::list_tools() const {
    Json list = Json::array();
    for (const Tool& tool : tools_)
        list.push_back({{"name", tool.name},
                        {"title", tool.title},
                        {"description", tool.description},
                        {"inputSchema", tool.schema()},
                        {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
    return {{"tools", std::move(list)}};
}

Json content_of(const Content& content) {
    Json parts = Json::array();
    if (!content.text.empty()) parts.push_back({{"type", "text"}, {"text", content.text}});
    if (!content.png.empty())
        parts.push_back({{"type", "image"}, {"data", base64(content.png)}, {"mimeType", "image/png"}});
    Json result = {{"content", std::move(parts)}};
    if (content.structured.is_object()) result["structuredContent"] = content.structured;
    result["isError"] = false;
    return result;
}

Json Server::call_tool(const Request& id, const Request& params) {
    const std::string name = text_member(params, "name");
    const auto tool = std::ranges::find(tools_, name, &Tool::name);
    if (tool == tools_.end()) {
        std::vector<std::string_view> names;
        for (const Tool& each : tools_) names.push_back(each.name);
        return fail(id, kWrongArguments, "unknown tool " + name.substr(0, 100) + core::nearest_hint(name, names));
    }
    const auto given = params.find("arguments");
    const Request none = Request::object();
    const Request& arguments = given == params.end() || given->is_null() ? none : *given;
    if (!arguments.is_object()) return fail(id, kWrongArguments, "arguments is not an object");
    std::stop_source calling;
    {
        const std::lock_guard lock(mutex_);
        running_ = id;
        calling_ = calling;
    }
    const std::stop_callback stopped(stop_, [&] { calling.request_stop(); });
    core::Result<Content> content = tool->call(arguments, calling.get_token());
    {
        const std::lock_guard lock(mutex_);
        running_ = Request();
    }
    if (content) return respond(id, content_of(*content));
    return respond(id, {{"content", {{{"type", "text"}, {"text", content.error().message}}}}, {"isError", true}});
}

}  // namespace

void serve(std::istream& in, std::ostream& out, std::span<const Tool> tools, std::string_view instructions,
           const std::stop_token& stop, const std::function<bool()>& is_read) {
    Server server(out, tools, instructions, stop);
    std::jthread reading([&] {
        while (std::optional<Line> line = read_line(in))
            if (!server.take(*line)) break;
        server.end();
        server.wait_for_answers(is_read);
    });
    server.work();
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < there ? static_cast<std::uint8_t>(bytes[i + k]) : std::uint8_t{0});
        for (std::size_t k = 0; k < 4; ++k) text += k <= there ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace app::mcp
