#pragma once
// Filters after a click on a bar, a row or a cell. The click's term replaces the terms of its kind
// (negated ones stay); the same click again removes it. Ctrl+click (Click::Add) adds it to the
// chosen ones or removes it: rank:1 becomes rank:1,3. Each click is one SetFilter and so one undo
// step.

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
// True if a class term excludes all of these classes; describe_class_click says what with_class would do.
bool leaves_out_class(const core::Filter&, core::ClassSet);
core::ClassSet left_out_classes(const core::Filter&);  // classes excluded on their own, dimmed where all work is drawn
std::string describe_class_click(const core::Filter&, core::ClassSet);
// Sets the only name: names narrow each other, so a second one would leave nothing.
core::Filter with_name(core::Filter, std::string_view name);
// Term that matches any of these whole names: the name itself if there is one, else an expression. Fails if the
// expression becomes too long. Needs at least one name; order and duplicates don't matter.
core::Result<core::NameTerm> term_for_names(std::vector<std::string> names);
// Selects one kernel on one rank: sets both terms, or removes both if exactly these are set.
core::Filter with_kernel_on_rank(const core::Filter&, std::string_view name, core::RankKey);
// Selects a cell of rank and step: sets both terms, or removes both if exactly these are set.
core::Filter with_cell(core::Filter, core::RankKey, std::int64_t step);
// Selects all cells of these ranks and steps; an empty list leaves its term unchanged.
core::Filter with_cells(core::Filter, std::span<const core::RankKey>, std::span<const std::int64_t> steps);
// Selects events with exactly this name; falls back to with_name if it is too long for an expression.
core::Filter with_whole_name(const core::Filter&, std::string_view name);

// Filters use the baseline's numbers. Returns the key that selects a rank or step of one side; nullopt if the runs pair
// by order and it has no partner (a rank then keeps its own number, if that is free). Without an alignment, there is
// one run and the key is its own.
std::optional<core::RankKey> find_named_rank(const core::RunAlignment*, core::Side, core::RankKey);
std::optional<std::int64_t> find_named_step(const core::RunAlignment*, core::Side, std::int64_t step);

// The filter without its rank and step terms, for charts that show all ranks and fade excluded ones.
core::Filter without_rank(core::Filter);
core::Filter without_rank_and_step(core::Filter);
// True if the filter's step terms accept this step of one rank. `last`: number of the rank's last step if it has
// several; step:complete drops it.
bool accepts_step(const core::Filter&, std::int64_t step, std::optional<std::int64_t> last);

}  // namespace ui
