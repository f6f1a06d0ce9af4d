#include "core/ingest/kineto/kineto_json.hpp"

#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"
#include "core/ingest/json/token_scan.hpp"
#include "core/ingest/kineto/event_layouts.hpp"
#include "core/ingest/kineto/event_rows.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <deque>

namespace core {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(simdjson::SIMDJSON_PADDING <= EventChunk::kMargin / 2 && kScanMargin <= EventChunk::kMargin / 2);
constexpr std::size_t kLargestKeptParser = std::size_t{4} << 20;
constexpr std::string_view kSeparators = " \n\r\t,";

// `key` points after the opening quote; a known name includes its closing quote.
template <std::size_t kSize>
bool is_key(const char* key, const char (&name_and_quote)[kSize]) {
    return std::memcmp(key, name_and_quote, kSize - 1) == 0;
}

// The slot of a known field, or null. Padding follows every key, so reading a few bytes ahead is
// safe.
const char** place_of(RawEvent& event, const char* key) {
    switch (key[0]) {
        case 'p':
            if (is_key(key, "ph\"")) return &event.phase;
            return is_key(key, "pid\"") ? &event.pid : nullptr;
        case 't':
            if (is_key(key, "ts\"")) return &event.time;
            return is_key(key, "tid\"") ? &event.tid : nullptr;
        case 'd':
            return is_key(key, "dur\"") ? &event.duration : nullptr;
        case 'n':
            return is_key(key, "name\"") ? &event.name : nullptr;
        case 'c':
            return is_key(key, "cat\"") ? &event.category : nullptr;
        case 's':
            return is_key(key, "scope\"") ? &event.scope : nullptr;
        case 'b':
            if (is_key(key, "bp\"")) return &event.binding;
            return is_key(key, "bind_id\"") ? &event.bind_id : nullptr;
        case 'f':
            if (is_key(key, "flow_in\"")) return &event.flow_in;
            return is_key(key, "flow_out\"") ? &event.flow_out : nullptr;
        case 'i':
            if (is_key(key, "id\"")) return &event.id;
            return is_key(key, "id2\"") ? &event.id2 : nullptr;
        default:
            return nullptr;
    }
}

// Pointer to the start of the value, without consuming it; null if absent.
const char* begin_of(ondemand::value& value) { return value.raw_json_token().data(); }

// The events of a chunk, without outer separators.
struct EventSpan {
    char* begin;
    char* end;
    std::size_t capacity;  // readable bytes from the beginning
    std::uint64_t offset;  // position of the beginning in the uncompressed file
    std::uint64_t offset_of(const char* at) const { return offset + static_cast<std::size_t>(at - begin); }
};

EventSpan span_of(EventChunk& chunk) {
    const std::string_view text = chunk.text();
    const std::size_t first = std::min(text.find_first_not_of(kSeparators), text.size());
    const std::size_t last = text.find_last_not_of(kSeparators);
    char* const begin = chunk.storage.data() + 1;
    char* const end = begin + (last == kNotFound ? first : last + 1);
    return {.begin = begin + first,
            .end = end,
            .capacity = chunk.storage.size() - 1 - first,
            .offset = chunk.offset + first};
}

EventBatch emptied(EventBatch&& batch) {
    EventBatch empty;
    const auto keep_memory = [](auto& of, auto& to) {
        of.clear();
        to = std::move(of);
    };
    keep_memory(batch.events, empty.events);
    for (std::size_t arg = 0; arg < kArgCount; ++arg) {
        keep_memory(batch.integers[arg], empty.integers[arg]);
        keep_memory(batch.texts[arg], empty.texts[arg]);
    }
    keep_memory(batch.flows, empty.flows);
    keep_memory(batch.counters, empty.counters);
    keep_memory(batch.metadata, empty.metadata);
    keep_memory(batch.text_store, empty.text_store);
    return empty;
}

const char* skip_spaces(const char* p) {
    while (is_json_space(*p)) ++p;
    return p;
}

// The text between events: mostly the same few bytes.
class Gap {
public:
    // Skips from the end of an event to the next one or the end of the text; null if a comma is
    // missing.
    const char* skip(const char* at, const char* end) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        if ((word & mask_) == word_ && at[size_] == '{') return at + size_;
        const char* const comma = skip_spaces(at);
        if (comma == end) return end;
        if (*comma != ',') return nullptr;
        const char* const next = skip_spaces(comma + 1);
        learn({at, static_cast<std::size_t>(next - at)});
        return next;
    }

private:
    void learn(std::string_view gap) {
        if (gap.size() > sizeof word_) return;
        size_ = gap.size();
        word_ = mask_ = 0;
        std::memcpy(&word_, gap.data(), size_);
        std::memset(&mask_, 0xFF, size_);
    }
    std::uint64_t word_ = 1;  // matches no masked word
    std::uint64_t mask_ = 0;
    std::size_t size_ = 0;
};

constexpr std::size_t kFewMisses = 32;
constexpr std::size_t kManyMisses = 512;

}  // namespace

struct KinetoParser::Impl {
    KnownLayouts use_layouts;
    ondemand::parser parser;
    EventLayouts layouts;
    bool layouts_helped = false;  // in the previous chunk
    bool has_escapes = true;      // somewhere in this chunk
    Gap gap;
    RawEvent event;
    std::string mended;
    std::deque<std::string> resolved_keys;  // of the event, those written with escapes

    std::string_view resolved_key(const char* key);
    bool read_by_layout(const EventSpan& span, EventBatch& batch);
    const char* read_while_known(const EventSpan& span, RowWriter& rows);
    const char* read_next(const char* at, const EventSpan& span, RowWriter& rows);
    bool read_list(const EventSpan& span, RowWriter& rows);
    bool read_event(ondemand::object object, ondemand::document& document, RowWriter& rows);
    bool read_arguments(ondemand::value value, ondemand::document& document);
    bool read_document(std::string_view text, std::size_t capacity, std::uint64_t offset, RowWriter& rows,
                       ondemand::document& document);
    bool read_single(std::string_view text, std::size_t capacity, std::uint64_t offset, RowWriter& rows);
    bool read_mended(std::string_view text, std::uint64_t offset, Repair repair, RowWriter& rows);
    void read_one_by_one(const EventChunk& chunk, EventBatch& batch);
    void release_if_large();
};

KinetoParser::KinetoParser(KnownLayouts layouts) : impl_(std::make_unique<Impl>()) { impl_->use_layouts = layouts; }
KinetoParser::~KinetoParser() = default;
KinetoParser::KinetoParser(KinetoParser&&) noexcept = default;
KinetoParser& KinetoParser::operator=(KinetoParser&&) noexcept = default;

EventBatch KinetoParser::parse_chunk(EventChunk& chunk, EventBatch&& spare) {
    EventBatch batch = emptied(std::move(spare));
    const EventSpan span = span_of(chunk);
    impl_->has_escapes = chunk.text().find('\\') != kNotFound;
    bool read = impl_->use_layouts == KnownLayouts::Use && impl_->read_by_layout(span, batch);
    if (!read) {
        batch = emptied(std::move(batch));
        RowWriter rows(batch);
        read = impl_->read_list(span, rows);
    }
    if (!read) {
        batch = emptied(std::move(batch));
        impl_->read_one_by_one(chunk, batch);
    }
    batch.text_store.close();
    impl_->release_if_large();
    return batch;
}

bool KinetoParser::Impl::read_arguments(ondemand::value value, ondemand::document& document) {
    const char* const begin = begin_of(value);
    if (*begin != '{') {
        if (*begin != 'n') event.arguments = json_token(begin, event.limit);
        return true;
    }
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto item : object) {
        ondemand::field field;
        if (std::move(item).get(field) != simdjson::SUCCESS) return false;
        const char* const key = field.key().raw();
        const char* const end =
            static_cast<const char*>(std::memchr(key, '"', static_cast<std::size_t>(event.limit - key)));
        if (end == nullptr) return false;
        const std::string_view name{key, static_cast<std::size_t>(end - key)};
        const bool plain = !has_escapes || name.find('\\') == kNotFound;
        event.fields.push_back({plain ? name : resolved_key(key), begin_of(field.value())});
    }
    const char* after = nullptr;
    if (document.current_location().get(after) != simdjson::SUCCESS || after > event.limit) return false;
    while (after > begin && after[-1] != '}') --after;
    event.arguments = {begin, static_cast<std::size_t>(after - begin)};
    return true;
}

// `key` points after the opening quote. A closing quote and padding follow, as they do in the text.
std::string_view KinetoParser::Impl::resolved_key(const char* key) {
    std::string scratch;
    std::string& resolved = resolved_keys.emplace_back(json_text(key - 1, event.limit, scratch));
    const std::size_t size = resolved.size();
    resolved.append(1, '"').append(EventChunk::kMargin / 8, ' ');
    return std::string_view(resolved).substr(0, size);
}

bool KinetoParser::Impl::read_event(ondemand::object object, ondemand::document& document, RowWriter& rows) {
    if (!resolved_keys.empty()) resolved_keys.clear();
    for (auto item : object) {
        ondemand::field field;
        if (std::move(item).get(field) != simdjson::SUCCESS) return false;
        const char* key = field.key().raw();
        const char* const value = begin_of(field.value());
        const char* const written = key;
        if (has_escapes && raw_text(key, event.limit).find('\\') != kNotFound) key = resolved_key(key).data();
        if (const char** const place = place_of(event, key); place != nullptr) {
            *place = *value == 'n' ? nullptr : value;  // null equals absent
        } else if (is_key(key, "args\"")) {
            event.fields.clear();
            if (!read_arguments(field.value(), document)) return false;
        } else {
            if (!event.extra.empty()) event.extra += ", ";
            event.extra.append("\"").append(raw_text(written, event.limit)).append("\": ");
            event.extra += json_token(value, event.limit);
        }
    }
    rows.write(event);
    return true;
}

// False if anything is unusual; the parser alone decides then.
bool KinetoParser::Impl::read_by_layout(const EventSpan& span, EventBatch& batch) {
    RowWriter rows(batch);
    const char after = *span.end;
    *span.end = '\0';
    const char* const rest = read_while_known(span, rows);
    *span.end = after;
    if (rest == nullptr || rest == span.end) return rest != nullptr;
    const std::ptrdiff_t done = rest - span.begin;
    const auto bytes = static_cast<std::size_t>(done);
    return read_list(
        {.begin = span.begin + done, .end = span.end, .capacity = span.capacity - bytes, .offset = span.offset + bytes},
        rows);
}

// Reads to the end, or until too few events have a known layout. Gives up after few misses if it
// gave up on the previous chunk, else after many, as metadata comes in runs. Null if anything is
// unusual.
const char* KinetoParser::Impl::read_while_known(const EventSpan& span, RowWriter& rows) {
    const std::size_t few_misses = layouts_helped ? kManyMisses : kFewMisses;
    layouts_helped = false;
    std::size_t events = 0;
    std::size_t misses = 0;
    for (const char* at = span.begin; at != span.end; ++events) {
        if (const LaidOutEvent* const known = layouts.match(at); known != nullptr) {
            rows.write(*known, span.offset_of(at));
            at = known->end;
        } else {
            if (++misses > few_misses && misses * 4 > events) return at;
            at = read_next(at, span, rows);
            if (at == nullptr) return nullptr;
        }
        at = gap.skip(at, span.end);
        if (at == nullptr) return nullptr;
    }
    layouts_helped = misses * 4 <= events;
    return span.end;
}

// Parses the event at `at` and learns its layout; returns its end, or null if unreadable.
const char* KinetoParser::Impl::read_next(const char* at, const EventSpan& span, RowWriter& rows) {
    const std::string_view rest{at, static_cast<std::size_t>(span.end - at)};
    const std::size_t size = *at == '{' ? find_container_end(rest) : kNotFound;
    if (size == kNotFound) return nullptr;
    const std::size_t capacity = span.capacity - static_cast<std::size_t>(at - span.begin);
    ondemand::document document;
    if (!read_document(rest.substr(0, size), capacity, span.offset_of(at), rows, document)) return nullptr;
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return nullptr;  // not fully consumed
    layouts.learn(event, rest.substr(0, size));
    return at + size;
}

// Parses as one JSON list: brackets replace the separators at both ends.
bool KinetoParser::Impl::read_list(const EventSpan& span, RowWriter& rows) {
    if (span.begin == span.end) return true;
    char* const begin = span.begin - 1;
    const char before = *begin;
    const char after = *span.end;
    *begin = '[';
    *span.end = ']';
    const auto size = static_cast<std::size_t>(span.end + 1 - begin);

    const bool read = [&] {
        ondemand::document document;
        ondemand::array list;
        if (parser.iterate(begin, size, span.capacity + 1).get(document) != simdjson::SUCCESS) return false;
        if (document.get_array().get(list) != simdjson::SUCCESS) return false;
        for (auto element : list) {
            ondemand::value value;
            // get() is for rvalues only.
            if (std::move(element).get(value) != simdjson::SUCCESS) return false;  // NOLINT(performance-move-const-arg)
            const char* const at = begin_of(value);
            ondemand::object object;
            if (value.get_object().get(object) != simdjson::SUCCESS) return false;
            event.clear(span.end);
            event.offset = span.offset_of(at);
            if (!read_event(object, document, rows)) return false;
        }
        return true;
    }();
    *begin = before;
    *span.end = after;
    return read;
}

// `capacity`: accessible bytes from the beginning of the text.
bool KinetoParser::Impl::read_document(std::string_view text, std::size_t capacity, std::uint64_t offset,
                                       RowWriter& rows, ondemand::document& document) {
    ondemand::object object;
    if (parser.iterate(text.data(), text.size(), capacity).get(document) != simdjson::SUCCESS) return false;
    if (document.get_object().get(object) != simdjson::SUCCESS) return false;
    event.clear(text.data() + text.size());
    event.offset = offset;
    return read_event(object, document, rows);
}

bool KinetoParser::Impl::read_single(std::string_view text, std::size_t capacity, std::uint64_t offset,
                                     RowWriter& rows) {
    ondemand::document document;
    return read_document(text, capacity, offset, rows, document);
}

bool KinetoParser::Impl::read_mended(std::string_view text, std::uint64_t offset, Repair repair, RowWriter& rows) {
    mended = repair_json(text, repair);
    if (repair == Repair::Characters && mended == text) return false;
    const std::size_t size = mended.size();
    mended.append(EventChunk::kMargin, ' ');
    const bool read = read_single({mended.data(), size}, mended.size(), offset, rows);
    rows.forget();
    if (!read) return false;
    rows.note("text-repaired", offset, "characters that JSON does not allow");
    return true;
}

namespace {

// Reads a chunk event by event. After a defect that hides the end of an event (a stray quote, a
// missing bracket) it continues at the next place that looks like the start of an event of this
// file.
class EventWalk {
public:
    explicit EventWalk(const EventChunk& chunk) : text_(chunk.text()), boundary_(chunk.boundary) {}

    ListElement next() {
        if (!lost_) {
            const ListElement element = find_element(text_, at_);
            if (element.kind != ListElement::Kind::Incomplete) return take(element);
            lost_ = !boundary_.empty();
            if (!lost_) return take(element);
        }
        // From now on only up to the next boundary, to keep linear time.
        ListElement element = find_element(text_.substr(0, boundary_after(at_)), at_);
        while (element.kind == ListElement::Kind::Nothing && element.begin < text_.size()) {
            const auto commas = element.commas;
            element = find_element(text_.substr(0, boundary_after(element.begin + 1)), element.begin);
            element.commas += commas;
        }
        return take(element);
    }
    // Cuts an unreadable element at the apparent start of the next event, if that is inside it.
    ListElement cut(ListElement element) {
        element.end = std::min(element.end, boundary_after(element.begin + 1));
        at_ = element.end;
        const std::size_t last = text_.substr(0, element.end).find_last_not_of(kSeparators);
        if (last != kNotFound && last >= element.begin) element.end = last + 1;
        return element;
    }

private:
    ListElement take(const ListElement& element) {
        at_ = element.end;
        return element;
    }
    std::size_t boundary_after(std::size_t from) {
        if (boundary_.empty()) return text_.size();
        if (known_from_ <= from && from <= known_) return known_;
        known_from_ = from;
        known_ = std::min(text_.find(boundary_, from), text_.size());
        return known_;
    }

    std::string_view text_;
    std::string_view boundary_;
    std::size_t at_ = 0;
    std::size_t known_from_ = 1;
    std::size_t known_ = 0;
    bool lost_ = false;
};

}  // namespace

void KinetoParser::Impl::read_one_by_one(const EventChunk& chunk, EventBatch& batch) {
    RowWriter rows(batch);
    const std::string_view text = chunk.text();
    EventWalk walk(chunk);
    bool cut_before = true;
    for (;;) {
        ListElement element = walk.next();
        using Kind = ListElement::Kind;
        if (element.kind == Kind::Nothing || element.kind == Kind::ListEnd) break;
        const std::uint64_t offset = chunk.offset + element.begin;
        if (!cut_before && element.commas == 0) rows.note("json-repaired", offset, "a comma is missing");
        cut_before = false;
        if (element.kind == Kind::Other) {
            rows.drop("event-dropped", offset, "an element that is not an event");
            continue;
        }
        if (element.kind == Kind::Object) {
            const std::string_view whole = text.substr(element.begin, element.end - element.begin);
            const std::size_t capacity = text.size() - element.begin + EventChunk::kMargin;
            if (read_single(whole, capacity, offset, rows)) continue;
            if (read_mended(whole, offset, Repair::Characters, rows)) continue;
        }
        element = walk.cut(element);
        cut_before = true;
        const std::string_view part = text.substr(element.begin, element.end - element.begin);
        if (read_mended(part, offset, Repair::Quotes, rows)) continue;
        const bool last = chunk.truncated && text.find_first_not_of(kSeparators, element.end) == kNotFound;
        rows.drop(last ? "file-truncated" : "event-dropped", offset,
                  last ? "the file ends inside an event" : "an event that is not valid JSON");
    }
}

// Releases the memory of one huge event.
void KinetoParser::Impl::release_if_large() {
    if (parser.capacity() > kLargestKeptParser) parser = ondemand::parser{};
    if (mended.capacity() > kLargestKeptParser) mended = std::string{};
}

}  // namespace core
