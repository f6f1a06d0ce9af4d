#include "core/ingest/remote/messages.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace core::remote;

TEST_CASE("messages come back as they were") {
    Hello hello = own_hello();
    hello.summary = {.name = "run.lockstep-summary", .bytes = 123'456'789'012, .written_ns = -5};
    CHECK(decode_hello(encode(hello)) == hello);
    Hello refused = own_hello();
    refused.problem = "/x: does not exist";
    CHECK(decode_hello(encode(refused)) == refused);
    const Request request{.id = 9, .kind = Request::Kind::Read, .file = 7, .offset = 1ULL << 40, .bytes = kPage};
    CHECK(decode_request(encode(request)) == request);
    const Reply reply{.id = 3, .failed = false, .body = std::string("\0x\xFF", 3)};
    CHECK(decode_reply(encode(reply)) == reply);
    const FileList list{.total = 9, .files = {{.name = "a/b", .bytes = 1, .written_ns = 2}, {.name = "c"}}};
    CHECK(decode_list(encode(list)) == list);
}

TEST_CASE("a message that is short, long or out of bounds is none") {
    const std::string request = encode(Request{.id = 9, .kind = Request::Kind::Read, .file = 7, .bytes = 5});
    for (std::size_t size = 0; size < request.size(); ++size) CHECK_FALSE(decode_request(request.substr(0, size)));
    CHECK_FALSE(decode_request(request + "x"));
    CHECK_FALSE(decode_request(encode(Request{.id = kGoodbye})));
    CHECK_FALSE(decode_request(encode(Request{.id = 1, .kind = static_cast<Request::Kind>(2)})));
    CHECK_FALSE(decode_request(encode(Request{.id = 1, .bytes = kPage + 1})));
    CHECK_FALSE(decode_request(encode(Request{.id = 1, .offset = kMostFileBytes})));
    CHECK_FALSE(decode_request(encode(Request{.id = 1, .file = ~std::uint64_t{0}})));
    CHECK_FALSE(decode_reply(encode(Reply{.id = kGoodbye, .failed = false, .body = "x"})));
    CHECK_FALSE(decode_hello(encode(own_hello())));  // serves nothing, without a reason
}

TEST_CASE("only names inside the served folder are names") {
    for (const char* const name : {"a", "a/b.lockstep-index", "..a/b..", "...", "\xFF", "a b"})
        CHECK(is_served_name(name));
    for (const char* const name :
         {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "./a", "a/./b", "a\nb", "a\x1b[2J", "\x7F"})
        CHECK_FALSE(is_served_name(name));
    CHECK_FALSE(is_served_name(std::string(kMostName + 1, 'a')));
    CHECK_FALSE(decode_list(encode(FileList{.total = 1, .files = {{.name = "../../etc/passwd"}}})));
}

TEST_CASE("messages are split from bytes in pieces of any size") {
    std::string bytes;
    std::vector<std::string> sent;
    for (std::size_t i = 0; i < 50; ++i) {
        sent.emplace_back(1 + i * 37 % 300, static_cast<char>('a' + i % 26));
        bytes += with_length(sent.back());
    }
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{1000}, bytes.size()}) {
        MessageSplitter splitter;
        std::vector<std::string> got;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            splitter.add(std::string_view(bytes).substr(at, piece));
            while (const auto message = splitter.next()) got.push_back(*message);
        }
        CHECK(got == sent);
        CHECK(splitter.left() == 0);
    }
}

TEST_CASE("a length that no message has ends the splitting, without memory for it") {
    for (const std::string& length :
         {std::string("\xFF\xFF\xFF\xFF"), std::string(4, '\0'), std::string("\0\0\x20\0", 4)}) {
        MessageSplitter splitter;
        splitter.add(length + "abc");
        CHECK_FALSE(splitter.next());
        CHECK(splitter.is_broken());
        splitter.add(with_length("fine"));
        CHECK_FALSE(splitter.next());
    }
    MessageSplitter half;
    half.add(with_length("hello").substr(0, 7));
    CHECK_FALSE(half.next());
    CHECK_FALSE(half.is_broken());
    CHECK(half.left() == 7);
}

TEST_CASE("random bytes are messages without harm") {
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes(random() % 40, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        if (const auto request = decode_request(bytes)) CHECK(request->bytes <= kPage);
        if (const auto reply = decode_reply(bytes)) CHECK(reply->body.size() <= bytes.size());
        if (const auto list = decode_list(bytes)) CHECK(list->files.size() <= bytes.size());
        (void)decode_hello(bytes);
    }
}
