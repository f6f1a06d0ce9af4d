#include "core/base/small_json.hpp"
#include "core/sql/sql_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kArgEvent = 0, kArgRank = 1, kArgKey = 2, kArgValue = 3;
constexpr JsonLimits kArgumentLimits{.depth = 64, .bytes = std::uint64_t{64} << 20};

// An argument of an event; the value is a number, a text, nothing, or a list or object as JSON.
struct EventArgument {
    std::string key;
    std::variant<std::monostate, std::int64_t, double, std::string> value;
};

decltype(EventArgument::value) read_value(const nlohmann::json& value) {
    using Json = nlohmann::json;
    switch (value.type()) {
        case Json::value_t::null:
            return {};
        case Json::value_t::boolean:
            return std::int64_t{value.get<bool>()};
        case Json::value_t::number_integer:
            return value.get<std::int64_t>();
        case Json::value_t::number_unsigned: {
            const auto number = value.get<std::uint64_t>();
            if (number <= static_cast<std::uint64_t>(INT64_MAX)) return static_cast<std::int64_t>(number);
            return std::to_string(number);
        }
        case Json::value_t::number_float:
            return value.get<double>();
        case Json::value_t::string:
            return value.get<std::string>();
        default:
            return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
}

std::vector<EventArgument> read_arguments(const std::string& text) {
    std::vector<EventArgument> all;
    if (text.empty()) return all;
    const Result<nlohmann::json> object = parse_small_json(text, kArgumentLimits);
    if (!object || !object->is_object()) {
        all.push_back({"", text});  // as written, where it is not JSON
        return all;
    }
    for (const auto& [key, value] : object->items()) all.push_back({key, read_value(value)});
    return all;
}

// Events of a rank in file order, because texts are packed so.
std::vector<EventId> collect_in_file_order(const RankTrace& trace) {
    std::vector<EventId> events(trace.size());
    for (std::uint32_t e = 0; e < events.size(); ++e) events[e] = EventId{e};
    std::ranges::sort(events, {}, [&](EventId e) { return trace.order[index_of(e)]; });
    return events;
}

class ArgumentScan final : public SqlScan {
public:
    ArgumentScan(SqlContext& context, SqlBounds bounds)
        : context_(context), run_(*context.run), bounds_(std::move(bounds)) {
        for (const SqlBound& bound : bounds_) {
            if (bound.column != kArgEvent || points_) continue;
            points_.emplace();
            for (const SqlValue& value : bound.values)
                if (const auto ref = find_sql_event(run_, std::get<std::int64_t>(value))) points_->push_back(*ref);
            std::ranges::sort(*points_);
        }
        skip_filtered();
    }

    bool done() const override { return done_; }
    void next() override {
        ++argument_;
        skip_filtered();
    }
    std::int64_t id() const override {
        return static_cast<std::int64_t>(event_.slot) << 48 | static_cast<std::int64_t>(index_of(event_.event)) << 16 |
               static_cast<std::int64_t>(argument_ & 0xFFFF);
    }
    Cell cell(std::size_t column) override {
        const EventArgument& argument = arguments_[argument_];
        switch (column) {
            case kArgEvent:
                return sql_event_id(event_.slot, event_.event);
            case kArgRank:
                return std::int64_t{run_.rank(event_.slot).key.number};
            case kArgKey:
                return std::string_view(argument.key);
            default:
                break;
        }
        if (const auto* const text = std::get_if<std::string>(&argument.value)) return std::string_view(*text);
        if (const auto* const integer = std::get_if<std::int64_t>(&argument.value)) return *integer;
        if (const auto* const number = std::get_if<double>(&argument.value)) return *number;
        return {};
    }

private:
    void skip_filtered() {
        for (;;) {
            for (; argument_ < arguments_.size(); ++argument_) {
                const bool passes = std::ranges::all_of(
                    bounds_, [&](const SqlBound& bound) { return bound.holds(cell(bound.column)); });
                if (passes) return;
            }
            if (context_.job.cancelled()) fail(cancelled_error());
            if (failure() || !open_next_event()) {
                done_ = true;
                return;
            }
        }
    }

    bool open_next_event() {
        argument_ = 0;
        arguments_.clear();
        if (points_) {
            if (point_ == points_->size()) return false;
            event_ = (*points_)[point_++];
            ++context_.examined;
            if (!has_rank(event_.slot)) return true;
            const RankTrace& of = run_.rank(event_.slot).trace();
            read(of.event_text(event_.event, context_.texts.try_emplace(event_.slot, of.recent_texts()).first->second));
            return true;
        }
        for (; slot_ < run_.ranks().size(); ++slot_, recent_.reset()) {
            if (!has_rank(slot_)) continue;
            const RankTrace& trace = run_.rank(slot_).trace();
            if (!recent_) {
                recent_ = trace.recent_texts();
                in_order_ = collect_in_file_order(trace);
                at_ = 0;
            }
            if (at_ == in_order_.size()) continue;
            event_ = {static_cast<std::uint32_t>(slot_), in_order_[at_++]};
            ++context_.examined;
            read(trace.event_text(event_.event, *recent_));
            return true;
        }
        return false;
    }

    void read(const Result<EventText>& text) {
        if (text)
            arguments_ = read_arguments(text->arguments);
        else if (text.error().code != ErrorCode::NotFound)
            fail(text.error());
    }

    bool has_rank(std::size_t slot) const {
        const Cell number{std::int64_t{run_.rank(slot).key.number}};
        return std::ranges::all_of(
            bounds_, [&](const SqlBound& bound) { return bound.column != kArgRank || bound.holds(number); });
    }

    SqlContext& context_;
    const Run& run_;
    SqlBounds bounds_;
    std::optional<std::vector<EventRef>> points_;
    std::size_t point_ = 0;
    std::size_t slot_ = 0;
    std::optional<RecentTexts> recent_;
    std::vector<EventId> in_order_;
    std::size_t at_ = 0;
    EventRef event_;
    std::vector<EventArgument> arguments_;
    std::size_t argument_ = 0;
    bool done_ = false;
};

}  // namespace

std::vector<SqlTable> argument_tables() {
    SqlTable table;
    table.name = "args";
    table.summary = "Every argument of every event, as written in the trace. Ask by event where you can.";
    table.columns = {{"event", Unit::Event, "the event", SqlPush::Equal},
                     {"rank", Unit::Rank, "its rank", SqlPush::Range},
                     {"key", Unit::Text, "as written", SqlPush::Text},
                     {.name = "value", .meaning = "a number, a text, or a list or object as JSON", .any_type = true}};
    static_assert(kArgValue == 3);
    table.open = [](SqlContext& context, SqlBounds bounds) -> SqlScanPtr {
        return std::make_unique<ArgumentScan>(context, std::move(bounds));
    };
    table.rows = [](const Run& run) { return 8.0 * static_cast<double>(run.event_count()); };
    return {table};
}

}  // namespace core
