#pragma once
// Meaning of a table row: the keys that a click turns into filter terms, and the event that the row
// is about. No ImGui.

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
    std::optional<core::ClassSet> classes;   // only for rows without a kernel, whose name implies its class
    std::optional<std::string> name;
    bool name_is_pattern = false;            // an expression for several names
    std::optional<std::string> group;
    bool empty() const { return !rank && !step && !stream && !classes && !name && !group; }
};

std::vector<std::size_t> key_columns_of(const core::Table&);
// Reads these columns. Absent values and words in brackets such as "(unattributed)" give no facet.
RowFacets facets_of(const core::Table&, std::size_t row, std::span<const std::size_t> columns);
RowFacets facets_of(const core::Table&, std::size_t row);  // of its key columns

// Replaces the name with all names that the sides have for the row; unchanged without any. Fails if no filter can
// express them.
core::Result<RowFacets> with_names(RowFacets, const core::BySide<std::vector<std::string>>&);

// Sets all their terms, or removes them if the filter has exactly these. A single term can be added with Click::Add.
core::Filter with_facets(core::Filter, const RowFacets&, Click);

// Sets all their terms, whatever terms of these kinds the filter has.
core::Filter narrowed_to(core::Filter, const RowFacets&);

// Translates the facets to the baseline's numbers, which filters use. Fails, naming the facet, if one has no
// counterpart there.
core::Result<RowFacets> named_by_baseline(RowFacets, const core::RunAlignment*, core::Side);

// The event of a row with a rank and an event among its keys; invalid for other rows.
core::EventRef event_of(const core::Run&, const core::Table&, std::size_t row);
// The event that a row mentions outside its keys: the worst one of a finding, or that of a stretch of the critical
// path. Uses the row's rank or, if the table has none, the rank of the whole answer.
core::EventRef mentioned_event_of(const core::Run&, const core::Table&, std::size_t row, std::optional<core::RankKey>);
// The rank, if all rows of all tables that name a rank name the same one.
std::optional<core::RankKey> find_only_rank(const core::Answer&);
// True if a row stands for one event: the event is among its keys, or its keys give no filter term.
bool is_one_event(const core::Table&, std::size_t row);
// First begin to last end of a step, on one rank or on all; empty if the run lacks it.
core::RunRange range_of_step(const core::Run&, std::int64_t step, std::optional<core::RankKey>);

}  // namespace ui
