#include "core/session/marks.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <tuple>

namespace ui {
namespace {

auto order_of(const Mark& mark) { return std::tuple(mark.range.begin, mark.range.end); }

}  // namespace

bool Marks::empty() const {
    return !passing && kept.empty() &&
           std::ranges::none_of(bookmarks, [](const auto& bookmark) { return bookmark.has_value(); });
}

void mark_range(Marks& marks, std::optional<core::RunRange> range) {
    marks.passing = marks.passing == range ? std::nullopt : range;
}

bool keep_mark(Marks& marks, std::optional<core::RunRange> range) {
    if (!range) range = marks.passing;
    if (!range || marks.kept.size() >= kMostMarks) return false;
    if (marks.passing == range) marks.passing.reset();
    const Mark mark{*range};
    const auto at = std::ranges::lower_bound(marks.kept, order_of(mark), {}, order_of);
    if (at != marks.kept.end() && at->range == *range) return false;
    marks.kept.insert(at, mark);
    return true;
}

void remove_mark(Marks& marks, std::size_t index) {
    if (index < marks.kept.size()) marks.kept.erase(marks.kept.begin() + static_cast<std::ptrdiff_t>(index));
}

core::RunRange range_to_show(core::RunRange range) {
    if (!range.empty()) return range;
    return {range.begin - core::Duration{500}, range.begin + core::Duration{500}};
}

std::optional<core::Duration> since_previous(const Marks& marks, std::size_t index) {
    if (index == 0 || index >= marks.kept.size()) return std::nullopt;
    return marks.kept[index].range.begin - marks.kept[index - 1].range.begin;
}

std::string format_mark(core::RunRange range, core::RunTime zero) {
    if (!range.empty()) return core::format_duration(range.length());
    return core::format_time_offset(range.begin - zero, core::Duration{1});
}

}  // namespace ui
