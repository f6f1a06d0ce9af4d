#include "core/analysis/engine/scope.hpp"

#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/filter_text.hpp"
#include "core/query/number_ranges.hpp"

#include <algorithm>
#include <set>

namespace core {
namespace {

// Windows, breakdowns and what is made of them. A test asks every analysis with and without such terms.
constexpr std::string_view kOfAllWork[] = {
    "temporal-breakdown", "kernel-types", "overlap",  "steps",   "step-parts", "exposed-communication",
    "idle-breakdown",     "device-idle",  "findings", "verdict", "health"};

constexpr std::string_view kBetween = " \xC2\xB7 ";

template <class Term>
bool is_a(const FilterTerm& term) {
    return std::holds_alternative<Term>(term.what);
}

bool cuts(const FilterTerm& term) {
    return chooses_work(term) || is_a<RankTerm>(term) || is_a<CaptureTerm>(term) || is_a<TimeTerm>(term);
}

bool has_any(const std::vector<bool>& lanes) { return std::ranges::find(lanes, true) != lanes.end(); }

// lanes: of an area; empty: all.
std::string words_of_ranks(const Run& run, const Filter& filter, const LaneChoice& lanes = {}) {
    const std::size_t all = run.ranks().size();
    std::vector<RankKey> chosen;
    for (std::size_t slot = 0; slot < all; ++slot)
        if (filter.accepts_rank(run.rank(slot).key) && (lanes.empty() || has_any(lanes[slot])))
            chosen.push_back(run.rank(slot).key);
    const RankCount count = count_ranks(run);
    if (chosen.size() != 1 || all == 1) return format_rank_count(count_ranks(std::move(chosen)), count);
    const bool is_plain = count.captures == count.ranks;
    return "rank " + format_rank(chosen.front()) + " of " + (is_plain ? format_count(all) : format_rank_count(count));
}

bool has_steps(const Run& run) {
    return std::ranges::any_of(run.ranks(), [](const RankSlot& rank) { return !rank.trace().steps.empty(); });
}

std::string words_of_numbers(std::string_view noun, std::span<const NumberRange> numbers, bool negated) {
    const bool one = numbers.size() == 1 && numbers.front().first == numbers.front().last;
    return (negated ? "not " : "") + std::string(noun) + (one ? " " : "s ") + format_ranges(numbers);
}

void add_words(std::string& text, const std::string& words) {
    if (words.empty()) return;
    if (!text.empty()) text += kBetween;
    text += words;
}

std::string words_of_steps(const Run& run, const Filter& filter) {
    std::string text;
    for (const FilterTerm& term : filter.terms) {
        const auto* const step = std::get_if<StepTerm>(&term.what);
        if (!step) continue;
        add_words(text, step->complete ? (term.negated ? "not the complete steps" : "complete steps")
                                       : words_of_numbers("step", step->numbers, term.negated));
    }
    if (!text.empty()) return text;
    return has_steps(run) ? "all steps" : "whole window, no step marks";
}

std::string words_of_streams(const Filter& filter) {
    std::string text;
    for (const FilterTerm& term : filter.terms)
        if (const auto* const stream = std::get_if<StreamTerm>(&term.what))
            add_words(text, words_of_numbers("stream", stream->numbers, term.negated));
    return text;
}

std::string words_of_time(const Run& run, const Filter& filter, const std::optional<RunRange>& part = {}) {
    std::optional<RunRange> time = filter.time_range(run);
    if (time && part) time = RunRange{std::max(time->begin, part->begin), std::min(time->end, part->end)};
    if (!time) time = part;
    if (!time) return {};
    if (time->empty()) return "no time";
    constexpr Duration kTick{100'000};
    return format_time_offset(time->begin - run.origin(), kTick) + " to " +
           format_time_offset(time->end - run.origin(), kTick);
}

// Names the streams and threads that the rows are of; empty if they are all.
std::string words_of_rows(const Run& run, const Filter& filter, const LaneChoice& lanes) {
    bool whole = true, same = true;
    std::size_t streams = 0, all_streams = 0, threads = 0;
    std::optional<std::set<std::int64_t>> first;
    for (std::size_t slot = 0; slot < lanes.size(); ++slot) {
        if (!has_any(lanes[slot]) || !filter.accepts_rank(run.rank(slot).key)) continue;
        whole &= std::ranges::find(lanes[slot], false) == lanes[slot].end();
        std::set<std::int64_t> numbers;
        for (const Track& track : run.rank(slot).trace().tracks) {
            const auto begin = lanes[slot].begin() + track.first_lane;
            const bool chosen = std::find(begin, begin + track.lane_count, true) != begin + track.lane_count;
            const bool is_stream = track.kind == TrackKind::Stream;
            all_streams += is_stream ? 1 : 0;
            if (!chosen) continue;
            if (is_stream) {
                ++streams;
                numbers.insert(track.stream);
            } else if (track.kind == TrackKind::Thread) {
                ++threads;
            }
        }
        same &= !first || *first == numbers;
        first = std::move(numbers);
    }
    if (whole) return {};
    std::string text;
    if (streams > 0 && same) {
        const std::vector<std::int64_t> rising(first->begin(), first->end());
        add_words(text, words_of_numbers("stream", join_numbers(rising), false));
    } else {
        add_words(text, format_count(streams) + " of " + format_plural(all_streams, "stream", "streams"));
    }
    if (threads > 0) add_words(text, format_plural(threads, "thread", "threads"));
    return text;
}

// Words of ranks to time, and what the filter's other terms do.
std::string add_terms(std::string text, const Filter& filter, bool of_all_work) {
    Filter rest = filter;
    std::erase_if(rest.terms, cuts);
    if (rest.empty()) return text;
    const std::string terms = format_filter(rest);
    add_words(text, of_all_work ? terms + " highlights, shares are of all work" : "only " + terms);
    return text;
}

}  // namespace

bool is_of_all_work(const Analysis& analysis) {
    return std::ranges::find(kOfAllWork, analysis.id) != std::end(kOfAllWork);
}

std::string describe_scope(const Run& run, const Analysis& analysis, const Filter& filter) {
    std::string text = words_of_ranks(run, filter);
    add_words(text, words_of_steps(run, filter));
    add_words(text, words_of_streams(filter));
    add_words(text, words_of_time(run, filter));
    return add_terms(std::move(text), filter, is_of_all_work(analysis));
}

std::string describe_scope(const Run& run, const Filter& filter, const ScopePart& part) {
    const LaneChoice lanes = choose_lanes(run, part.rows);
    std::string text = words_of_ranks(run, filter, lanes);
    const bool chooses_steps =
        std::ranges::any_of(filter.terms, [](const FilterTerm& term) { return is_a<StepTerm>(term); });
    if (!part.range || chooses_steps) add_words(text, words_of_steps(run, filter));
    add_words(text, words_of_streams(filter));
    add_words(text, words_of_rows(run, filter, lanes));
    add_words(text, words_of_time(run, filter, part.range));
    return add_terms(std::move(text), filter, part.of_all_work);
}

}  // namespace core
