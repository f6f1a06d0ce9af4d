#include "ui/model/filter_clicks.hpp"

#include "core/base/format.hpp"
#include "core/query/filter_edit.hpp"
#include "core/query/name_pattern.hpp"

#include <algorithm>

namespace ui {
namespace {

using Numbers = std::vector<core::NumberRange>;

template <class Term>
bool is_plain(const core::FilterTerm& term) {
    return !term.negated && std::holds_alternative<Term>(term.what);
}

// The only plain term of a kind; nullptr if there is none or several.
template <class Term>
const Term* find_only(const core::Filter& filter) {
    if (std::ranges::count_if(filter.terms, is_plain<Term>) != 1) return nullptr;
    return &std::get<Term>(std::ranges::find_if(filter.terms, is_plain<Term>)->what);
}

template <class Term>
core::Filter toggled(core::Filter filter, Term term) {
    const Term* only = find_only<Term>(filter);
    if (!only || !(*only == term)) return core::with_term(filter, std::move(term));
    return core::without_term<Term>(std::move(filter));
}

Numbers without_number(const Numbers& ranges, std::int64_t number) {
    Numbers rest;
    for (const core::NumberRange& range : ranges) {
        if (number < range.first || number > range.last) {
            rest.push_back(range);
            continue;
        }
        if (range.first < number) rest.push_back({range.first, number - 1});
        if (number < range.last) rest.push_back({number + 1, range.last});
    }
    return rest;
}

// Adds a number; adjacent numbers become one range.
Numbers with_number(Numbers ranges, std::int64_t number) {
    ranges.push_back({number, number});
    std::ranges::sort(ranges, {}, &core::NumberRange::first);
    Numbers joined;
    for (const core::NumberRange& range : ranges) {
        if (!joined.empty() && range.first - 1 <= joined.back().last)
            joined.back().last = std::max(joined.back().last, range.last);
        else
            joined.push_back(range);
    }
    return joined;
}

// rank:1 and 3 → rank:1,3; removing the last number removes the term.
template <class Term>
core::Filter toggled_number(core::Filter filter, std::int64_t number, Click click) {
    Term term{};
    term.numbers = {{number, number}};
    const Term* only = find_only<Term>(filter);
    if (click == Click::Replace || !only || only->numbers.empty()) return toggled(std::move(filter), std::move(term));
    term.numbers = core::contains_number(only->numbers, number) ? without_number(only->numbers, number)
                                                                : with_number(only->numbers, number);
    if (!term.numbers.empty()) return core::with_term(filter, std::move(term));
    filter = core::without_term<Term>(std::move(filter));
    return filter;
}

// An expression that matches exactly this text. Slashes need no escape: formatting the filter protects them.
std::string as_pattern(std::string_view text) {
    constexpr std::string_view kSpecial = R"(\^$.|?*+()[]{})";
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    std::string pattern;
    for (const char c : text) {
        const unsigned byte = static_cast<unsigned char>(c);
        if (byte < 0x20) {
            pattern.append("\\x").append({kHexDigits[byte / 16], kHexDigits[byte % 16]});
            continue;
        }
        if (kSpecial.find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

}  // namespace

core::Filter with_rank(core::Filter filter, core::RankKey key, Click click) {
    return toggled_number<core::RankTerm>(std::move(filter), key.number, click);
}

core::Filter with_step(core::Filter filter, std::int64_t step, Click click) {
    return toggled_number<core::StepTerm>(std::move(filter), step, click);
}

core::Filter with_stream(core::Filter filter, std::int64_t stream, Click click) {
    return toggled_number<core::StreamTerm>(std::move(filter), stream, click);
}

core::Filter with_class(core::Filter filter, core::ClassSet classes, Click click) {
    const auto* only = find_only<core::ClassTerm>(filter);
    if (click == Click::Replace || !only) return toggled(std::move(filter), core::ClassTerm{classes});
    const auto joined = static_cast<core::ClassSet>(only->classes ^ classes);
    if (joined != 0) return core::with_term(filter, core::ClassTerm{joined});
    filter = core::without_term<core::ClassTerm>(std::move(filter));
    return filter;
}

bool leaves_out_class(const core::Filter& filter, core::ClassSet classes) {
    return std::ranges::any_of(filter.terms, [classes](const core::FilterTerm& term) {
        const auto* only = std::get_if<core::ClassTerm>(&term.what);
        if (!only) return false;
        return term.negated ? (classes & ~only->classes) == 0 : (classes & only->classes) == 0;
    });
}

core::ClassSet left_out_classes(const core::Filter& filter) {
    unsigned left_out = 0;
    for (const core::KernelClass one :
         {core::KernelClass::Compute, core::KernelClass::Communication, core::KernelClass::Memory})
        if (leaves_out_class(filter, core::set_of(one))) left_out |= core::set_of(one);
    return static_cast<core::ClassSet>(left_out);
}

std::string describe_class_click(const core::Filter& filter, core::ClassSet classes) {
    const bool chosen = !core::find_term<core::ClassTerm>(with_class(filter, classes));
    const std::string name(core::name_of_set(classes));
    return (chosen ? "A click shows all classes again, not only " + name : "A click filters by " + name) +
           "; with Ctrl it joins or leaves what is chosen";
}

core::Filter with_name(core::Filter filter, std::string_view name) {
    return toggled(std::move(filter), core::NameTerm{std::string(name), false});
}

core::Result<core::NameTerm> term_for_names(std::vector<std::string> names) {
    std::ranges::sort(names);
    const auto rest = std::ranges::unique(names);
    names.erase(rest.begin(), rest.end());
    if (names.size() == 1) return core::NameTerm{names.front(), false};
    std::string pattern;
    for (const std::string& name : names) pattern.append(pattern.empty() ? "^(" : "|").append(as_pattern(name));
    pattern += ")$";
    if (!core::NamePattern::compile(pattern))
        return core::Error{core::ErrorCode::BadInput,
                           "The row stands for " + core::format_count(static_cast<std::int64_t>(names.size())) +
                               " names, too many for one filter; with exact names each has its own row"};
    return core::NameTerm{std::move(pattern), true};
}

core::Filter with_cell(core::Filter filter, core::RankKey key, std::int64_t step) {
    const core::RankTerm rank{{{key.number, key.number}}};
    const core::StepTerm steps{false, {{step, step}}};
    const auto* only_rank = find_only<core::RankTerm>(filter);
    const auto* only_steps = find_only<core::StepTerm>(filter);
    if (!only_rank || !only_steps || !(*only_rank == rank) || !(*only_steps == steps))
        return core::with_term(core::with_term(filter, rank), steps);
    filter = core::without_term<core::RankTerm>(std::move(filter));
    filter = core::without_term<core::StepTerm>(std::move(filter));
    return filter;
}

core::Filter with_cells(core::Filter filter, std::span<const core::RankKey> ranks,
                        std::span<const std::int64_t> steps) {
    core::RankTerm rank;
    for (const core::RankKey key : ranks) rank.numbers = with_number(std::move(rank.numbers), key.number);
    core::StepTerm step{false, {}};
    for (const std::int64_t number : steps) step.numbers = with_number(std::move(step.numbers), number);
    if (!rank.numbers.empty()) filter = core::with_term(filter, std::move(rank));
    if (!step.numbers.empty()) filter = core::with_term(filter, std::move(step));
    return filter;
}

core::Filter with_whole_name(const core::Filter& filter, std::string_view name) {
    std::string pattern = "^" + as_pattern(name) + "$";
    core::Filter narrowed = filter;
    if (core::NamePattern::compile(pattern))
        narrowed.terms.push_back({false, core::NameTerm{std::move(pattern), true}});
    else
        narrowed.terms.push_back({false, core::NameTerm{std::string(name), false}});
    return narrowed;
}

core::Filter with_kernel_on_rank(const core::Filter& filter, std::string_view name, core::RankKey key) {
    const core::Filter rest = core::without_term<core::NameTerm>(core::without_term<core::RankTerm>(filter));
    const core::RankTerm rank{{{key.number, key.number}}};
    const core::Filter both = with_whole_name(core::with_term(rest, rank), name);
    return filter == both ? rest : both;
}

std::optional<core::RankKey> find_named_rank(const core::RunAlignment* alignment, core::Side side, core::RankKey key) {
    return alignment ? alignment->rank_in_filter(side, key) : key;
}

std::optional<std::int64_t> find_named_step(const core::RunAlignment* alignment, core::Side side, std::int64_t step) {
    if (!alignment || side == core::Side::Baseline || alignment->steps_by_number) return step;
    return alignment->partner_of_step(side, step);
}

core::Filter without_rank(core::Filter filter) {
    std::erase_if(filter.terms,
                  [](const core::FilterTerm& term) { return std::holds_alternative<core::RankTerm>(term.what); });
    return filter;
}

core::Filter without_rank_and_step(core::Filter filter) {
    filter = without_rank(std::move(filter));
    std::erase_if(filter.terms,
                  [](const core::FilterTerm& term) { return std::holds_alternative<core::StepTerm>(term.what); });
    return filter;
}

bool accepts_step(const core::Filter& filter, std::int64_t step, std::optional<std::int64_t> last) {
    return std::ranges::all_of(filter.terms, [&](const core::FilterTerm& term) {
        const auto* steps = std::get_if<core::StepTerm>(&term.what);
        if (!steps) return true;
        return (steps->complete ? step != last : core::contains_number(steps->numbers, step)) != term.negated;
    });
}

}  // namespace ui
