#pragma once
// What one trace event says, as places in its text, and how that becomes rows of a batch: which phase makes what row,
// which arguments are known, what is counted. Knows nothing of where one event ends and the next begins.

#include "core/store/event_batch.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace core {

// Values by where they begin (null: absent); they end before `limit`.
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
    std::string_view arguments;     // the args value as written
    std::uint64_t offset = 0;       // in the uncompressed file
};

struct RawEvent : EventFields {
    struct Argument {
        std::string_view key;       // escapes not resolved
        const char* value;
    };
    std::vector<Argument> fields;   // of the arguments, if they are an object
    std::string extra;              // "key": value, ... of other fields

    void clear(const char* new_limit);
};

class RowWriter {
public:
    explicit RowWriter(EventBatch& batch) : batch_(batch) {}
    void write(RawEvent& event);
    // The text of the last event is about to go: what is remembered of it must not be used.
    void forget();
    // A record that is none: counted under `kind`, with the place and the reason as an example.
    void drop(std::string_view kind, std::uint64_t offset, std::string_view reason);
    void note(std::string_view kind, std::uint64_t offset, std::string_view what);

private:
    bool read_time(const RawEvent& event, std::int64_t& ns);
    void read_duration(const RawEvent& event, std::int64_t& ns);
    void write_event(RawEvent& event, Phase phase);
    void write_arguments(const RawEvent& event, std::uint32_t row);
    void write_argument(const RawEvent& event, const RawEvent::Argument& field, const KnownArg& known,
                        std::uint32_t row);
    void write_flow(const RawEvent& event, FlowPhase phase);
    void write_bound_flow(const RawEvent& event, const EventRow& row);
    void write_counter(const RawEvent& event);
    void write_metadata(const RawEvent& event);
    // What the event before had in the same field: mostly the same again.
    struct Last {
        std::string_view token;
        NameId id{0};
    };
    NameId intern_text(const char* value, const char* limit);
    NameId intern_id(const char* value, const char* limit);
    NameId intern_category(const RawEvent& event);
    NameId intern_repeated_id(const char* value, const char* limit, Last& last);
    std::string_view async_id(const RawEvent& event);
    void keep_in_extra(RawEvent& event, std::string_view key, const char* value);

    EventBatch& batch_;
    std::uint32_t order_ = 0;
    Last last_category_;
    Last last_pid_;
    Last last_tid_;
    std::string scratch_;
    std::string id_;
};

}  // namespace core
