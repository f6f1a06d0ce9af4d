#pragma once
// Protocol of `lockstep HOST:/path` and `lockstep serve --stdio`. The server says kGreeting, then everything is
// messages: four bytes of length, least significant first, then as many bytes (core/cluster/byte_codec.hpp). The server
// begins with a Hello; requests then have a reply each, in order. Both sides check every message; none is longer than
// kMostMessage, so neither can make the other take more memory.

#include "core/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core::remote {

inline constexpr std::string_view kGreeting = "lockstep serve 1\n";
inline constexpr std::size_t kPage = std::size_t{1} << 20;  // bytes of a file in a reply
inline constexpr std::size_t kMostMessage = kPage + 64;
inline constexpr std::size_t kMostErrorText = 4096;
inline constexpr std::size_t kMostName = 4096;
inline constexpr std::uint64_t kMostFiles = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 50;

// A file that is served. Its number is its place in the list; the summary has number 0.
struct FileEntry {
    std::string name;  // from the served folder, parts separated by '/'
    std::uint64_t bytes = 0;
    std::int64_t written_ns = 0;
    bool operator==(const FileEntry&) const = default;
};
// Relative, without "", ".", ".." or control characters, and not too long.
bool is_served_name(std::string_view name);

struct Hello {
    std::string program;  // version
    std::uint32_t reading_version = 0;
    std::string problem;  // why nothing is served; then there is no summary
    bool is_unindexed = false;  // the problem is that there is none yet
    FileEntry summary;
    bool operator==(const Hello&) const = default;
};
Hello own_hello();  // of this program, without a summary

struct Request {
    enum class Kind : std::uint8_t { List, Read };
    std::uint64_t id = 0;
    Kind kind = Kind::List;
    std::uint64_t file = 0;  // List: the first file of the list that is wanted
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  // at most kPage
    bool operator==(const Request&) const = default;
};

// A part of the list.
struct FileList {
    std::uint64_t total = 0;  // files
    std::vector<FileEntry> files;
    bool operator==(const FileList&) const = default;
};

struct Reply {
    std::uint64_t id = 0;
    bool failed = false;
    std::string body;  // Read: the bytes; List: a FileList; failed: why, in words
    bool operator==(const Reply&) const = default;
};
inline constexpr std::uint64_t kGoodbye = 0;  // id of a reply to nothing: why the server ends. Requests have others.

// Payloads, without their length. Reading gives nothing for what is no such message, or has more bytes behind it.
std::string encode(const Hello&);
std::string encode(const Request&);
std::string encode(const Reply&);
std::string encode(const FileList&);
std::optional<Hello> decode_hello(std::string_view);
std::optional<Request> decode_request(std::string_view);
std::optional<Reply> decode_reply(std::string_view);
std::optional<FileList> decode_list(std::string_view);

std::string with_length(std::string_view payload);
// Takes bytes as they come and gives messages.
class MessageSplitter {
public:
    void add(std::string_view bytes) { bytes_ += bytes; }
    bool is_broken() const { return broken_; }  // a length that no message has: nothing more comes
    std::optional<std::string> next();
    std::size_t left() const { return bytes_.size() - at_; }  // bytes of a message that is not complete

private:
    std::string bytes_{};
    std::size_t at_ = 0;
    bool broken_ = false;
};

}  // namespace core::remote
