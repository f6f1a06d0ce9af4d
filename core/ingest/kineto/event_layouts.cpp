#include "core/ingest/kineto/event_layouts.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"
#include "core/ingest/json/timestamp.hpp"
#include "core/ingest/json/token_scan.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostLayouts = 4096;
constexpr std::size_t kMostLiteralBytes = std::size_t{4} << 20;  // total over all layouts
constexpr std::size_t kLargestEvent = std::size_t{16} << 10;

// Characters of a number.
constexpr auto kGoesOn = [] {
    std::array<bool, 256> goes_on{};
    for (const char c : std::string_view("0123456789.eE+-")) goes_on[static_cast<unsigned char>(c)] = true;
    return goes_on;
}();
inline bool goes_on(char c) { return kGoesOn[static_cast<unsigned char>(c)]; }

[[gnu::always_inline]] inline const char* number_end(const char* p) {
    p += scan_few_digits(p).count;
    while (goes_on(*p)) ++p;
    return p;
}

// Microseconds to nanoseconds as parse_microseconds() does; null if it would clamp.
[[gnu::always_inline]] inline const char* scan_time(const char* p, std::int64_t& ns) {
    constexpr std::uint64_t kLargest = kLongestTime / 1000 - 1;
    const Digits whole = scan_digits(p);
    const char* end = p + whole.count;
    if (whole.count == 0) return nullptr;
    Digits decimals;
    if (*end == '.') {
        decimals = scan_few_digits(end + 1);
        end += 1 + decimals.count;
    }
    const bool fits = whole.count <= kMostDigits && whole.value < kLargest && decimals.count <= 3;
    if (fits && !goes_on(*end)) {
        ns = static_cast<std::int64_t>(whole.value * 1000 + decimals.value * kPowersOf10[3 - decimals.count]);
        return end;
    }
    end = number_end(p);
    const ParsedTime time = parse_microseconds({p, static_cast<std::size_t>(end - p)});
    ns = time.ns;
    return time.valid && !time.clamped ? end : nullptr;
}

[[gnu::always_inline]] inline const char* scan_integer(const char* p, std::int64_t& number) {
    const bool negative = *p == '-';
    p += negative ? 1 : 0;
    const Digits digits = scan_digits(p);
    if (digits.count == 0 || digits.count > kMostDigits) return nullptr;
    const auto magnitude = static_cast<std::int64_t>(digits.value);
    number = negative ? -magnitude : magnitude;
    return p + digits.count;
}

}  // namespace

// ---------------------------------------------------------------- reading

// Returns one past the value at `p`, or null. For texts: at the closing quote, which belongs to the
// next literal.
const char* EventLayouts::read_value(Slot slot, const char* p, std::int64_t& number) {
    switch (slot) {
        case Slot::Text:
            return plain_text_end(p);
        case Slot::Container:
            return *p == '[' || *p == '{' ? plain_container_end(p) : nullptr;
        case Slot::Number:
            return is_digit(*p) || *p == '-' ? number_end(p + 1) : nullptr;
        case Slot::FlowId:
            if (*p == '-') return nullptr;
            [[fallthrough]];
        case Slot::Integer:
            return scan_integer(p, number);
        case Slot::Time:
            return scan_time(p, number);
        case Slot::End:
            return p;
    }
    return nullptr;
}

bool EventLayouts::read_values(const Layout& layout, const char* text) {
    const char* p = text;
    std::size_t index = 0;
    for (const Segment& segment : layout.segments) {
        if (!begins_with(p, literals_.data() + segment.literal, segment.size)) return false;
        p += segment.size;
        const char* const end = read_value(segment.slot, p, event_.numbers[index]);
        if (end == nullptr) return false;
        event_.values[index++] = {p, static_cast<std::size_t>(end - p)};
        p = end;
    }
    event_.end = p;
    return true;
}

const LaidOutEvent* EventLayouts::match(const char* text) {
    Predicted& next = predicted();
    for (std::size_t i = 0; i < kPredicted && next[i] != kNone; ++i) {
        if (!read_values(layouts_[next[i]], text)) continue;
        const std::uint32_t found = next[i];
        for (; i > 0; --i) next[i] = next[i - 1];
        next[0] = found;
        return take(found, text);
    }
    return match_surprise(text);
}

// Searches the layouts that recently came unpredicted.
const LaidOutEvent* EventLayouts::match_surprise(const char* text) {
    for (std::size_t i = 0; i < kMostTried && surprises_[i] != kNone; ++i) {
        if (!read_values(layouts_[surprises_[i]], text)) continue;
        const std::uint32_t found = surprises_[i];
        expect(found);
        return take(found, text);
    }
    return nullptr;
}

const LaidOutEvent* EventLayouts::take(std::uint32_t layout, const char* text) {
    event_.form = &layouts_[layout].form;
    event_.begin = text;
    previous_ = layout;
    return &event_;
}

// Predicts the layout at this position and moves it to the front of the surprises.
void EventLayouts::expect(std::uint32_t layout) {
    const auto put_first = [&](auto& list) {
        auto place = std::ranges::find(list, layout);
        if (place == list.end()) *--place = layout;
        std::rotate(list.begin(), place, place + 1);
    };
    put_first(predicted());
    put_first(surprises_);
}

// ---------------------------------------------------------------- learning

class EventLayouts::Learner {
public:
    Learner(const RawEvent& event, std::string_view text) : event_(event), text_(text) {}

    // False if the rows of such events depend on more than the values.
    bool read() {
        if (text_.size() > kLargestEvent || text_.find('\0') != kNotFound) return false;
        return read_phase() && collect_values() && fill_form();
    }
    Layout layout;
    std::string literals;
    std::string key;  // unique per layout

private:
    struct Value {
        const char* token;
        const char* begin;
        const char* end;
        Slot slot;
    };

    bool read_phase() {
        EventForm& form = layout.form;
        const std::string_view token = event_.phase == nullptr ? "" : json_token(event_.phase, event_.limit);
        if (token.size() != 3 || token[0] != '"' || event_.bind_id != nullptr || event_.time == nullptr) return false;
        const std::optional<Phase> phase = event_phase(token[1]);
        const std::optional<FlowPhase> flow = flow_phase(token[1]);
        form.is_flow = flow.has_value();
        if (flow) {
            form.flow_phase = *flow;
            return event_.id != nullptr && event_.scope == nullptr && event_.id2 == nullptr;
        }
        if (!phase || *phase == Phase::AsyncBegin || *phase == Phase::AsyncEnd || event_.id != nullptr) return false;
        form.phase = *phase;
        return *phase != Phase::Complete || event_.duration != nullptr;
    }

    bool collect_values() {
        bool plain = add(event_.time, Slot::Time) && (event_.name == nullptr || add(event_.name, Slot::Text));
        if (event_.duration != nullptr) plain = plain && add(event_.duration, Slot::Time);
        if (layout.form.is_flow) plain = plain && add(event_.id, Slot::FlowId);
        for (const RawEvent::Argument& field : event_.fields) plain = plain && add_argument(field);
        std::ranges::sort(values_, {}, &Value::begin);
        return plain && values_.size() < kMostValues;
    }

    bool add_argument(const RawEvent::Argument& field) {
        const KnownArg* const known = find_known_arg(field.key);
        const char first = *field.value;
        if (first == 'n' && !is_json_null(field.value, event_.limit)) return false;
        const bool is_fixed = first == 'n' || ((first == 't' || first == 'f') && known == nullptr);
        if (is_fixed) return true;
        if (first == '"') return add(field.value, Slot::Text);
        if (first == '[' || first == '{') return add(field.value, Slot::Container);
        const bool counts = known == nullptr || (known->type == ArgType::Integer && known->scale == 1);
        return (counts && add(field.value, Slot::Integer)) || add(field.value, Slot::Number);
    }

    bool add(const char* token, Slot slot) {
        const std::string_view whole = json_token(token, event_.limit);
        if ((slot == Slot::Text) != (*token == '"')) return false;
        const std::size_t quote = slot == Slot::Text ? 1 : 0;
        if (whole.size() < 2 * quote) return false;
        const Value value{.token = token, .begin = token + quote, .end = token + whole.size() - quote, .slot = slot};
        std::int64_t ignored = 0;
        if (read_value(slot, value.begin, ignored) != value.end) return false;
        values_.push_back(value);
        return true;
    }

    bool fill_form() {
        EventForm& form = layout.form;
        form.time = index_of_value(event_.time);
        form.name = index_of_value(event_.name);
        form.duration = index_of_value(event_.duration);
        form.flow_id = index_of_value(event_.id);
        std::string scratch;
        if (event_.category != nullptr) form.category = json_text(event_.category, event_.limit, scratch);
        form.pid = json_id(event_.pid, event_.limit, scratch, false);
        form.tid = json_id(event_.tid, event_.limit, scratch, false);
        form.bind_enclosing = event_.binding != nullptr && json_text(event_.binding, event_.limit, scratch) == "e";
        for (const RawEvent::Argument& field : event_.fields) add_known(field);
        fill_text();
        fill_segments();
        return true;
    }

    void add_known(const RawEvent::Argument& field) {
        const KnownArg* const known = find_known_arg(field.key);
        if (known == nullptr || *field.value == 'n') return;
        const std::uint8_t index = index_of_value(field.value);
        const Slot slot = values_[index].slot;
        const EventForm::Value kind = slot == Slot::Integer ? EventForm::Value::Number
                                      : slot == Slot::Text  ? EventForm::Value::Text
                                                            : EventForm::Value::Other;
        layout.form.arguments.push_back({.known = known, .value = index, .kind = kind});
    }

    // Splits the arguments' text into the pieces around its values.
    void fill_text() {
        EventForm& form = layout.form;
        const char* at = event_.arguments.data();
        const char* const end = at + event_.arguments.size();
        form.text.extra = event_.extra;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (values_[i].begin < at || values_[i].begin >= end) continue;
            if (form.text.pieces.empty()) form.first_argument = static_cast<std::uint8_t>(i);
            form.text.pieces.emplace_back(at, values_[i].begin);
            form.text.values.push_back(values_[i].slot == Slot::Integer ? TextForm::Value::Integer
                                                                        : TextForm::Value::Text);
            at = values_[i].end;
        }
        form.text.pieces.emplace_back(at, end);
    }

    void fill_segments() {
        const char* at = text_.data();
        const auto add_segment = [&](const char* end, Slot slot) {
            const std::string_view literal{at, static_cast<std::size_t>(end - at)};
            layout.segments.push_back(
                {static_cast<std::uint32_t>(literals.size()), static_cast<std::uint32_t>(literal.size()), slot});
            literals += literal;
            key.append(literal).append(1, '\0').append(1, static_cast<char>(slot));
        };
        for (const Value& value : values_) {
            add_segment(value.begin, value.slot);
            at = value.end;
        }
        add_segment(text_.data() + text_.size(), Slot::End);
    }

    std::uint8_t index_of_value(const char* token) const {
        const auto found = std::ranges::find(values_, token, &Value::token);
        return token == nullptr || found == values_.end() ? EventForm::kAbsent
                                                          : static_cast<std::uint8_t>(found - values_.begin());
    }

    const RawEvent& event_;
    std::string_view text_;
    std::vector<Value> values_;
};

void EventLayouts::learn(const RawEvent& event, std::string_view text) {
    Learner learner(event, text);
    if (!learner.read()) return;
    const bool full = layouts_.size() == kMostLayouts || literals_.size() + text.size() > kMostLiteralBytes;
    if (full && !by_text_.contains(learner.key)) return;
    const auto [known, is_new] =
        by_text_.try_emplace(std::move(learner.key), static_cast<std::uint32_t>(layouts_.size()));
    if (is_new) {
        const auto shift = static_cast<std::uint32_t>(literals_.size());
        for (Segment& segment : learner.layout.segments) segment.literal += shift;
        literals_.append(learner.literals).append(kScanBytes, ' ');
        learner.layout.form.text.id = known->second;
        learner.layout.next.front() = known->second;  // most likely repeated
        layouts_.push_back(std::move(learner.layout));
    }
    expect(known->second);
    previous_ = known->second;
}

}  // namespace core
