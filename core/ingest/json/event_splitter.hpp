#pragma once
// Splits the uncompressed bytes of a trace file into chunks of whole events, and keeps all other
// top-level text. Accepts an object with "traceEvents" at any position, a bare list, lists
// without commas or closing bracket, and one event per line without brackets. Holds one chunk, never the file.
//
// If the writer puts each event on its own line with equal indentation (as Kineto does), a chunk
// ends at the last such line; a scan of the first chunk verifies that layout. Otherwise every byte
// is scanned. One thread at a time.

#include "core/base/diagnostics.hpp"
#include "core/ingest/source/byte_source.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Elements of the event list with their separators, from the first byte of one to the first byte of
// another. Has room for one byte before the text and kMargin after it.
struct EventChunk {
    static constexpr std::size_t kMargin = 256;
    std::vector<char> storage;
    std::size_t size = 0;
    std::uint64_t offset = 0;  // position of the text in the uncompressed file
    std::string boundary;      // start of events in this file, such as "\n  {"; may be empty
    bool truncated = false;    // the file ends inside the last element
    std::string_view text() const { return {storage.data() + 1, size}; }
};

struct SplitterLimits {
    std::size_t chunk_bytes = std::size_t{512} << 10;
    std::size_t event_bytes = std::size_t{64} << 20;  // a larger event is dropped
    std::size_t metadata_bytes = std::size_t{4} << 20;
};

// The text begins with an event (an object with "ph") that stands alone or is followed by another: events one per line.
bool begins_event_lines(std::string_view text);

class EventSplitter {
public:
    explicit EventSplitter(ByteSource& source, SplitterLimits limits = {});

    // Reads the next chunk; false at the end of the file. Fails if there is no event list
    // (NotFound: valid JSON without one); a list that breaks off after some events is a diagnostic.
    Result<bool> next(EventChunk& chunk);

    bool found_events() const { return found_list_; }  // a list of events began
    std::string metadata() const { return metadata_ + "}"; }  // {"key": value, ...} of the other members
    std::uint64_t bytes_seen() const { return seen_; }
    std::uint64_t dropped() const { return dropped_; }  // elements too large; each has a diagnostic
    const Diagnostics& diagnostics() const { return diagnostics_; }

private:
    enum class State { Start, Key, Value, AfterValue, Events, End };
    enum class Layout { Unknown, Lines, None };
    struct Cut {
        std::size_t size = 0;  // end of whole elements
        std::size_t list_end = kNoListEnd;  // position of the list's ]
        bool incomplete = false;  // the rest is part of an element
    };
    static constexpr std::size_t kNoListEnd = static_cast<std::size_t>(-1);

    // Top level: a cursor over rest_.
    bool has_more();
    std::size_t read_some(std::span<char> to);
    bool is_at_end() const { return source_ended_ && at_ == rest_.size(); }
    bool skip_spaces(std::string_view also = {});
    Result<bool> step();
    Result<bool> read_start();
    void read_head();
    Result<bool> read_key();
    Result<bool> read_value();
    Result<bool> read_after_value();
    bool capture(std::string* to, std::size_t limit);
    Result<bool> stop(std::string_view reason);
    std::string place(std::size_t in_rest) const;
    bool read_behind(std::string_view what);
    struct PassedOver {
        std::uint64_t bytes = 0;
        std::uint64_t events = 0;  // by their phases
        bool only_brackets = true;  // or spaces, commas and zero bytes
    };
    PassedOver pass_over_rest();
    void report_passed(std::string_view message, const PassedOver& passed);
    void keep_member(std::string_view value, bool fits);
    void count_zero_bytes(std::string_view text, std::uint64_t offset);

    // The list of events.
    Result<bool> next_events(EventChunk& chunk);
    void fill(EventChunk& chunk, std::size_t capacity);
    void learn_layout(std::string_view text);
    void add_commas(EventChunk& chunk) const;
    Cut find_cut(std::string_view text);
    Cut scan(std::string_view text) const;
    std::size_t find_list_end(std::string_view text) const;
    std::size_t check_list_end(std::string_view text, std::size_t candidate, std::size_t& go_on) const;
    void drop_huge_event(EventChunk& chunk);
    Result<bool> finish_file(EventChunk& chunk, const Cut& cut);

    ByteSource& source_;
    SplitterLimits limits_;
    State state_ = State::Start;
    bool bare_list_ = false;
    bool event_lines_ = false;  // no brackets around the events
    bool without_commas_ = false;  // a line break separates the events, as the writer means it
    bool found_list_ = false;
    bool found_no_list_ = false;  // "traceEvents" was something else
    bool gave_events_ = false;
    bool source_ended_ = false;
    std::string source_error_;  // empty: none
    std::string rest_;  // read, not yet returned
    std::size_t at_ = 0;  // cursor in rest_
    std::uint64_t offset_ = 0;  // position of rest_ in the uncompressed file
    std::uint64_t seen_ = 0;
    std::uint64_t zeros_ = 0;  // zero bytes up to seen_, where all of a block were
    std::string key_;  // as written, without quotes
    bool names_events_ = false;
    std::string metadata_ = "{";
    Layout layout_ = Layout::Unknown;
    std::string boundary_;
    std::uint64_t dropped_ = 0;
    Diagnostics diagnostics_;
};

}  // namespace core
