#include "core/sql/bounded_functions.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace core {
namespace {

constexpr std::size_t kBytesBetweenChecks = std::size_t{4} << 20;

// Counts compared bytes, and looks at the job now and then.
class Work {
public:
    explicit Work(sqlite3_context* context) : job_(*static_cast<const JobContext*>(sqlite3_user_data(context))) {}
    bool is_stopped_after(std::size_t bytes) {
        done_ += bytes + 1;
        if (done_ < kBytesBetweenChecks) return stopped_;
        done_ = 0;
        return stopped_ = stopped_ || job_.cancelled();
    }

private:
    const JobContext& job_;
    std::size_t done_ = 0;
    bool stopped_ = false;
};

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }
bool is_blob(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_BLOB; }

std::string_view text_of(sqlite3_value* value) {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    return text == nullptr ? std::string_view()
                           : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

std::string_view bytes_of(sqlite3_value* value) {
    const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(value));
    return bytes == nullptr ? std::string_view()
                            : std::string_view(bytes, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

void stop(sqlite3_context* context) { sqlite3_result_error_code(context, SQLITE_INTERRUPT); }

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The first place of the part at or behind `from`; npos: none, or stopped.
std::size_t find(std::string_view whole, std::string_view part, std::size_t from, Work& work, bool& stopped) {
    while (part.size() <= whole.size() && from <= whole.size() - part.size()) {
        const std::size_t hit = whole.find(part.front(), from);
        if (hit == std::string_view::npos || hit > whole.size() - part.size()) return std::string_view::npos;
        stopped = work.is_stopped_after(hit - from + part.size());
        if (stopped) return std::string_view::npos;
        if (whole.compare(hit, part.size(), part) == 0) return hit;
        from = hit + 1;
    }
    return std::string_view::npos;
}

void instr(sqlite3_context* context, int, sqlite3_value** values) {
    if (is_null(values[0]) || is_null(values[1])) return;
    const bool blobs = is_blob(values[0]) && is_blob(values[1]);
    const std::string_view whole = blobs ? bytes_of(values[0]) : text_of(values[0]);
    const std::string_view part = blobs ? bytes_of(values[1]) : text_of(values[1]);
    if (part.empty()) return sqlite3_result_int(context, 1);
    Work work(context);
    bool stopped = false;
    const std::size_t at = find(whole, part, 0, work, stopped);
    if (stopped) return stop(context);
    if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
    const std::string_view before = whole.substr(0, at);
    const auto place = blobs ? static_cast<std::ptrdiff_t>(at)
                             : std::ranges::count_if(before, [](char c) { return !continues_character(c); });
    sqlite3_result_int64(context, place + 1);
}

void replace(sqlite3_context* context, int, sqlite3_value** values) {
    if (is_null(values[0]) || is_null(values[1]) || is_null(values[2])) return;
    const std::string_view whole = text_of(values[0]), part = text_of(values[1]), by = text_of(values[2]);
    if (part.empty()) return sqlite3_result_value(context, values[0]);
    const auto most =
        static_cast<std::size_t>(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
    Work work(context);
    std::string text;
    std::size_t from = 0;
    for (bool stopped = false;;) {
        const std::size_t at = find(whole, part, from, work, stopped);
        if (stopped) return stop(context);
        text += whole.substr(from, at == std::string_view::npos ? at : at - from);
        if (at == std::string_view::npos) break;
        text += by;
        from = at + part.size();
        if (text.size() > most) return sqlite3_result_error_toobig(context);
    }
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

class Characters {
public:
    explicit Characters(std::string_view text) {
        for (std::size_t end = 0; !text.empty(); text.remove_prefix(end)) {
            for (end = 1; end < text.size() && continues_character(text[end]);) ++end;
            known_.insert(text.substr(0, end));
            lengths_.insert(end);
        }
    }
    // The length of one of them that the text begins or ends with; 0: none.
    std::size_t match(std::string_view text, bool at_begin) const {
        for (const std::size_t length : lengths_)
            if (length <= text.size() &&
                known_.contains(at_begin ? text.substr(0, length) : text.substr(text.size() - length)))
                return length;
        return 0;
    }

private:
    std::set<std::string_view> known_;
    std::set<std::size_t> lengths_;
};

template <bool left, bool right>
void trim(sqlite3_context* context, int count, sqlite3_value** values) {
    if (is_null(values[0]) || (count > 1 && is_null(values[1]))) return;
    std::string_view text = text_of(values[0]);
    const Characters characters(count > 1 ? text_of(values[1]) : std::string_view(" "));
    Work work(context);
    for (const bool at_begin : {true, false}) {
        if (at_begin ? !left : !right) continue;
        while (const std::size_t length = characters.match(text, at_begin)) {
            if (work.is_stopped_after(length)) return stop(context);
            at_begin ? text.remove_prefix(length) : text.remove_suffix(length);
        }
    }
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace

Result<bool> add_bounded_functions(sqlite3* connection, const JobContext& job) {
    struct Function {
        const char* name;
        int arguments;
        void (*call)(sqlite3_context*, int, sqlite3_value**);
    };
    constexpr Function kFunctions[] = {{"instr", 2, instr},
                                       {"replace", 3, replace},
                                       {"trim", 1, trim<true, true>},
                                       {"trim", 2, trim<true, true>},
                                       {"ltrim", 1, trim<true, false>},
                                       {"ltrim", 2, trim<true, false>},
                                       {"rtrim", 1, trim<false, true>},
                                       {"rtrim", 2, trim<false, true>}};
    for (const Function& function : kFunctions)
        if (sqlite3_create_function_v2(
                connection, function.name, function.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                const_cast<JobContext*>(&job), function.call, nullptr, nullptr, nullptr) != SQLITE_OK)
            return Error{ErrorCode::Internal, std::string(function.name) + ": " + sqlite3_errmsg(connection)};
    return true;
}

}  // namespace core
