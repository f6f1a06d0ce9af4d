#pragma once
// A run as SQL sees it: tables whose rows are read where they lie, nothing copied. A table is a row of
// sql_tables(): its columns, and a function that opens a scan over them. A scan applies the bounds it is given, so
// that rows outside them cost nothing; SQLite checks every row again, so a bound that is ignored is only slow.

#include "core/analysis/engine/analysis.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace core {

// Which comparisons of a column a scan applies by itself.
enum class SqlPush : std::uint8_t {
    None,
    Equal,  // = and IN
    Range,  // these and < <= > >=
    Text,   // = IN LIKE GLOB
    Argument,  // of a table-valued function: = only, and never seen in rows
};

struct SqlColumn {
    std::string name;
    Unit unit = Unit::Text;
    std::string meaning;
    SqlPush push = SqlPush::None;
    bool any_type = false;  // `unit` says nothing
};

enum class SqlOp : std::uint8_t { Equal, Less, AtMost, More, AtLeast, Like, Glob };
using SqlValue = std::variant<std::int64_t, std::string>;

struct SqlBound {
    std::size_t column = 0;
    SqlOp op = SqlOp::Equal;
    std::vector<SqlValue> values;  // Equal: one of them; others: one. None: nothing passes
    bool holds(const Cell&) const;
};
using SqlBounds = std::vector<SqlBound>;

// Input of a query. The run and the filter must outlive it; one thread at a time.
struct SqlContext {
    const Run* run = nullptr;
    const Filter* filter = nullptr;  // of the table `selection`, and of the analyses
    unsigned threads = 1;
    JobContext job{};
    std::uint64_t examined = 0;  // rows that scans looked at
    std::map<std::size_t, RankView> views{};           // of `selection`, by slot
    std::map<std::string, AnswerPtr, std::less<>> answers{};  // of analyses, by id and arguments
    std::map<std::int32_t, std::string> captures{};
    std::map<std::size_t, RecentTexts> texts{};  // of arguments asked for by event, by slot

    // "a" for the first; lives as long as the context.
    const std::string& capture_of(RankKey key) {
        return captures.try_emplace(key.capture, format_capture(key.capture)).first->second;
    }
};

class SqlScan {
public:
    SqlScan() = default;
    SqlScan(const SqlScan&) = delete;
    SqlScan& operator=(const SqlScan&) = delete;
    virtual ~SqlScan() = default;

    virtual bool done() const = 0;
    virtual void next() = 0;
    virtual std::int64_t id() const = 0;           // the same for a row in every query of a run
    virtual Cell cell(std::size_t column) = 0;     // texts are valid until next()
    const std::optional<Error>& failure() const { return failure_; }

protected:
    void fail(Error error) { failure_ = std::move(error); }

private:
    std::optional<Error> failure_;
};
using SqlScanPtr = std::unique_ptr<SqlScan>;

struct SqlTable {
    std::string name;
    std::string summary;
    std::vector<SqlColumn> columns;
    std::function<SqlScanPtr(SqlContext&, SqlBounds)> open;
    std::function<double(const Run&)> rows;  // about how many
    bool has_id = false;        // column 0 is the row's id
    bool by_id = false;         // rows come in the order of ids
    bool keeps_texts = false;   // texts live as long as the run
};

// All but the analyses, in the order of the document.
const std::vector<SqlTable>& sql_tables();
// An analysis as a table: "temporal_breakdown"; with "_analysis" at the end where a table has the name.
std::string sql_name(const Analysis&);
std::vector<SqlTable> analysis_tables();

// The id of an event: its rank's place in the run, then its position among the rank's events.
std::int64_t sql_event_id(std::size_t slot, EventId);
// The event of an id; absent if the run has none.
std::optional<EventRef> find_sql_event(const Run&, std::int64_t id);

// Parts of sql_tables(), one per file.
std::vector<SqlTable> event_tables();
std::vector<SqlTable> argument_tables();
std::vector<SqlTable> collective_tables();
std::vector<SqlTable> run_tables();
std::vector<SqlTable> sample_tables();
std::vector<SqlTable> total_tables();
std::vector<SqlTable> graph_tables();

}  // namespace core
