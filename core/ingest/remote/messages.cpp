#include "core/ingest/remote/messages.hpp"

#include "core/cluster/byte_codec.hpp"
#include "core/ingest/index_file/index_layout.hpp"

#include <algorithm>

namespace core::remote {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kMostProgram = 64;
constexpr std::size_t kLeastEntryBytes = 3;

void write_entry(ByteWriter& out, const FileEntry& entry) {
    out.text(entry.name);
    out.unsigned_number(entry.bytes);
    out.number(entry.written_ns);
}

FileEntry read_entry(ByteReader& in) {
    FileEntry entry;
    entry.name = in.text();
    entry.bytes = in.below(kMostFileBytes);
    entry.written_ns = in.number();
    return entry;
}

template <class T>
std::optional<T> if_whole(const ByteReader& in, T value) {
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return value;
}

}  // namespace

bool is_served_name(std::string_view name) {
    if (name.empty() || name.size() > kMostName) return false;
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
        return false;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view part = name.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..") return false;
        begin = end + 1;
    }
    return true;
}

Hello own_hello() {
    Hello hello;
    hello.program = LOCKSTEP_VERSION;
    hello.reading_version = index_layout::kReadingVersion;
    return hello;
}

std::string encode(const Hello& hello) {
    ByteWriter out;
    out.text(hello.program);
    out.unsigned_number(hello.reading_version);
    out.text(std::string_view(hello.problem).substr(0, kMostErrorText));
    out.flag(hello.is_unindexed);
    write_entry(out, hello.summary);
    return std::move(out).take();
}

std::optional<Hello> decode_hello(std::string_view bytes) {
    ByteReader in(bytes);
    Hello hello;
    hello.program = in.text();
    hello.reading_version = static_cast<std::uint32_t>(in.below(std::uint64_t{1} << 32));
    hello.problem = in.text();
    hello.is_unindexed = in.flag();
    hello.summary = read_entry(in);
    if (hello.program.size() > kMostProgram || hello.problem.size() > kMostErrorText) in.fail();
    if (hello.problem.empty() && !is_served_name(hello.summary.name)) return std::nullopt;
    return if_whole(in, std::move(hello));
}

std::string encode(const Request& request) {
    ByteWriter out;
    out.unsigned_number(request.id);
    out.unsigned_number(static_cast<std::uint64_t>(request.kind));
    out.unsigned_number(request.file);
    out.unsigned_number(request.offset);
    out.unsigned_number(request.bytes);
    return std::move(out).take();
}

std::optional<Request> decode_request(std::string_view bytes) {
    ByteReader in(bytes);
    Request request;
    request.id = in.unsigned_number();
    request.kind = static_cast<Request::Kind>(in.below(2));
    request.file = in.below(kMostFiles + 1);
    request.offset = in.below(kMostFileBytes);
    request.bytes = in.below(kPage + 1);
    if (request.id == kGoodbye) return std::nullopt;
    return if_whole(in, request);
}

std::string encode(const Reply& reply) {
    ByteWriter out;
    out.unsigned_number(reply.id);
    out.flag(reply.failed);
    out.text(reply.failed ? std::string_view(reply.body).substr(0, kMostErrorText) : std::string_view(reply.body));
    return std::move(out).take();
}

std::optional<Reply> decode_reply(std::string_view bytes) {
    ByteReader in(bytes);
    Reply reply;
    reply.id = in.unsigned_number();
    reply.failed = in.flag();
    reply.body = in.text();
    if (reply.id == kGoodbye && !reply.failed) return std::nullopt;
    if (reply.failed && reply.body.size() > kMostErrorText) return std::nullopt;
    return if_whole(in, std::move(reply));
}

std::string encode(const FileList& list) {
    ByteWriter out;
    out.unsigned_number(list.total);
    out.unsigned_number(list.files.size());
    for (const FileEntry& entry : list.files) write_entry(out, entry);
    return std::move(out).take();
}

std::optional<FileList> decode_list(std::string_view bytes) {
    ByteReader in(bytes);
    FileList list;
    list.total = in.below(kMostFiles + 1);
    const std::size_t count = in.items(kLeastEntryBytes);
    for (std::size_t i = 0; i < count && in.ok(); ++i) {
        list.files.push_back(read_entry(in));
        if (!is_served_name(list.files.back().name)) return std::nullopt;
    }
    return if_whole(in, std::move(list));
}

std::string with_length(std::string_view payload) {
    std::string message;
    message.reserve(payload.size() + kLengthBytes);
    for (std::size_t i = 0; i < kLengthBytes; ++i) message += static_cast<char>(payload.size() >> (8 * i) & 0xFF);
    return message.append(payload);
}

std::optional<std::string> MessageSplitter::next() {
    if (broken_ || left() < kLengthBytes) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    if (length == 0 || length > kMostMessage) {
        broken_ = true;
        return std::nullopt;
    }
    if (left() < kLengthBytes + length) {
        bytes_.erase(0, at_);
        at_ = 0;
        return std::nullopt;
    }
    std::string payload = bytes_.substr(at_ + kLengthBytes, length);
    at_ += kLengthBytes + length;
    if (at_ == bytes_.size()) {
        bytes_.clear();
        at_ = 0;
    }
    return payload;
}

}  // namespace core::remote
