#pragma once
// The fields of one trace event as positions in its text, and their conversion to rows of a batch:
// rows per phase, known arguments, counts. Doesn't find event boundaries. For repeated events the
// common part may be passed as a form with values.

#include "core/store/event_batch.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Values by start position (null: absent); they end before `limit`.
struct EventFields {
    const char* limit = nullptr;
    const char* phase = nullptr;
    const char* name = nullptr;
    const char* category = nullptr;
    const char* time = nullptr;
    const char* duration = nullptr;
    const char* pid = nullptr;
    const char* tid = nullptr;
    const char* id = nullptr;
    const char* id2 = nullptr;
    const char* scope = nullptr;
    const char* binding = nullptr;  // "bp"
    const char* bind_id = nullptr;
    const char* flow_in = nullptr;
    const char* flow_out = nullptr;
    std::string_view arguments;     // args value as written
    std::uint64_t offset = 0;       // position in the uncompressed file
};

struct RawEvent : EventFields {
    struct Argument {
        std::string_view key;       // escapes resolved
        const char* value;
    };
    std::vector<Argument> fields;   // fields of the arguments, if an object
    std::string extra;              // other fields: "key": value, ...

    void clear(const char* new_limit);
    bool is_empty() const;          // {}
};

inline constexpr std::size_t kMostValues = 48;  // per laid-out event

// The common part of events that differ only in values. Values are identified by position.
struct EventForm {
    static constexpr std::uint8_t kAbsent = 0xFF;
    enum class Value : std::uint8_t { Number, Text, Other };  // Number: given as a number
    struct Argument {
        const KnownArg* known;
        std::uint8_t value;
        Value kind;
    };
    bool is_flow = false;
    Phase phase{};
    FlowPhase flow_phase{};
    bool bind_enclosing = false;
    std::uint8_t time = kAbsent;    // number: ns
    std::uint8_t duration = kAbsent;
    std::uint8_t name = kAbsent;    // plain text without quotes, like all texts
    std::uint8_t flow_id = kAbsent;
    std::uint8_t first_argument = 0;  // first of the values that fill `text`
    std::string category;           // empty: absent
    std::string pid;
    std::string tid;
    std::vector<Argument> arguments;  // known arguments
    TextForm text;                  // its id identifies the form
};

struct LaidOutEvent {
    const EventForm* form = nullptr;
    const char* begin = nullptr;
    const char* end = nullptr;
    std::array<std::string_view, kMostValues> values;
    std::array<std::int64_t, kMostValues> numbers;
};

std::optional<Phase> event_phase(char ph);
std::optional<FlowPhase> flow_phase(char ph);

// Cache of recent names that avoids most searches of the pool.
class RecentNames {
public:
    NameId intern(StringPool& pool, std::string_view text);

private:
    static constexpr std::size_t kSlots = 1024;
    std::array<NameId, kSlots> ids_{};
};

// Maps a list's text as written to the name of its compact text. Stores views: sources must outlive
// it.
class RecentLists {
public:
    NameId intern(StringPool& pool, std::string_view list);

private:
    static constexpr std::size_t kSlots = 512;
    struct Known {
        std::string_view list;
        NameId id{0};
    };
    std::array<Known, kSlots> known_;
    std::string scratch_;
};

class RowWriter {
public:
    explicit RowWriter(EventBatch& batch) : batch_(batch) {}
    void write(RawEvent& event);
    void write(const LaidOutEvent& event, std::uint64_t offset);
    // Call before the text of the last event is released: forgets views into it.
    void forget();
    // Counts a malformed record under `kind`, with place and reason as the example.
    void drop(std::string_view kind, std::uint64_t offset, std::string_view reason);
    void note(std::string_view kind, std::uint64_t offset, std::string_view what);

private:
    bool read_time(const RawEvent& event, std::int64_t& ns);
    void read_duration(const RawEvent& event, std::int64_t& ns);
    void write_phase(RawEvent& event, char ph);
    void write_event(RawEvent& event, Phase phase);
    std::string_view mend_numbers(const RawEvent& event);
    void write_arguments(const RawEvent& event, std::uint32_t row);
    struct ArgumentText {
        const char* value;
        const char* limit;
        std::uint64_t offset;       // position of the event
    };
    bool is_kept(const KnownArg& known, std::uint32_t row) const;
    void write_argument(const ArgumentText& text, const KnownArg& known, std::uint32_t row);
    void write_plain_text(std::string_view text, const KnownArg& known, std::uint32_t row);
    void write_laid_out_event(const LaidOutEvent& event, std::uint64_t offset);
    void write_laid_out_arguments(const LaidOutEvent& event, std::uint64_t offset, std::uint32_t row);
    void write_laid_out_flow(const LaidOutEvent& event);
    void count_event(Phase phase);
    void write_flow(const RawEvent& event, FlowPhase phase);
    void write_bound_flow(const RawEvent& event, const EventRow& row);
    void write_counter(const RawEvent& event);
    void write_metadata(const RawEvent& event);
    // The previous event's value of a field, which usually repeats.
    struct Last {
        std::string_view token;
        NameId id{0};
    };
    NameId intern_text(const char* value, const char* limit);
    NameId intern_id(const char* value, const char* limit);
    NameId intern_category(const RawEvent& event);
    NameId intern_repeated_id(const char* value, const char* limit, Last& last);
    struct FormIds {
        NameId category, pid, tid;
        bool known;
    };
    bool knows(const EventForm& form) const { return form.text.id < form_ids_.size() && form_ids_[form.text.id].known; }
    FormIds ids_of(const EventForm& form) { return knows(form) ? form_ids_[form.text.id] : learn_ids(form); }
    FormIds learn_ids(const EventForm& form);
    NameId intern_name(const LaidOutEvent& event);
    std::string_view async_id(const RawEvent& event);
    void keep_in_extra(RawEvent& event, std::string_view key, const char* value);

    EventBatch& batch_;
    std::uint32_t order_ = 0;
    Last last_category_;
    Last last_pid_;
    Last last_tid_;
    RecentNames names_;
    RecentLists lists_;
    std::vector<FormIds> form_ids_;  // by the id of the form's text
    std::string scratch_;
    std::string id_;
    std::string mended_;
    bool broken_escape_ = false;  // in a text of the current event
};

}  // namespace core
