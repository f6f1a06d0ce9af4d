#include "core/ingest/json/event_splitter.hpp"

#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace core {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::uint64_t kMostZeros = std::uint64_t{4} << 20;
constexpr std::size_t kKeyBytes = 4096;
constexpr std::size_t kLayoutBytes = std::size_t{256} << 10;  // part of the first chunk used to learn the layout
constexpr std::string_view kCutOff = "; it was cut off: copy or record it again";

// From the opening brace to the first colon: the common start of a writer's events.
std::string first_key(std::string_view event) {
    const std::size_t colon = event.substr(0, 32).find(':');
    return colon == kNotFound || colon < 4 ? std::string() : std::string(event.substr(0, colon + 1));
}

// text[0] is {. Whether a member of that object itself has this key.
bool has_member(std::string_view text, std::string_view key) {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            const std::size_t size = find_string_end(text.substr(at));
            if (size == kNotFound) return false;
            const std::size_t behind = text.find_first_not_of(" \n\r\t", at + size);
            const bool is_key = depth == 1 && behind != kNotFound && text[behind] == ':';
            if (is_key && text.substr(at + 1, size - 2) == key) return true;
            at += size - 1;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return false;
        }
    }
    return false;
}

// The first objects each begin a line and have no comma before them.
bool are_lines_without_commas(std::string_view text, std::size_t fewest) {
    std::size_t end = 0;
    for (std::size_t objects = 0; objects < fewest; ++objects) {
        const ListElement element = find_element(text, end);
        if (element.kind != ListElement::Kind::Object) return false;
        const std::string_view gap = text.substr(end, element.begin - end);
        if (objects > 0 && (element.commas > 0 || gap.find('\n') == kNotFound)) return false;
        end = element.end;
    }
    return true;
}

constexpr std::size_t kFewestWithoutCommas = 3;  // objects at the head of a list that tell a missing comma from none

}  // namespace

bool begins_event_lines(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \n\r\t");
    if (begin == kNotFound || text[begin] != '{') return false;
    const std::size_t size = find_container_end(text.substr(begin));
    if (size == kNotFound || !has_member(text.substr(begin, size), "ph")) return false;
    const std::size_t next = text.find_first_not_of(" \n\r\t,", begin + size);
    const bool goes_on = next == kNotFound || text[next] == '{' || text[next] == ']';
    return goes_on && !has_member(text.substr(begin, size), "traceEvents");
}

EventSplitter::EventSplitter(ByteSource& source, SplitterLimits limits) : source_(source), limits_(limits) {}

std::string EventSplitter::place(std::size_t in_rest) const { return "byte " + std::to_string(offset_ + in_rest); }

Result<bool> EventSplitter::next(EventChunk& chunk) {
    while (state_ != State::End) {
        const bool in_events = state_ == State::Events;
        Result<bool> result = in_events ? next_events(chunk) : step();
        if (!result) return result;
        if (in_events && *result) return true;
    }
    return false;
}

// ---------------------------------------------------------------- top level

bool EventSplitter::has_more() {
    if (at_ < rest_.size()) return true;
    offset_ += at_;
    at_ = 0;
    rest_.resize(source_ended_ ? 0 : std::min(kReadBytes, limits_.chunk_bytes));
    if (source_ended_) return false;
    rest_.resize(read_some(rest_));
    return !rest_.empty();
}

// The bytes read; none at the end of the file, at an error, and where the file goes on with nothing but zero bytes, as
// a sparse file of a terabyte does.
std::size_t EventSplitter::read_some(std::span<char> to) {
    const Result<std::size_t> got = source_.read(to);
    if (!got) source_error_ = got.error().message;
    const std::size_t bytes = got ? *got : 0;
    source_ended_ = bytes == 0;
    seen_ += bytes;
    const auto is_zero = [](char c) { return c == '\0'; };
    zeros_ = bytes > 0 && std::ranges::all_of(to.first(bytes), is_zero) ? zeros_ + bytes : 0;
    if (zeros_ < kMostZeros) return bytes;
    source_ended_ = true;
    source_error_ = "byte " + std::to_string(seen_ - zeros_) +
                    ": only zero bytes from here on (a sparse or incomplete file): copy it again";
    return 0;
}

bool EventSplitter::skip_spaces(std::string_view also) {
    while (has_more()) {
        if (!is_json_space(rest_[at_]) && also.find(rest_[at_]) == kNotFound) return true;
        ++at_;
    }
    return false;
}

// After some events this is a diagnostic, before them an error.
Result<bool> EventSplitter::stop(std::string_view reason) {
    state_ = State::End;
    std::string message = source_error_.empty() ? place(at_) + ": " + std::string(reason) : source_error_;
    if (!found_list_ && is_at_end() && source_error_.empty()) message += kCutOff;
    if (!found_list_) return Error{ErrorCode::BadInput, message};
    if (is_at_end()) {
        diagnostics_.add("file-truncated", message);
        return false;
    }
    report_passed(message, pass_over_rest());
    return false;
}

Result<bool> EventSplitter::step() {
    switch (state_) {
        case State::Start:
            return read_start();
        case State::Key:
            return read_key();
        case State::Value:
            return read_value();
        default:
            return read_after_value();
    }
}

Result<bool> EventSplitter::read_start() {
    if (has_more() && rest_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    if (!skip_spaces()) return stop("the file is empty");
    if (rest_[at_] != '[' && rest_[at_] != '{') return stop("not JSON: expected '{' or '['");
    if (rest_[at_] == '{') read_head();
    event_lines_ = begins_event_lines(std::string_view(rest_).substr(at_));
    bare_list_ = event_lines_ || rest_[at_] == '[';
    if (!event_lines_) ++at_;
    found_list_ = bare_list_;
    state_ = bare_list_ ? State::Events : State::Key;
    return true;
}

// As much as it takes to tell one event per line from an object that holds the events.
void EventSplitter::read_head() {
    const std::size_t wanted = std::min(kReadBytes, limits_.chunk_bytes);
    while (!source_ended_ && rest_.size() < wanted) {
        const std::size_t size = rest_.size();
        rest_.resize(wanted);
        rest_.resize(size + read_some(std::span(rest_).subspan(size)));
    }
}

Result<bool> EventSplitter::read_key() {
    if (!skip_spaces(",")) return stop("the file ends inside the outermost object");
    if (rest_[at_] == '}') {
        ++at_;
        state_ = State::End;
        if (found_list_) return read_behind("the outermost object");
        const std::string what =
            found_no_list_ ? "\"traceEvents\" is not a list" : "a JSON object without \"traceEvents\"";
        return Error{ErrorCode::NotFound, what + ": Lockstep reads what torch.profiler's export_chrome_trace writes"};
    }
    if (rest_[at_] != '"') return stop("a member name was expected");
    key_.clear();
    const bool whole = capture(&key_, kKeyBytes);
    if (!whole && is_at_end()) return stop("the file ends inside a member name");
    std::string resolved;
    names_events_ = json_text(key_.data(), key_.data() + key_.size(), resolved) == "traceEvents";
    if (key_.size() >= 2) key_ = key_.substr(1, key_.size() - 2);
    if (!skip_spaces() || rest_[at_] != ':') return stop("a colon was expected");
    ++at_;
    state_ = State::Value;
    return true;
}

Result<bool> EventSplitter::read_value() {
    if (!skip_spaces()) return stop("the file ends before a value");
    if (names_events_ && rest_[at_] == '[') {
        ++at_;
        found_list_ = true;
        state_ = State::Events;
        return true;
    }
    found_no_list_ = found_no_list_ || names_events_;
    std::string value;
    const std::uint64_t begin = offset_ + at_;
    const std::size_t used = metadata_.size() + key_.size() + 8;
    const bool fits = capture(&value, limits_.metadata_bytes - std::min(limits_.metadata_bytes, used));
    if (!fits && is_at_end()) return stop("the file ends inside the value of " + key_);
    if (offset_ + at_ == begin) return stop("a value was expected");
    keep_member(value, fits);
    state_ = State::AfterValue;
    return true;
}

Result<bool> EventSplitter::read_after_value() {
    if (!skip_spaces()) return stop("the file ends inside the outermost object");
    if (rest_[at_] != ',' && rest_[at_] != '}' && rest_[at_] != '"') return stop("a comma was expected");
    if (rest_[at_] == '"') diagnostics_.add("json-repaired", place(at_) + ": a comma is missing");
    if (rest_[at_] == ',') ++at_;
    state_ = State::Key;
    return true;
}

bool EventSplitter::read_behind(std::string_view what) {
    if (skip_spaces())
        report_passed(place(at_) + ": text after " + std::string(what), pass_over_rest());
    else if (!source_error_.empty())
        diagnostics_.add("file-truncated", source_error_);
    return true;
}

// Reads to the end of the file, where a packed one has its checksum.
EventSplitter::PassedOver EventSplitter::pass_over_rest() {
    constexpr std::string_view kPhase = "\"ph\"";
    constexpr std::string_view kBrackets(" \n\r\t,]}\0", 8);
    PassedOver passed;
    std::string seam;  // the end of one block and the begin of the next
    while (has_more()) {
        const std::string_view block = std::string_view(rest_).substr(at_);
        const auto count = [&](std::string_view text) {
            for (std::size_t at = text.find(kPhase); at != kNotFound; at = text.find(kPhase, at + 1)) ++passed.events;
        };
        seam += block.substr(0, kPhase.size() - 1);
        count(seam);
        count(block);
        seam = block.substr(block.size() - std::min(block.size(), kPhase.size() - 1));
        passed.bytes += block.size();
        passed.only_brackets = passed.only_brackets && block.find_first_not_of(kBrackets) == kNotFound;
        at_ = rest_.size();
    }
    return passed;
}

// An event that is passed over is lost; a bracket too many is not.
void EventSplitter::report_passed(std::string_view message, const PassedOver& passed) {
    if (passed.events > 0)
        diagnostics_.add("text-after-end",
                         std::string(message) + "; " + std::to_string(passed.bytes) + " bytes with " +
                             std::to_string(passed.events) + (passed.events == 1 ? " event" : " events") +
                             " were not read",
                         passed.events);
    else
        diagnostics_.add("json-repaired", message);
    if (!source_error_.empty()) diagnostics_.add("file-truncated", source_error_);
}

// No JSON holds them: a disk was full, or a copy ended, where they stand in for what was to be written.
void EventSplitter::count_zero_bytes(std::string_view text, std::uint64_t offset) {
    const std::size_t first = text.find('\0');
    if (first == kNotFound) return;
    diagnostics_.add("bytes-zero", "byte " + std::to_string(offset + first),
                     static_cast<std::uint64_t>(std::ranges::count(text.substr(first), '\0')));
}

void EventSplitter::keep_member(std::string_view value, bool fits) {
    const std::uint64_t end = offset_ + at_;
    count_zero_bytes(value, end - std::min<std::uint64_t>(end, value.size()));
    if (!fits) {
        diagnostics_.add("metadata-truncated", "\"" + key_ + "\" is too large and was skipped");
        return;
    }
    if (metadata_.size() > 1) metadata_ += ", ";
    metadata_ += '"';
    metadata_ += key_;
    metadata_ += "\": ";
    metadata_ += value;
}

// Skips one value of any size. False if it is longer than `limit` or the file ends in it.
bool EventSplitter::capture(std::string* to, std::size_t limit) {
    bool in_text = false, escaped = false, fits = true;
    std::size_t depth = 0;
    while (has_more()) {
        const char c = rest_[at_];
        const bool ends_scalar = depth == 0 && !in_text && (c == ',' || c == '}' || c == ']' || is_json_space(c));
        if (ends_scalar) return fits;
        ++at_;
        if (to != nullptr && to->size() < limit)
            to->push_back(c);
        else
            fits = false;
        if (escaped)
            escaped = false;
        else if (in_text && c == '\\')
            escaped = true;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text && (c == '{' || c == '['))
            ++depth;
        else if (!in_text && (c == '}' || c == ']'))
            --depth;
        const bool closed = depth == 0 && !in_text && !escaped && (c == '"' || c == '}' || c == ']');
        if (closed) return fits;
    }
    return false;
}

// ---------------------------------------------------------------- the list of events

// Adds leftover and newly read bytes, up to `capacity` bytes of text.
void EventSplitter::fill(EventChunk& chunk, std::size_t capacity) {
    capacity = std::max(capacity, chunk.size + rest_.size() - at_);
    const std::size_t wanted = 1 + capacity + EventChunk::kMargin;
    if (chunk.size == 0 && chunk.storage.size() > 4 * wanted) chunk.storage = {};
    if (chunk.storage.size() < wanted) chunk.storage.resize(wanted);
    char* const text = chunk.storage.data() + 1;
    if (chunk.size == 0) chunk.offset = offset_ + at_;
    std::memcpy(text + chunk.size, rest_.data() + at_, rest_.size() - at_);
    chunk.size += rest_.size() - at_;
    rest_.clear();
    at_ = 0;
    while (!source_ended_ && chunk.size < capacity) {
        chunk.size += read_some({text + chunk.size, capacity - chunk.size});
    }
    offset_ = chunk.offset + chunk.size;
}

Result<bool> EventSplitter::next_events(EventChunk& chunk) {
    chunk.size = 0;
    chunk.truncated = false;
    for (std::size_t capacity = limits_.chunk_bytes;; capacity *= 2) {
        fill(chunk, capacity);
        const std::string_view text = chunk.text();
        if (layout_ == Layout::Unknown) learn_layout(text);
        const Cut cut = find_cut(text);
        chunk.boundary = boundary_;
        if (cut.list_end == kNoListEnd && cut.size == 0 && !source_ended_) {
            if (capacity < limits_.event_bytes) continue;
            drop_huge_event(chunk);
            return false;
        }
        if (cut.list_end == kNoListEnd && source_ended_) return finish_file(chunk, cut);

        const std::size_t size = cut.list_end == kNoListEnd ? cut.size : cut.list_end;
        const std::size_t rest_from = cut.list_end == kNoListEnd ? cut.size : cut.list_end + 1;
        rest_.assign(text.substr(rest_from));
        offset_ = chunk.offset + rest_from;
        chunk.size = size;
        count_zero_bytes(chunk.text(), chunk.offset);
        if (without_commas_) add_commas(chunk);
        if (cut.list_end != kNoListEnd) state_ = bare_list_ ? State::End : State::AfterValue;
        if (state_ == State::End) read_behind("the list of events");
        gave_events_ = true;
        return true;
    }
}

void EventSplitter::learn_layout(std::string_view text) {
    text = text.substr(0, kLayoutBytes);
    layout_ = Layout::None;
    ListElement element = find_element(text, 0);
    if (element.kind != ListElement::Kind::Object) return;
    boundary_ = first_key(text.substr(element.begin));
    without_commas_ = are_lines_without_commas(text, event_lines_ ? 2 : kFewestWithoutCommas);
    if (without_commas_) return;
    const std::size_t line = text.substr(0, element.begin).rfind('\n');
    if (line == kNotFound) return;
    const std::string lines{text.substr(line, element.begin - line + 1)};
    std::size_t events = 0;
    for (std::size_t at = line; element.kind == ListElement::Kind::Object; ++events) {
        const std::size_t expected = text.find(lines, at);
        if (expected == kNotFound || expected + lines.size() - 1 != element.begin) return;
        at = element.begin;
        element = find_element(text, element.end);
        const std::size_t inner = text.substr(0, element.begin).find(lines, at);
        if (inner != kNotFound && inner + lines.size() - 1 != element.begin) return;
    }
    if (events < 3) return;
    boundary_ = lines;
    layout_ = Layout::Lines;
}

// The line break before an event becomes its comma, so that the whole chunk is read as one list.
void EventSplitter::add_commas(EventChunk& chunk) const {
    char* const text = chunk.storage.data() + 1;
    const std::string_view all(text, chunk.size);
    for (std::size_t at = all.find('\n'); at != kNotFound; at = all.find('\n', at + 1)) {
        const std::size_t next = all.find_first_not_of(" \t", at + 1);
        if (next == kNotFound || all[next] != '{') continue;
        const std::size_t before = at == 0 ? kNotFound : all.find_last_not_of(" \n\r\t", at - 1);
        if (before != kNotFound && all[before] == '}') text[at] = ',';
    }
}

EventSplitter::Cut EventSplitter::find_cut(std::string_view text) {
    Cut cut;
    if (layout_ == Layout::Lines) {
        cut.list_end = find_list_end(text);
        if (cut.list_end != kNotFound) return cut;
        const std::size_t last = text.rfind(boundary_);
        cut.size = last == kNotFound ? 0 : last;
        if (!source_ended_ && cut.size > 0) return cut;
    }
    cut = scan(text);
    // A stray quote can hide all later events from the scan: cut before the next similar event.
    if (cut.size == 0 && cut.incomplete && !boundary_.empty() && text.size() >= limits_.chunk_bytes) {
        const std::size_t first = text.find_first_not_of(" \n\r\t,");
        const std::size_t last = text.rfind(boundary_);
        if (last != kNotFound && last > first) cut.size = last;
    }
    return cut;
}

EventSplitter::Cut EventSplitter::scan(std::string_view text) const {
    Cut cut;
    for (;;) {
        const ListElement element = find_element(text, cut.size);
        if (element.kind == ListElement::Kind::ListEnd) cut.list_end = element.begin;
        cut.incomplete = element.kind == ListElement::Kind::Incomplete;
        if (element.kind != ListElement::Kind::Object && element.kind != ListElement::Kind::Other) return cut;
        cut.size = element.end;
    }
}

std::size_t EventSplitter::find_list_end(std::string_view text) const {
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t candidate = find_outer_bracket(text, from);
        if (candidate == kNotFound) return kNotFound;
        from = candidate + 1;
        std::size_t before = candidate;
        while (before > 0 && (is_json_space(text[before - 1]) || text[before - 1] == ',')) --before;
        if (before > 0 && text[before - 1] != '}') continue;
        const std::size_t end = check_list_end(text, candidate, from);
        if (end != kNotFound) return end;
    }
    return kNotFound;
}

// Scans from the last event start before the candidate. `go_on`: position after the element that
// contains it.
std::size_t EventSplitter::check_list_end(std::string_view text, std::size_t candidate, std::size_t& go_on) const {
    const std::size_t line = text.substr(0, candidate).rfind(boundary_);
    for (std::size_t at = line == kNotFound ? 0 : line;;) {
        const ListElement element = find_element(text, at);
        if (element.kind == ListElement::Kind::ListEnd) return element.begin;
        go_on = std::max(go_on, element.end);
        if (element.kind == ListElement::Kind::Nothing || element.end > candidate) return kNotFound;
        at = element.end;
    }
}

// Skips the event, and equally many blanks, which don't count as dropped.
void EventSplitter::drop_huge_event(EventChunk& chunk) {
    rest_.assign(chunk.text());
    offset_ = chunk.offset;
    chunk.size = 0;
    at_ = rest_.find_first_not_of(" \n\r\t,");
    if (at_ == kNotFound) {
        at_ = rest_.size();
        skip_spaces(",");
        return;
    }
    diagnostics_.add("event-dropped",
                     place(at_) + ": an event of more than " + std::to_string(limits_.event_bytes >> 20) + " MiB");
    ++dropped_;
    capture(nullptr, 0);
}

// Leaves a partial event at the end to the chunk's reader, which may find whole events in it.
Result<bool> EventSplitter::finish_file(EventChunk& chunk, const Cut& cut) {
    state_ = State::End;
    const std::string at = "byte " + std::to_string(chunk.offset + chunk.size) + ": ";
    if (cut.size == 0 && !gave_events_ && (!cut.incomplete || !source_error_.empty())) {
        const std::string reason = at + "the file ends before the first event is complete" + std::string(kCutOff);
        return Error{ErrorCode::BadInput, source_error_.empty() ? reason : source_error_};
    }
    chunk.truncated = cut.incomplete;
    count_zero_bytes(chunk.text(), chunk.offset);
    if (without_commas_) add_commas(chunk);
    const bool is_unclosed = !cut.incomplete && !event_lines_ && !without_commas_;
    if (!source_error_.empty())
        diagnostics_.add("file-truncated", source_error_);
    else if (is_unclosed && bare_list_)
        diagnostics_.add("json-repaired", at + "the list of events is not closed");
    else if (is_unclosed)
        diagnostics_.add("file-truncated", at + "the file ends inside the list of events");
    gave_events_ = true;
    return true;
}

}  // namespace core
