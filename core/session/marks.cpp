#include "core/session/marks.hpp"

#include "core/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace core {
namespace {

auto order_of(const KeptMark& mark) { return std::tuple(mark.range.begin, mark.range.end); }

Marks without_notes(Marks marks) {
    for (KeptMark& mark : marks.kept) mark.note = {};
    for (std::optional<Bookmark>& bookmark : marks.bookmarks)
        if (bookmark) bookmark->note = {};
    return marks;
}

}  // namespace

bool Marks::empty() const {
    return !passing && kept.empty() &&
           std::ranges::none_of(bookmarks, [](const auto& bookmark) { return bookmark.has_value(); });
}

void mark_range(Marks& marks, std::optional<RunRange> range) {
    marks.passing = marks.passing == range ? std::nullopt : range;
}

bool keep_mark(Marks& marks, std::optional<RunRange> range) {
    if (!range) range = marks.passing;
    if (!range || marks.kept.size() >= kMostMarks) return false;
    if (marks.passing == range) marks.passing.reset();
    const KeptMark mark{*range};
    const auto at = std::ranges::lower_bound(marks.kept, order_of(mark), {}, order_of);
    if (at != marks.kept.end() && at->range == *range) return false;
    marks.kept.insert(at, mark);
    return true;
}

void remove_mark(Marks& marks, std::size_t index) {
    if (index < marks.kept.size()) marks.kept.erase(marks.kept.begin() + static_cast<std::ptrdiff_t>(index));
}

RunRange range_to_show(RunRange range) {
    if (!range.empty()) return range;
    return {range.begin - Duration{500}, range.begin + Duration{500}};
}

std::optional<std::size_t> find_typed_note(const Marks& before, const Marks& now) {
    if (!(without_notes(before) == without_notes(now))) return std::nullopt;
    std::optional<std::size_t> found;
    const auto compare = [&](std::size_t at, const std::string& a, const std::string& b) {
        if (a == b) return true;
        return !std::exchange(found, at).has_value();
    };
    for (std::size_t i = 0; i < now.kept.size(); ++i)
        if (!compare(i, before.kept[i].note.text, now.kept[i].note.text)) return std::nullopt;
    for (std::size_t i = 0; i < kBookmarks; ++i)
        if (now.bookmarks[i] && !compare(kMostMarks + i, before.bookmarks[i]->note.text, now.bookmarks[i]->note.text))
            return std::nullopt;
    return found;
}

std::string format_written(const Note& note) {
    if (note.written_s <= 0) return {};
    using std::chrono::days;
    const std::chrono::sys_seconds at{std::chrono::seconds{note.written_s}};
    const auto day = std::chrono::floor<days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{at - day};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", int{date.year()}, unsigned{date.month()},
                       unsigned{date.day()}, time.hours().count(), time.minutes().count());
}

std::string format_signature(const Note& note) {
    const std::string written = format_written(note);
    return note.author + (note.author.empty() || written.empty() ? "" : ", ") + written;
}

void sign_notes(const Marks& before, Marks& now, std::string_view author, std::int64_t written_s) {
    const auto sign = [&](Note& note, const Note* old) {
        if (note.text == (old ? old->text : std::string())) return;
        note.author = author;
        note.written_s = written_s;
    };
    for (KeptMark& mark : now.kept) {
        const auto old = std::ranges::find(before.kept, mark.range, &KeptMark::range);
        sign(mark.note, old == before.kept.end() ? nullptr : &old->note);
    }
    for (std::size_t i = 0; i < kBookmarks; ++i)
        if (now.bookmarks[i]) sign(now.bookmarks[i]->note, before.bookmarks[i] ? &before.bookmarks[i]->note : nullptr);
}

std::string name_of_user() {
    for (const char* const variable : {"LOCKSTEP_AUTHOR", "USER", "USERNAME"})
        if (const char* const name = std::getenv(variable); name && *name != '\0') return name;
    return {};
}

std::optional<Duration> since_previous(const Marks& marks, std::size_t index) {
    if (index == 0 || index >= marks.kept.size()) return std::nullopt;
    return marks.kept[index].range.begin - marks.kept[index - 1].range.begin;
}

std::string format_mark(RunRange range, RunTime zero) {
    if (!range.empty()) return format_duration(range.length());
    return format_time_offset(range.begin - zero, Duration{1});
}

}  // namespace core
