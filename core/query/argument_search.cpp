#include "core/query/argument_search.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"

#include <algorithm>
#include <charconv>

namespace core {
namespace {

constexpr std::size_t kTextsBetweenChecks = 1024;

bool equal_without_case(std::string_view text, std::string_view lowered_text) {
    return std::ranges::equal(text, lowered_text, [](char a, char b) { return lower_ascii(a) == b; });
}

// Calls visit(key, value) for each member until it returns true. Accepts several concatenated
// objects; any other JSON is one value without a key.
template <class Visit>
bool any_member(std::string_view json, const Visit& visit) {
    std::string key_room;
    std::string value_room;
    const char* const limit = json.data() + json.size();
    std::size_t i = 0;
    const auto skip = [&](std::string_view passed) { i = std::min(json.find_first_not_of(passed, i), json.size()); };
    while (true) {
        skip(" \t\r\n{},");
        if (i == json.size()) return false;
        if (json[i] != '"') return visit(std::string_view(), json.substr(i));
        const std::size_t key_size = find_string_end(json.substr(i));
        if (key_size == kNotFound) return visit(std::string_view(), json.substr(i));
        const std::string_view key = json_text(json.data() + i, limit, key_room);
        i += key_size;
        skip(" \t\r\n:");
        if (i == json.size()) return false;
        const std::string_view token = json_token(json.data() + i, limit);
        if (token.empty()) return false;
        if (visit(key, json_text(json.data() + i, limit, value_room))) return true;
        i += token.size();
    }
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// Keys of older writers share an argument's column, which then holds the value of one of them.
bool has_column_of_its_own(const KnownArg& known) {
    return std::ranges::count(known_args(), known.arg, &KnownArg::arg) == 1;
}

// Appends the events whose column value matches. False if the column cannot decide.
bool collect_by_column(const RankTrace& trace, const KnownArg& known, const std::string& whole,
                       std::vector<EventId>& events) {
    const bool own = has_column_of_its_own(known);
    if (known.scale != 1 || whole.empty()) return false;
    if (known.type == ArgType::Integer) {
        const std::optional<std::int64_t> wanted = parse_whole(whole);
        if (wanted && *wanted < known.least) return false;  // no column has it
        const SparseColumn<std::int64_t> column = trace.integers(known.arg);
        for (std::size_t i = 0; wanted && i < column.size(); ++i)
            if (!own || column.values[i] == *wanted) events.push_back(column.events[i]);
        return wanted.has_value();
    }
    if (whole.front() == '[' || whole.front() == '{') return false;  // lists may be stored without spaces
    const SparseColumn<NameId> column = trace.texts(known.arg);
    for (std::size_t i = 0; i < column.size(); ++i)
        if (!own || equal_without_case(trace.text(column.values[i]), whole)) events.push_back(column.events[i]);
    return true;
}

}  // namespace

Result<ArgumentMatcher> ArgumentMatcher::make(const FindText& find) {
    ArgumentMatcher matcher;
    for (const ArgumentTerm& term : find.arguments) {
        Term made{.key = lowered(term.key), .exact_key = term.key, .whole = {}, .pattern = {}};
        const bool is_part = term.key.empty() || term.value.is_regex || term.value.text.empty();
        if (is_part) {
            Result<NameMatcher> pattern = NameMatcher::make(term.value);
            if (!pattern) return std::move(pattern).error();
            made.pattern = std::move(*pattern);
        } else {
            made.whole = lowered(term.value.text);
        }
        matcher.terms_.push_back(std::move(made));
    }
    if (find.name_or_argument && !find.name.text.empty()) {
        Result<NameMatcher> anywhere = NameMatcher::make(find.name);
        if (!anywhere) return std::move(anywhere).error();
        matcher.anywhere_ = std::move(*anywhere);
    }
    return matcher;
}

bool ArgumentMatcher::holds(const Term& term, std::string_view key, std::string_view value) const {
    if (!term.key.empty() && !equal_without_case(key, term.key)) return false;
    if (!term.pattern) return equal_without_case(value, term.whole);
    return term.pattern->matches(value) || (term.key.empty() && term.pattern->matches(key));
}

bool ArgumentMatcher::matches(const EventText& text, bool name_holds) const {
    const auto any = [&](const auto& visit) {
        return any_member(text.arguments, visit) || any_member(text.extra, visit);
    };
    if (!name_holds) {
        const auto has_name = [&](std::string_view key, std::string_view value) {
            return anywhere_->matches(value) || anywhere_->matches(key);
        };
        if (!anywhere_ || !any(has_name)) return false;
    }
    return std::ranges::all_of(terms_, [&](const Term& term) {
        return any([&](std::string_view key, std::string_view value) { return holds(term, key, value); });
    });
}

std::optional<std::vector<EventId>> ArgumentMatcher::collect_having(const RankTrace& trace) const {
    for (const Term& term : terms_) {
        const KnownArg* const known = find_known_arg(term.exact_key);
        std::vector<EventId> events;
        if (!known || term.pattern || !collect_by_column(trace, *known, term.whole, events)) continue;
        // Arguments of an end belong to its begin, but may be in no column.
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (trace.has(static_cast<EventId>(i), kFromPair)) events.push_back(static_cast<EventId>(i));
        return events;
    }
    return std::nullopt;
}

bool search_arguments(const RankTrace& trace, const ArgumentMatcher& matcher, const std::vector<bool>& candidates,
                      const std::vector<bool>& name_holds, const JobContext& job, std::vector<bool>& found) {
    found.assign(trace.size(), false);
    std::vector<EventId> in_file_order;
    if (const auto having = matcher.collect_having(trace)) {
        for (const EventId event : *having)
            if (candidates[index_of(event)]) in_file_order.push_back(event);
        std::ranges::sort(in_file_order, {}, [&](EventId event) { return trace.order[index_of(event)]; });
    } else if (trace.size() > 0) {
        std::vector<EventId> by_order(std::size_t{std::ranges::max(trace.order)} + 1, kNoEvent);
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (candidates[i]) by_order[trace.order[i]] = static_cast<EventId>(i);
        for (const EventId event : by_order)
            if (event != kNoEvent) in_file_order.push_back(event);
    }
    const std::uint64_t before = job.progress != nullptr ? job.progress->done.load() : 0;
    const double events_per_text =
        static_cast<double>(trace.size()) / static_cast<double>(std::max<std::size_t>(in_file_order.size(), 1));
    RecentTexts recent = trace.recent_texts();
    for (std::size_t i = 0; i < in_file_order.size(); ++i) {
        if (i % kTextsBetweenChecks == 0) {
            if (job.cancelled()) return false;
            if (job.progress != nullptr)
                job.progress->done = before + static_cast<std::uint64_t>(static_cast<double>(i) * events_per_text);
        }
        const EventId event = in_file_order[i];
        const Result<EventText> text = trace.event_text(event, recent);
        if (text && matcher.matches(*text, name_holds[index_of(event)])) found[index_of(event)] = true;
    }
    if (job.progress != nullptr) job.progress->done = before + trace.size();
    return true;
}

}  // namespace core
