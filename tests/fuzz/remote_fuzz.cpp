// Any bytes as both sides of a remote run: as requests to a server, as a server's answers to a client, and as single
// messages, which must round-trip if valid.

#include "core/ingest/remote/connection.hpp"
#include "core/ingest/remote/server.hpp"
#include "tests/core/ingest/remote/remote_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace core;
using namespace core::remote;

constexpr std::uint64_t kBytesOfSummary = 10'000;

const std::filesystem::path& served_folder() {
    static const core::testing::TempFolder folder;
    static const std::filesystem::path path = [] {
        core::testing::write_bytes(folder.path() / kSummaryFileName, core::testing::some_bytes(kBytesOfSummary));
        core::testing::write_bytes(folder.path() / "rank0.json.lockstep-index", "an index file");
        return folder.path();
    }();
    return path;
}

template <class T, class Decode>
void check_message(std::string_view bytes, Decode decode) {
    const std::optional<T> message = decode(bytes);
    if (message && decode(encode(*message)) != message) fuzz::fail("a message that changes when it is sent on");
}

void be_served(std::string_view bytes) {
    static Server server(served_folder());
    MessageSplitter requests;
    requests.add(bytes);
    while (const std::optional<std::string> request = requests.next()) {
        const std::optional<std::string> reply = server.answer(*request);
        if (!reply) break;
        if (reply->size() > kMostMessage || !decode_reply(*reply)) fuzz::fail("a reply that is none");
    }
    (void)server.answer(bytes);
}

// greeted: the bytes follow a valid greeting.
void listen_to(std::string_view bytes, bool greeted) {
    Hello hello = own_hello();
    hello.summary = {.name = "run.lockstep-summary", .bytes = 100, .written_ns = 0};
    auto line = std::make_unique<core::testing::FakeLine>(
        (greeted ? core::testing::greeting_of(hello) : std::string()).append(bytes));
    const auto opened =
        Connection::open(std::move(line), {"host", "/run"}, {}, {.silence = std::chrono::milliseconds(0)});
    if (!opened) return;
    static const core::testing::TempFolder folder;
    FileEntry wanted = (*opened)->summary();
    wanted.bytes = std::min<std::uint64_t>(wanted.bytes, 3 * kPage);
    const Result<bool> copied = (*opened)->copy(0, wanted, folder.path() / "copy", nullptr, {});
    if (copied && std::filesystem::file_size(folder.path() / "copy") != wanted.bytes)
        fuzz::fail("a copy of another size");
    std::error_code ignored;
    std::filesystem::remove(folder.path() / "copy", ignored);
    const Result<std::vector<FileEntry>> files = (*opened)->list({});
    if (!files) return;
    for (const FileEntry& file : *files)
        if (!is_served_name(file.name)) fuzz::fail("a name that leaves its folder");
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    const auto id = [](std::uint64_t n) { return kGoodbye + n; };
    Hello hello = own_hello();
    hello.summary = {.name = "run.lockstep-summary", .bytes = 100, .written_ns = 5};
    const FileList list{.total = 2,
                        .files = {hello.summary, {.name = "a/b.lockstep-index", .bytes = 9, .written_ns = 7}}};
    const std::string page = encode(Reply{.id = id(1), .failed = false, .body = std::string(100, 'x')});
    const std::string files = encode(Reply{.id = id(2), .failed = false, .body = encode(list)});
    const std::string read = encode(Request{.id = id(1), .kind = Request::Kind::Read, .offset = 7, .bytes = 100});
    return {encode(hello),
            encode(list),
            page,
            files,
            with_length(page) + with_length(files),
            core::testing::greeting_of(hello) + with_length(page) + with_length(files),
            with_length(read) + with_length(encode(Request{.id = id(2), .kind = Request::Kind::List})),
            with_length(encode(Reply{.id = kGoodbye, .failed = true, .body = "why"}))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = fuzz::as_text(data, size);
    check_message<Hello>(bytes, decode_hello);
    check_message<Request>(bytes, decode_request);
    check_message<Reply>(bytes, decode_reply);
    check_message<FileList>(bytes, decode_list);
    be_served(bytes);
    listen_to(bytes, false);
    listen_to(bytes, true);
    return 0;
}
