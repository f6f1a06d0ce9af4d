#include "core/session/marks.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace core {
namespace {

auto order_of(const KeptMark& mark) { return std::tuple(mark.range.begin, mark.range.end); }

Marks without_notes(Marks marks) {
    for (KeptMark& mark : marks.kept) mark.note.clear();
    for (std::optional<Bookmark>& bookmark : marks.bookmarks)
        if (bookmark) bookmark->note.clear();
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
        if (!compare(i, before.kept[i].note, now.kept[i].note)) return std::nullopt;
    for (std::size_t i = 0; i < kBookmarks; ++i)
        if (now.bookmarks[i] && !compare(kMostMarks + i, before.bookmarks[i]->note, now.bookmarks[i]->note))
            return std::nullopt;
    return found;
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
