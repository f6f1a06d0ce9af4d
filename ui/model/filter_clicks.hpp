#pragma once
// Filters after a click on a bar, a row or a cell. Its term replaces the terms of its kind (negated ones stay); the
// same click again removes it. With Ctrl (Click::Add) it joins or leaves the chosen ones: rank:1 becomes rank:1,3.
// One SetFilter each, so one undo step.

#include "core/base/result.hpp"
#include "core/diff/align/align_runs.hpp"
#include "core/query/filter.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

enum class Click : std::uint8_t { Replace, Add };

core::Filter with_rank(core::Filter, core::RankKey, Click = Click::Replace);
core::Filter with_step(core::Filter, std::int64_t step, Click = Click::Replace);
core::Filter with_stream(core::Filter, std::int64_t stream, Click = Click::Replace);
core::Filter with_class(core::Filter, core::ClassSet, Click = Click::Replace);
// Whether a class term leaves out all of these classes; and what with_class would do, in words.
bool leaves_out_class(const core::Filter&, core::ClassSet);
core::ClassSet left_out_classes(const core::Filter&);  // each by itself: to be dimmed where all work is drawn
std::string describe_class_click(const core::Filter&, core::ClassSet);
// One name only: names narrow each other, so a second one would leave nothing.
core::Filter with_name(core::Filter, std::string_view name);
// Term that matches any of these whole names: the name if there is one, else an expression. An error if the expression
// becomes too long. At least one name; each counts once, in any order.
core::Result<core::NameTerm> term_for_names(std::vector<std::string> names);
// A cell of rank and step: both terms, or neither when exactly these are there.
core::Filter with_cell(core::Filter, core::RankKey, std::int64_t step);
// All cells of these ranks and steps; a kind of which there is none stays as it is.
core::Filter with_cells(core::Filter, std::span<const core::RankKey>, std::span<const std::int64_t> steps);
// The events of this whole name and no others; as with_name where it is too long for an expression.
core::Filter with_whole_name(const core::Filter&, std::string_view name);

// A filter speaks of the baseline's numbers: what it has to name to choose a rank or a step of one side; nullopt
// where the runs pair by order and it has no partner (a rank then goes by its own number, if that is free). Without an
// alignment there is one run: its own.
std::optional<core::RankKey> find_named_rank(const core::RunAlignment*, core::Side, core::RankKey);
std::optional<std::int64_t> find_named_step(const core::RunAlignment*, core::Side, std::int64_t step);

// The filter without its rank and step terms: for a chart that shows them all and fades those left out.
core::Filter without_rank(core::Filter);
core::Filter without_rank_and_step(core::Filter);
// Whether the filter's step terms take this step of one rank; `last`: the rank's last one of several, which
// step:complete drops.
bool accepts_step(const core::Filter&, std::int64_t step, std::optional<std::int64_t> last);

}  // namespace ui
