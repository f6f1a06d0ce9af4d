#include "ui/table/comparison_table.hpp"

#include "ui/charts/compared_lines.hpp"
#include "ui/charts/dot_strips.hpp"
#include "ui/charts/volcano.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"

#include "core/base/format.hpp"
#include "core/diff/join/join_rows.hpp"
#include "core/diff/statistics/statistics_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

using core::Comparison;
using core::Part;
using core::Side;

constexpr std::size_t kMostNotes = 3;
constexpr float kNumberWidth = 74;        // widths at scale 1
constexpr float kChange = 82;
constexpr float kWords = 140;          // minimum for other text
constexpr float kNames = 180;         // minimum for names
constexpr unsigned kTint = 26;       // alpha of rows that only one run has
constexpr float kVerdictWidth = 64, kValuesWidth = 72, kQWidth = 52;
constexpr double kFirst = 1e15;  // sorts changed rows before the others: more than 11 days in nanoseconds

// Columns of any comparison, derived from its table: keys, presence, four per measure, then those of the tests.
class Layout {
public:
    explicit Layout(const core::Table& table)
        : table_(table), keys_(table.find_column("presence")), tests_(table.find_column(kVerdictColumn)) {}

    bool is_key(std::size_t column) const { return column <= keys_ || column >= tests_; }
    bool is_tested() const { return tests_ < table_.columns().size(); }
    // True for rows of tested tables that neither changed nor belong to one side only.
    bool is_quiet(std::size_t row) const {
        if (!is_tested() || table_.absent(row, tests_)) return false;
        const std::string_view verdict = table_.text(row, tests_);
        return verdict == words_of(RowVerdict::Undecided) || verdict == words_of(RowVerdict::Same);
    }
    Part part(std::size_t column) const { return static_cast<Part>((column - keys_ - 1) % core::kParts); }
    // Another part of the same measure.
    std::size_t part_of(std::size_t column, Part part) const {
        return column - static_cast<std::size_t>(this->part(column)) + static_cast<std::size_t>(part);
    }
    std::optional<Side> lone_side(std::size_t row) const {
        const std::string_view presence = table_.text(row, keys_);
        if (presence == "added") return Side::Candidate;
        if (presence == "removed") return Side::Baseline;
        return std::nullopt;
    }
    Compared value(std::size_t row, std::size_t column) const {
        const auto number = [&](Part part) -> std::optional<double> {
            const std::size_t at = part_of(column, part);
            return table_.absent(row, at) ? std::nullopt : std::optional(table_.number(row, at));
        };
        return {.baseline = number(Part::Baseline),
                .candidate = number(Part::Candidate),
                .change = number(Part::Change),
                .ratio = number(Part::Ratio)};
    }

private:
    const core::Table& table_;
    std::size_t keys_;
    std::size_t tests_;
};

// Sort weight: size of the change, or of the value if only one side has the row.
double weight_of(const core::Table& table, std::size_t row, std::size_t column) {
    const Layout layout(table);
    if (layout.is_key(column) || layout.part(column) != Part::Change) return table.number(row, column);
    const std::optional<Side> lone = layout.lone_side(row);
    const double first = layout.is_tested() && !layout.is_quiet(row) ? kFirst : 0;
    if (!lone) return std::abs(table.number(row, column)) + first;
    const Part part = *lone == Side::Baseline ? Part::Baseline : Part::Candidate;
    return std::abs(table.number(row, layout.part_of(column, part))) + first;
}

ImU32 ink_of_change(const Compared& value, const core::Column& measure) {
    if (value.change && *value.change == 0) return color::palette().faint;
    return color_of_change(value, core::better_of(measure));
}

CellText write_change(const core::Table& table, std::size_t row, std::size_t column, const Compared& value) {
    const core::Column& measure = table.columns()[column];
    const std::string exact = core::format_cell_exact(table, row, column);
    return {.text = format_change(value, measure.unit),
            .ink = ink_of_change(value, measure),
            .exact = table.number(row, column) > 0 ? "+" + exact : exact,
            .words = false};
}

CellText write_ratio(const core::Table& table, std::size_t row, std::size_t column, const Compared& value) {
    const core::Column& measure = table.columns()[Layout(table).part_of(column, Part::Change)];
    return {.text = format_ratio_change(value),
            .ink = ink_of_change(value, measure),
            .exact = "candidate / baseline = " + core::format_cell_exact(table, row, column),
            .words = false};
}

CellText write_test(const core::Table& table, std::size_t row, std::size_t column) {
    const bool is_q = table.columns()[column].name == kQColumn;
    return {
        .text = is_q ? core::format_p(table.number(row, column)) : "\xC2\xB1 " + core::format_cell(table, row, column),
        .ink = color::palette().text,
        .exact = core::format_cell_exact(table, row, column),
        .words = false};
}

// Formats a cell. Rows of one side say so only in `lead`, the column of the leading change.
CellText write_loud_cell(const core::Table& table, std::size_t row, std::size_t column, std::size_t lead) {
    const Layout layout(table);
    const std::optional<Side> lone = layout.lone_side(row);
    if (lone && column == lead)
        return {.text = std::string(words_of(core::lone_verdict(*lone))),
                .ink = color::of_side(*lone),
                .exact = {},
                .words = true};
    if (table.absent(row, column))
        return {.text = std::string(kAbsentText), .ink = color::palette().faint, .exact = {}, .words = false};
    if (layout.is_tested() && column > table.find_column(kVerdictColumn)) return write_test(table, row, column);
    if (!layout.is_key(column) && layout.part(column) == Part::Change)
        return write_change(table, row, column, layout.value(row, column));
    if (!layout.is_key(column) && layout.part(column) == Part::Ratio)
        return write_ratio(table, row, column, layout.value(row, column));
    return {.text = core::format_cell(table, row, column),
            .ink = color::palette().text,
            .exact = core::format_cell_exact(table, row, column),
            .words = false};
}

CellText write_cell(const core::Table& table, std::size_t row, std::size_t column, std::size_t lead) {
    CellText cell = write_loud_cell(table, row, column, lead);
    if (Layout(table).is_quiet(row)) cell.ink = color::palette().faint;
    return cell;
}

// Draws the test columns that are not numbers: the verdict in its colour, the values as dots.
bool paint_test(const core::RowStatistics& tests, const core::Table& table, std::size_t row, std::size_t column,
                ImVec2 at, ImVec2 size) {
    const std::string& name = table.columns()[column].name;
    if ((name != kVerdictColumn && name != kValuesColumn) || row >= tests.rows.size()) return false;
    const std::optional<core::Tested>& tested = tests.rows[row];
    const bool quiet = Layout(table).is_quiet(row);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (name == kValuesColumn) {
        if (!tested) return true;
        draw_small_dot_strips(list, *tested, at, size, quiet);
    } else {
        const std::string_view verdict = table.absent(row, column) ? kAbsentText : table.text(row, column);
        ImU32 ink = color::palette().faint;
        for (const RowVerdict one : kRowVerdicts)
            if (verdict == words_of(one)) ink = color_of_verdict(one);
        draw_text(list, ui_style(), at, ink, verdict, size.x);
    }
    const bool pointed = ImGui::IsMouseHoveringRect(at, {at.x + size.x, at.y + size.y}) && ImGui::IsWindowHovered();
    if (!pointed || !tested) return true;
    ImGui::BeginTooltip();
    heading("Per step");
    tooltip_lines_of(*tested);
    ImGui::EndTooltip();
    return true;
}

ImU32 tint_of(const core::Table& table, std::size_t row) {
    const std::optional<Side> lone = Layout(table).lone_side(row);
    if (!lone) return 0;
    return (color::of_side(*lone) & ~IM_COL32_A_MASK) | (kTint << IM_COL32_A_SHIFT);
}

bool has_names(const core::Table& table, std::size_t keys) {
    for (std::size_t c = 0; c < keys; ++c)
        if (core::is_name(table.columns()[c])) return true;
    return false;
}

// Distinct names in one side's source rows of a row.
std::vector<std::string> names_behind(const core::Table& table, const std::vector<std::size_t>& rows,
                                      std::size_t column) {
    std::vector<std::string> names;
    for (const std::size_t row : rows)
        if (!table.absent(row, column)) names.emplace_back(table.text(row, column));
    std::ranges::sort(names);
    const auto rest = std::ranges::unique(names);
    names.erase(rest.begin(), rest.end());
    return names;
}

// Column of the name that a click filters by: the kernel's, else the operator's.
std::size_t find_name_column(const core::Table& table) {
    std::size_t found = table.columns().size();
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const core::Column& column = table.columns()[c];
        if (column.role != core::Role::Key || !core::is_name(column)) continue;
        if (found == table.columns().size() || column.facet == core::Facet::Kernel) found = c;
    }
    return found;
}

std::string title_of_part(Part part) { return title_of(name_of(part)); }

TableColumn column_of(const Comparison& comparison, std::size_t measure, Part part) {
    const std::string& name = comparison.table.columns()[comparison.column(measure, part)].name;
    const ImU32 ink = part == Part::Baseline    ? color::palette().baseline
                      : part == Part::Candidate ? color::palette().candidate
                                                : 0;
    return {name, title_of_part(part), ink, title_of(comparison.measure_name(measure)),
            part == Part::Change ? kChange : kNumberWidth};
}

float width_of(const TableColumn& column) { return px(column.least_width + 12); }

float key_width(const Comparison& comparison, std::string_view name) {
    const core::Column& column = comparison.table.columns()[comparison.table.find_column(name)];
    if (column.unit != core::Unit::Text) return px(60);
    if (column.facet == core::Facet::Class) return px(find_name_column(comparison.table) < comparison.keys ? 24 : 132);
    return px((core::is_name(column) ? kNames : kWords) + 12);
}

}  // namespace

ComparisonTable::Joined ComparisonTable::join(const Key& key, const core::DiffQuery& query,
                                              const core::BySide<core::RunPtr>& runs,
                                              const core::RunAlignment& alignment) {
    core::BySide<core::Answer> prepared;
    core::BySide<const core::Answer*> answers{key.answers.baseline.get(), key.answers.candidate.get()};
    if (key.prepare) {
        for (const Side side : core::kSides) {
            prepared[side].tables = {{"main", key.prepare(key.answers[side]->main())}};
            answers[side] = &prepared[side];
        }
    }
    Joined joined;
    joined.table = query.table;
    joined.answers = key.answers;
    joined.comparison = core::compare_answers(query, answers, {runs.baseline.get(), runs.candidate.get()}, alignment);
    const core::BySide<const core::Table*> tables{answers.baseline->find(query.table),
                                                  answers.candidate->find(query.table)};
    const std::size_t name = find_name_column(*tables.baseline);
    const Layout layout(joined.comparison.table);
    for (std::size_t row = 0; row < joined.comparison.table.rows(); ++row) {
        if (const std::optional<Side> lone = layout.lone_side(row)) ++joined.lone[*lone];
        if (name == tables.baseline->columns().size()) continue;
        for (const Side side : core::kSides)
            joined.names[side].push_back(names_behind(*tables[side], joined.comparison.sources[row][side], name));
    }
    return joined;
}

core::Result<ComparisonTable::Joined> ComparisonTable::test(const Joined& joined, const Key& key,
                                                            const core::DiffQuery& query,
                                                            const core::BySide<core::RunPtr>& runs,
                                                            const core::RunAlignment& alignment,
                                                            const core::JobContext& context) {
    Joined tested = joined;
    core::RunComparison compared{joined.comparison, {}};
    for (const Side side : core::kSides) {
        const core::Table& table = key.answers[side]->main();
        compared.answers[side].tables = {{"main", key.prepare ? key.prepare(table) : table}};
    }
    const core::BySide<const core::Run*> both{runs.baseline.get(), runs.candidate.get()};
    const core::BySide<core::Filter> filters{alignment.filter_for(Side::Baseline, query.filter),
                                             alignment.filter_for(Side::Candidate, query.filter)};
    const core::StatisticsOptions options = key.statistics.between(alignment.compares);
    core::Result<core::RunStatistics> statistics =
        core::compare_statistics(query, compared, core::sample_runs(both, filters, options), options, context);
    if (!statistics) return std::move(statistics).error();
    tested.tests = std::move(statistics->rows);
    tested.rows = TestedRows::of(joined.comparison, *tested.tests);
    if (tested.tests->family > 0) tested.comparison.table = with_tests(joined.comparison, *tested.tests);
    return tested;
}

void ComparisonTable::update(Frame& frame, const core::Analysis& analysis, const core::BySide<core::Request>& requests,
                             const ComparisonOptions& options) {
    fresh_ = requests.baseline.fresh && requests.candidate.fresh;
    drawn_ = false;
    analysis_ = &analysis;
    chooses_names_ = !options.names;
    if (options.names) names_ = *options.names;
    if (fresh_) {
        const core::RunAlignment& alignment = *frame.session.alignment();
        const core::BySide<core::RunPtr> runs{frame.session.run(Side::Baseline), frame.session.run(Side::Candidate)};
        key_ = {{requests.baseline.answer, requests.candidate.answer},
                {runs.baseline->id(), runs.candidate->id()},
                alignment.anchor,
                frame.named_filter(),
                names_,
                {},
                options.prepare,
                options.averages,
                options.tests,
                options.tests ? frame.session.statistics() : core::StatisticsOptions{}};
        if (!options.prepare && std::ranges::count(tables(), options.table) > 0) key_.table = options.table;
        const core::DiffQuery query{.analysis = &analysis,
                                    .params = {},
                                    .filter = key_.filter,
                                    .names = names_.matching,
                                    .pairs = names_.pairs,
                                    .table = key_.table,
                                    .averages = options.averages};
        shown_ = joined_.ask(frame.session.pool(), key_,
                             [key = key_, query, runs, alignment] { return join(key, query, runs, alignment); });
        if (options.tests && shown_ && joined_.fresh()) {
            const std::shared_ptr<const Joined> tested =
                tested_.ask(frame.session.pool(), key_,
                            [key = key_, joined = shown_, query, runs, alignment](const core::JobContext& context) {
                                return test(*joined, key, query, runs, alignment, context);
                            });
            if (tested && tested_.fresh()) shown_ = tested;
        }
    } else if (!joined_.fresh()) {
        shown_ = joined_.last();  // last comparison while a new one is computed
    }
    if (!shown_) return;
    choose_rows(options);
    const Comparison& comparison = shown_->comparison;
    lead_ = comparison.lead;
    for (std::size_t measure = 0; measure < comparison.measures; ++measure)
        if (comparison.measure_name(measure) == options.lead) lead_ = measure;
}

// Finds the rows with the chosen verdicts; recomputed only for other rows or another choice.
void ComparisonTable::choose_rows(const ComparisonOptions& options) {
    const bool any = shown_->tests && std::ranges::count(options.verdicts, true) > 0;
    if (!any) {
        only_ = nullptr;
        chosen_of_ = nullptr;
        return;
    }
    if (chosen_of_ == shown_ && chosen_ == options.verdicts) return;
    std::vector<bool> only;
    for (const std::optional<RowVerdict>& verdict : shown_->rows.verdicts)
        only.push_back(verdict && options.verdicts[static_cast<std::size_t>(*verdict)]);
    only_ = std::make_shared<const std::vector<bool>>(std::move(only));
    chosen_of_ = shown_;
    chosen_ = options.verdicts;
}

std::vector<std::string> ComparisonTable::tables() const {
    if (!key_.answers.baseline || !key_.answers.candidate) return {};
    std::vector<std::string> both = core::comparable_tables(*key_.answers.baseline);
    std::erase_if(both, [&](const std::string& name) { return !key_.answers.candidate->find(name); });
    return both;
}

void ComparisonTable::draw_choices() {
    if (!shown_) return;
    const Comparison& comparison = shown_->comparison;
    if (comparison.measures > 1) {
        same_line_for(toggle_width("All measures"), px(16));
        if (toggle("All measures", &all_)) open_.clear();
        tooltip("Baseline, candidate, change and ratio of every measure; a click on a title opens or closes one");
    }
    if (!chooses_names_ || !has_names(comparison.table, comparison.keys)) return;
    same_line_for(toggle_width("Normalised names"), px(2));
    bool normalised = names_.matching == core::NameMatching::Normalised;
    if (toggle("Normalised names", &normalised))
        names_.matching = normalised ? core::NameMatching::Normalised : core::NameMatching::Exact;
    tooltip(
        "Names that differ in numbers only are one row, so that the same work pairs up across libraries and devices");
}

bool ComparisonTable::is_open(const Comparison& comparison, std::size_t measure) const {
    const bool first = all_ || measure == lead_;
    return first != open_.contains(std::string(comparison.measure_name(measure)));
}

std::vector<TableColumn> ComparisonTable::choose_columns(const Comparison& comparison, float width) const {
    std::vector<TableColumn> columns;
    float used = px(24);
    for (std::size_t key = 0; key < comparison.keys; ++key) {
        const core::Column& column = comparison.table.columns()[key];
        columns.push_back({column.name});
        if (core::is_name(column)) columns.back().least_width = kNames;
        used += key_width(comparison, columns.back().name);
    }
    const auto add = [&](std::size_t measure, Part part) {
        columns.push_back(column_of(comparison, measure, part));
        used += width_of(columns.back());
    };
    const auto add_all = [&](std::size_t measure) {
        const core::Unit unit = comparison.table.columns()[comparison.column(measure, Part::Baseline)].unit;
        add(measure, Part::Baseline);
        add(measure, Part::Candidate);
        if (!core::is_quantity(unit)) return;
        add(measure, Part::Change);
        add(measure, Part::Ratio);
    };
    std::vector<std::size_t> order;
    if (lead_ < comparison.measures) order.push_back(lead_);
    for (std::size_t measure = 0; measure < comparison.measures; ++measure)
        if (measure != lead_) order.push_back(measure);
    float needed = 0;  // width of open measures and those that follow
    for (const std::size_t measure : order)
        if (is_open(comparison, measure)) needed += px(3 * kNumberWidth + kChange + 4 * 12);
    const bool is_tested = comparison.table.find_column(kVerdictColumn) < comparison.table.columns().size();
    const auto add_tests = [&] {
        const auto add_test = [&](std::string_view name, const char* title, float least) {
            columns.push_back({std::string(name), title, 0, "Per step", least, true});
            used += px(least + 12);
        };
        add_test(kVerdictColumn, "Verdict", kVerdictWidth);
        add_test(kMarginColumn, "95 %", kNumberWidth);
        add_test(kQColumn, "q", kQWidth);
        add_test(kValuesColumn, "Values", kValuesWidth);
    };
    for (const std::size_t measure : order) {
        if (is_open(comparison, measure)) {
            needed -= px(3 * kNumberWidth + kChange + 4 * 12);
            add_all(measure);
            if (is_tested && measure == lead_) add_tests();
            continue;
        }
        const bool fits = used + needed + px(kChange + 12) <= width;
        const bool compares =
            core::is_quantity(comparison.table.columns()[comparison.column(measure, Part::Baseline)].unit);
        if (fits && compares) add(measure, Part::Change);
    }
    return columns;
}

TableOptions ComparisonTable::table_options(const ComparisonOptions& options, float width) const {
    const Comparison& comparison = shown_->comparison;
    TableOptions table;
    table.columns = choose_columns(comparison, width);
    table.kept = comparison.keys;
    table.search = options.search;
    table.marked = options.marked;
    if (lead_ < comparison.measures)
        table.sort_column = comparison.table.columns()[comparison.column(lead_, Part::Change)].name;
    table.write = [lead = table.sort_column](const core::Table& drawn, std::size_t row, std::size_t column) {
        return write_cell(drawn, row, column, drawn.find_column(lead));
    };
    table.weight = weight_of;
    table.tint = tint_of;
    if (shown_->tests) {
        table.only = only_;
        table.quiet = [](const core::Table& drawn, std::size_t row) { return Layout(drawn).is_quiet(row); };
        table.paint = [shown = shown_](const core::Table& drawn, std::size_t row, std::size_t column, ImVec2 at,
                                       ImVec2 size_of_cell) {
            return paint_test(*shown->tests, drawn, row, column, at, size_of_cell);
        };
    }
    return table;
}

// One muted line per note; the rest on hover.
void ComparisonTable::draw_notes(float width) const {
    const std::vector<std::string>& notes = shown_->comparison.notes;
    if (notes.empty()) return;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, px(2)});
    const FontScope font(small_style());
    const std::size_t lines = notes.size() <= kMostNotes ? notes.size() : kMostNotes - 1;
    for (std::size_t i = 0; i < lines; ++i) {
        const std::string fitted = fit_text(small_style(), notes[i], width);
        muted_text(fitted);
        if (fitted != notes[i]) tooltip(notes[i]);
    }
    if (lines < notes.size()) {
        muted_text("and " + std::to_string(notes.size() - lines) + " more");
        std::string rest;
        for (std::size_t i = lines; i < notes.size(); ++i) rest += (rest.empty() ? "" : "\n") + notes[i];
        tooltip(rest);
    }
    ImGui::PopStyleVar();
    ImGui::Dummy({0, px(2)});
}

TableHit ComparisonTable::draw(const char* id, Frame& frame, const ComparisonOptions& options, ImVec2 size) {
    if (!shown_) return {};
    const float top = ImGui::GetCursorPosY();
    draw_notes(size.x);
    size.y = std::max(px(60), size.y - (ImGui::GetCursorPosY() - top));
    if (shown_->comparison.table.rows() == 0) {
        empty_state("No rows", "Nothing passes the filter in either run.");
        return {};
    }
    TableOptions table = table_options(options, size.x);
    const Explainer explainer(frame, *analysis_, key_.answers);
    table.explainer = &explainer;
    columns_.clear();
    for (const TableColumn& column : table.columns) columns_.push_back(column.name);
    const TablePtr compared(shown_, &shown_->comparison.table);
    drawn_ = true;
    TableHit hit = table_.draw(id, frame.session.pool(), compared, table, size);
    if (hit.group.empty()) return hit;
    for (std::size_t measure = 0; measure < shown_->comparison.measures; ++measure) {
        const std::string name(shown_->comparison.measure_name(measure));
        if (title_of(name) != hit.group) continue;
        if (!open_.erase(name)) open_.insert(name);
    }
    return hit;
}

std::shared_ptr<const core::Comparison> ComparisonTable::comparison() const {
    if (!shown_) return nullptr;
    return {shown_, &shown_->comparison};
}

float ComparisonTable::least_width() const {
    float width = px(24);
    if (!shown_) return width;
    for (const TableColumn& column : choose_columns(shown_->comparison, 0))
        width += column.group.empty() ? key_width(shown_->comparison, column.name) : width_of(column);
    return width;
}

core::Result<RowMeaning> ComparisonTable::meaning_of(const Frame& frame, const core::Table& table,
                                                     std::size_t row) const {
    return meaning_of(frame, table, row, key_columns_of(table));
}

core::Result<RowMeaning> ComparisonTable::meaning_of(const Frame& frame, const core::Table& table, std::size_t row,
                                                     std::span<const std::size_t> columns) const {
    RowMeaning meaning;
    RowFacets facets = facets_of(table, row, columns);
    const Side side = Layout(table).lone_side(row).value_or(Side::Baseline);
    if (shown_ && &table == &shown_->comparison.table) {
        for (const Side of : core::kSides)
            if (row < shown_->names[of].size()) meaning.names[of] = shown_->names[of][row];
    }
    // Normalised names occur in no trace: filters need the original names.
    if (facets.name && names_ != core::NameRules{}) {
        core::Result<RowFacets> with = with_names(std::move(facets), meaning.names);
        if (!with) return std::move(with).error();
        facets = *std::move(with);
    }
    core::Result<RowFacets> named = named_by_baseline(std::move(facets), frame.session.alignment(), side);
    if (!named) return named.error();
    meaning.facets = *std::move(named);
    const bool has_name = meaning.facets.name || columns.size() == key_columns_of(table).size();
    if (!has_name) meaning.names = {};
    add_listings(meaning, frame, table, row, side, Layout(table).lone_side(row), columns);
    return meaning;
}

void ComparisonTable::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh();
    if (!shown_) return;
    const Comparison& comparison = shown_->comparison;
    table_.describe(shown);
    shown["notes"] = comparison.notes;
    shown["columns"] = columns_;
    shown["names"] = name_of(names_.matching);
    shown["only_baseline"] = shown_->lone.baseline;
    shown["only_candidate"] = shown_->lone.candidate;
    if (shown_->tests) {
        shown["family"] = shown_->tests->family;
        if (!shown_->tests->absent.empty()) shown["tests_absent"] = shown_->tests->absent;
        for (const RowVerdict verdict : kRowVerdicts)
            shown["verdicts"][std::string(name_of(verdict))] = shown_->rows.count(verdict);
    }
    if (lead_ < comparison.measures) shown["lead"] = comparison.measure_name(lead_);
}

}  // namespace ui
