#pragma once
// Meaning of a row of a table: the keys that a click turns into terms of the filter, and the event that the row is
// about. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/base/result.hpp"
#include "core/diff/align/align_runs.hpp"
#include "ui/model/filter_clicks.hpp"

#include <optional>
#include <span>
#include <string>

namespace ui {

struct RowFacets {
    std::optional<core::RankKey> rank;
    std::optional<std::int64_t> step;
    std::optional<std::int64_t> stream;
    std::optional<core::ClassSet> classes;   // of a row without a kernel: a name says its class
    std::optional<std::string> name;
    bool name_is_pattern = false;            // an expression for several names
    std::optional<std::string> group;
    bool empty() const { return !rank && !step && !stream && !classes && !name && !group; }
};

std::vector<std::size_t> key_columns_of(const core::Table&);
// Facets of these columns. An absent value, or a word in brackets such as "(unattributed)", gives none.
RowFacets facets_of(const core::Table&, std::size_t row, std::span<const std::size_t> columns);
RowFacets facets_of(const core::Table&, std::size_t row);  // of its keys

// About all the names that the sides have for the row; without any as before. An error if no filter can say them.
core::Result<RowFacets> with_names(RowFacets, const core::BySide<std::vector<std::string>>&);

// All their terms; or none of them when the filter has exactly these. A single one can be added with Click::Add.
core::Filter with_facets(core::Filter, const RowFacets&, Click);

// All their terms, whatever the filter has of them.
core::Filter narrowed_to(core::Filter, const RowFacets&);

// In the baseline's numbers, of which filters speak. An error says what of it has no partner there.
core::Result<RowFacets> named_by_baseline(RowFacets, const core::RunAlignment*, core::Side);

// The event of a row that has a rank and an event among its keys; invalid for any other row.
core::EventRef event_of(const core::Run&, const core::Table&, std::size_t row);
// The event that a row tells without being named by it: the worst one of a finding, that of a stretch of the critical
// path. Of its rank, or where the table has none of the rank that all of the answer is about.
core::EventRef told_event_of(const core::Run&, const core::Table&, std::size_t row, std::optional<core::RankKey>);
// If all rows of all tables that name a rank name the same one.
std::optional<core::RankKey> find_only_rank(const core::Answer&);
// Whether a row is one event: that is among its keys, or its keys say nothing else to filter by.
bool is_one_event(const core::Table&, std::size_t row);
// First begin to last end of a step, on one rank or on all; empty if the run lacks it.
core::RunRange range_of_step(const core::Run&, std::int64_t step, std::optional<core::RankKey>);

}  // namespace ui
