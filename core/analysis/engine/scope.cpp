#include "core/analysis/engine/scope.hpp"

#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"
#include "core/query/number_ranges.hpp"

#include <algorithm>

namespace core {
namespace {

// Windows, breakdowns and what is made of them. A test asks every analysis with and without such terms.
constexpr std::string_view kOfAllWork[] = {
    "temporal-breakdown",    "kernel-types",   "overlap",     "steps",   "step-parts",
    "exposed-communication", "idle-breakdown", "device-idle", "findings"};

constexpr std::string_view kBetween = " \xC2\xB7 ";

template <class Term>
bool is_a(const FilterTerm& term) {
    return std::holds_alternative<Term>(term.what);
}

bool cuts(const FilterTerm& term) {
    return chooses_work(term) || is_a<RankTerm>(term) || is_a<CaptureTerm>(term) || is_a<TimeTerm>(term);
}

std::string words_of_ranks(const Run& run, const Filter& filter) {
    const std::size_t all = run.ranks().size();
    std::vector<RankKey> chosen;
    for (const RankSlot& rank : run.ranks())
        if (filter.accepts_rank(rank.key)) chosen.push_back(rank.key);
    if (chosen.size() == 1 && all > 1) return "rank " + format_rank(chosen.front()) + " of " + format_count(all);
    if (chosen.size() == all) return format_plural(all, "rank", "ranks");
    return format_count(chosen.size()) + " of " + format_plural(all, "rank", "ranks");
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

std::string words_of_time(const Run& run, const Filter& filter) {
    const std::optional<RunRange> time = filter.time_range(run);
    if (!time) return {};
    constexpr Duration kTick{100'000};
    return format_time_offset(time->begin - run.origin(), kTick) + " to " +
           format_time_offset(time->end - run.origin(), kTick);
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
    Filter rest = filter;
    std::erase_if(rest.terms, cuts);
    if (rest.empty()) return text;
    const std::string terms = format_filter(rest);
    add_words(text, is_of_all_work(analysis) ? terms + " highlights, shares are of all work" : "only " + terms);
    return text;
}

}  // namespace core
