#include "ui/model/charts/duration_click.hpp"

#include "core/query/filter_edit.hpp"

#include <algorithm>

namespace ui {

core::DurationTerm durations_of_bin(const core::DurationBins& bins, std::size_t bin) {
    return {.least = bins.edges[bin], .most = bins.edges[bin + 1] - core::Duration{1}};  // half-open in whole ns
}

core::Filter with_durations(core::Filter filter, const core::DurationTerm& durations) {
    const bool is_there = std::ranges::any_of(filter.terms, [&](const core::FilterTerm& term) {
        const auto* const known = std::get_if<core::DurationTerm>(&term.what);
        return known && !term.negated && *known == durations;
    });
    if (!is_there) return core::with_term(filter, durations);
    filter = core::without_term<core::DurationTerm>(std::move(filter));
    return filter;
}

}  // namespace ui
