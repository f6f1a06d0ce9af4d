#include "core/store/assemble/step_marks.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

namespace core {
namespace {

// The number in a name, if it has just one.
std::optional<std::int64_t> only_number(std::string_view name) {
    const auto* const begin = std::ranges::find_if(name, is_digit);
    const auto* const end = std::find_if_not(begin, name.end(), is_digit);
    if (begin == name.end() || std::any_of(end, name.end(), is_digit)) return std::nullopt;
    std::int64_t number = 0;
    const auto [last, error] = std::from_chars(begin, end, number);
    return error == std::errc{} && last == end ? std::optional(number) : std::nullopt;
}

class StepSearch {
public:
    explicit StepSearch(const StepSource& source) : source_(source) {}

    StepMarks find(std::string_view name) {
        const std::string wanted = step_pattern(name);
        collect([](Category kind) { return kind == Category::UserAnnotation || kind == Category::CpuOp; });
        const auto found = pattern_at_.find(wanted);
        return found == pattern_at_.end() ? StepMarks{} : finish(ranges_[found->second], wanted);
    }

    StepMarks choose() {
        collect([](Category kind) { return kind == Category::UserAnnotation; });
        sum_launches();
        if (sums_.empty() || sums_.back() <= 0) return {};
        const std::string* best = nullptr;
        std::tuple<double, std::size_t, double> best_rank{0, 0, 0};
        for (const auto& [pattern, at] : pattern_at_) {
            std::vector<EventId>& ranges = ranges_[at];
            if (ranges.size() < 2 || !sort_apart(ranges)) continue;
            double launched = 0, length = 0;
            for (const EventId e : ranges) {
                launched += launched_before(end_ns(e)) - launched_before(start_ns(e));
                length += static_cast<double>(source_.columns.duration[index_of(e)].count());
            }
            const std::tuple rank(launched, ranges.size(), length);
            if (launched * 2 < sums_.back() || (best != nullptr && rank <= best_rank)) continue;
            best = &pattern;
            best_rank = rank;
        }
        return best == nullptr ? StepMarks{} : finish(ranges_[pattern_at_.at(*best)], *best);
    }

private:
    std::int64_t start_ns(EventId e) const { return source_.columns.start_ns(e); }
    std::int64_t end_ns(EventId e) const { return start_ns(e) + source_.columns.duration[index_of(e)].count(); }

    template <class Takes>
    void collect(const Takes& takes) {
        std::vector<bool> taken;
        for (const CategoryEntry& category : source_.categories) taken.push_back(takes(category.kind));
        constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
        std::vector<std::uint32_t> pattern_of_name(source_.names.size(), kUnknown);
        const EventColumns& columns = source_.columns;
        for (std::uint32_t e = 0; e < columns.name.size(); ++e) {
            if (!taken[columns.category[e]] || (columns.flags[e] & kInstant) != 0) continue;
            std::uint32_t& pattern = pattern_of_name[index_of(columns.name[e])];
            if (pattern == kUnknown) {
                const auto next = static_cast<std::uint32_t>(ranges_.size());
                const auto [at, fresh] =
                    pattern_at_.try_emplace(step_pattern(source_.names.text(columns.name[e])), next);
                if (fresh) ranges_.emplace_back();
                pattern = at->second;
            }
            ranges_[pattern].push_back(EventId{e});
        }
    }

    // GPU time by the start of its launch; of a trace without launches by its own start.
    void sum_launches() {
        const EventColumns& columns = source_.columns;
        const bool any =
            std::ranges::any_of(source_.gpu_events, [&](EventId e) { return columns.parent[index_of(e)] != kNoEvent; });
        std::vector<std::pair<std::int64_t, double>> launches;
        for (const EventId e : source_.gpu_events) {
            const EventId call = columns.parent[index_of(e)];
            if (any && call == kNoEvent) continue;
            launches.emplace_back(start_ns(any ? call : e), static_cast<double>(columns.duration[index_of(e)].count()));
        }
        std::ranges::sort(launches);
        double sum = 0;
        for (const auto& [time_ns, duration_ns] : launches) {
            times_.push_back(time_ns);
            sums_.push_back(sum += duration_ns);
        }
    }

    double launched_before(std::int64_t time_ns) const {
        const auto count = static_cast<std::size_t>(std::ranges::lower_bound(times_, time_ns) - times_.begin());
        return count == 0 ? 0 : sums_[count - 1];
    }

    void sort(std::vector<EventId>& ranges) const {
        std::ranges::sort(ranges, {}, [&](EventId e) { return std::tuple(start_ns(e), end_ns(e), e); });
    }
    bool sort_apart(std::vector<EventId>& ranges) const {
        sort(ranges);
        for (std::size_t i = 1; i < ranges.size(); ++i)
            if (start_ns(ranges[i]) < end_ns(ranges[i - 1])) return false;
        return true;
    }

    StepMarks finish(std::vector<EventId>& ranges, const std::string& pattern) const {
        sort(ranges);
        StepMarks marks{pattern, ranges, {}};
        for (const EventId e : ranges) {
            const std::optional<std::int64_t> number =
                only_number(source_.names.text(source_.columns.name[index_of(e)]));
            if (!number || (!marks.numbers.empty() && *number <= marks.numbers.back())) break;
            marks.numbers.push_back(*number);
        }
        if (marks.numbers.size() == ranges.size()) return marks;
        marks.numbers.clear();
        for (std::size_t i = 0; i < ranges.size(); ++i) marks.numbers.push_back(static_cast<std::int64_t>(i));
        return marks;
    }

    const StepSource& source_;
    std::map<std::string, std::uint32_t> pattern_at_;  // into ranges_
    std::vector<std::vector<EventId>> ranges_;
    std::vector<std::int64_t> times_;  // of launches
    std::vector<double> sums_;         // of GPU time, up to each
};

}  // namespace

std::string step_pattern(std::string_view name) {
    std::string pattern;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (!is_digit(name[i]))
            pattern += name[i];
        else if (i == 0 || !is_digit(name[i - 1]))
            pattern += '#';
    }
    return pattern;
}

StepMarks find_step_marks(const StepSource& source, std::string_view name) { return StepSearch(source).find(name); }

StepMarks choose_step_marks(const StepSource& source) { return StepSearch(source).choose(); }

}  // namespace core
