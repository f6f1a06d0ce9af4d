#pragma once
// The events of one rank on their way from rows to its TraceBuilder: in batches, with arguments as columns and as text.
// Knows nothing of tables.

#include "core/store/assemble/trace_builder.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

// An event's arguments: JSON text for display, and the values Lockstep computes with.
class RowArguments {
public:
    void clear();
    void add(std::string_view key, std::int64_t value);
    void add(std::string_view key, std::string_view value);  // valid UTF-8
    void add_json(std::string_view key, std::string_view json);  // a JSON value
    // The same, and a column.
    void add(std::string_view key, Arg arg, std::int64_t value);
    void add_column(Arg arg, std::int64_t value) { integers.emplace_back(arg, value); }
    void add_column(Arg arg, std::string_view value) { texts.emplace_back(arg, value); }
    std::string_view json();  // closes the object

    std::vector<std::pair<Arg, std::int64_t>> integers;
    std::vector<std::pair<Arg, std::string>> texts;

private:
    void begin(std::string_view key);
    std::string json_;
};
void append_json_string(std::string& to, std::string_view text);  // valid UTF-8, with quotes

struct StagedRow {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;  // Complete only
    std::string_view name;
    std::string_view category;
    std::string_view pid;
    std::string_view tid;
    std::string_view id;  // asynchronous only
    Phase phase = Phase::Complete;
    bool has_collective = false;
};

class RankStage {
public:
    void add(const StagedRow& row, RowArguments& arguments);
    void add_counter(std::int64_t time_ns, std::string_view pid, std::string_view name, std::string_view series,
                     double value);
    void drop(std::string_view kind, std::string_view example);
    void note(std::string_view kind, std::string_view example, std::uint64_t count = 1);
    void name(MetadataKind kind, std::string_view pid, std::string_view tid, std::string_view text);
    void flush();
    std::uint64_t records() const { return records_; }
    TraceBuilder& builder() { return builder_; }

private:
    EventBatch batch_;
    TraceBuilder builder_;
    std::uint64_t records_ = 0;
};

}  // namespace core
