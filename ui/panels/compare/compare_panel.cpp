// Compares two runs level by level: the mean step as a waterfall, then steps, phases, modules, operators and kernels.

#include "ui/panels/compare/compare_panel.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/short_name.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/charts/dot_strips.hpp"
#include "ui/charts/volcano.hpp"
#include "ui/charts/waterfall.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/waterfall_model.hpp"
#include "ui/panels/compare/compare_levels.hpp"
#include "ui/panels/compare/compare_verdict.hpp"
#include "ui/panels/compare/op_by_op_view.hpp"
#include "ui/panels/compare/statistics_menu.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/comparison_table.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/charts/axis.hpp"
#include "core/diff/join/add_up_ranks.hpp"
#include "core/diff/join/join_rows.hpp"
#include "core/diff/statistics/statistics_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ui {
namespace {

using core::Side;

constexpr float kBar = 16;  // height at scale 1; smaller if the fewest bars don't fit
constexpr float kAroundBars = 84;  // height of the lines above and the axis below
constexpr float kSentenceHeight = 52;  // the sentence and the levels
constexpr float kDotsHeight = 56;      // the headline and the dots
constexpr float kRoomForDots = 380;  // if less remains, the dots are on the bars
constexpr int kOtherBars = 6;  // both totals, other kernels, exposed communication, exposed copies, idle
constexpr int kLeastKernels = 0;  // a small window merges all into other kernels
constexpr int kMostKernels = 12;
constexpr std::size_t kMostPartners = 200;  // candidates offered for a pair

struct CompareKey {
    core::BySide<core::AnswerPtr> parts;
    core::BySide<core::AnswerPtr> steps;
    core::BySide<std::uint64_t> runs;  // ids
    core::BySide<core::RunTime> anchor;
    core::Filter filter;
    core::NameRules names;
    std::size_t kernels = 0;
    bool operator==(const CompareKey&) const = default;
};

struct Made {
    std::optional<WaterfallModel> waterfall;
    std::string error;  // why there is no waterfall
    std::optional<ChangedStep> step;
};

core::BySide<core::Filter> both_filters(const Frame& frame) {
    return frame.kept ? frame.kept->of
                      : core::BySide<core::Filter>{frame.session.filter(Side::Baseline),
                                                   frame.session.filter(Side::Candidate)};
}

core::BySide<core::RunPtr> both_runs(const core::Session& session) {
    return {session.run(Side::Baseline), session.run(Side::Candidate)};
}

core::BySide<const core::Run*> pointers(const core::BySide<core::RunPtr>& runs) {
    return {runs.baseline.get(), runs.candidate.get()};
}

bool has_time(const core::Filter& filter) {
    return std::ranges::any_of(
        filter.terms, [](const core::FilterTerm& term) { return std::holds_alternative<core::TimeTerm>(term.what); });
}

// Number of kernels that fit next to the other bars and lines.
std::size_t kernels_that_fit(float height) {
    const auto bars = static_cast<int>((height - px(kAroundBars)) / px(kBar));
    return static_cast<std::size_t>(std::clamp(bars - kOtherBars, kLeastKernels, kMostKernels));
}

std::string signed_duration(std::int64_t ns) { return core::signed_value(static_cast<double>(ns), core::Unit::Ns); }

class ComparePanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    const CompareLevel& level() const { return kCompareLevels[static_cast<std::size_t>(level_)]; }
    ComparisonTable& table() { return tables_[static_cast<std::size_t>(level_)]; }
    void draw_levels();
    void draw_controls(Frame& frame);
    void draw_names(Frame& frame);
    void draw_pairs(Frame& frame);
    core::BySide<core::Request> update_waterfall(Frame& frame);
    void draw_waterfall_level(Frame& frame, const core::BySide<core::Request>& parts);
    void draw_sentence(Frame& frame);
    void draw_mean(const core::StepChange& change);
    void draw_notes(const std::vector<std::string>& notes);
    void draw_bars(Frame& frame, const WaterfallModel& model);
    void draw_table_level(Frame& frame);
    bool is_op_by_op() const { return level().id == "op-by-op"; }
    const WaterfallModel* waterfall() const;
    void draw_chips();
    TableHit draw_volcano_of(Frame& frame, ImVec2 room);
    void draw_pair_menu(Frame& frame);
    bool open_pair_menu(Frame& frame, const core::Table& shown, std::size_t row);
    void show_step(Frame& frame, const ChangedStep& step);
    core::Result<RowMeaning> meaning_of_part(const Frame& frame, const core::PartChange& part) const;
    ChartNotes notes_of(const WaterfallModel& model) const;

    int level_ = 0;
    std::string search_;
    RowClicks clicks_;
    std::array<ComparisonTable, kCompareLevels.size()> tables_;
    Deferred<CompareKey, Made> made_;
    std::shared_ptr<const Made> shown_;
    CompareVerdict verdict_;
    OpByOpView op_by_op_;
    StatisticsMenu statistics_;
    std::array<bool, kRowVerdicts.size()> verdicts_{};  // chosen chips
    int chart_ = 0;  // table, volcano
    bool fresh_ = false;
    bool comparing_ = false;
    // Name without a partner, its side, and candidates to pair it with.
    std::string lone_name_;
    RowMeaning lone_row_;
    Side lone_side_ = Side::Baseline;
    std::vector<std::string> partners_;
    std::string partner_search_;
};

bool ComparePanel::busy() const {
    if (!comparing_) return false;
    const bool level_busy = level_ == 0     ? made_.busy()
                            : is_op_by_op() ? op_by_op_.busy()
                                            : tables_[static_cast<std::size_t>(level_)].busy();
    return level_busy || verdict_.busy() || clicks_.busy();
}

void ComparePanel::draw_levels() {
    const ItemScope scope("level");
    for (std::size_t i = 0; i < kCompareLevels.size(); ++i) {
        bool on = static_cast<int>(i) == level_;
        if (i > 0) same_line_for(toggle_width(kCompareLevels[i].title), px(2));
        if (toggle(kCompareLevels[i].title, &on)) level_ = static_cast<int>(i);
        tooltip(kCompareLevels[i].what);
    }
}

void ComparePanel::draw_names(Frame& frame) {
    core::NameRules rules = frame.session.names_by();
    int matching = static_cast<int>(rules.matching);
    ImGui::AlignTextToFramePadding();
    muted_text("Names");
    ImGui::SameLine(0, px(8));
    const ItemScope scope("names");
    if (choose("names", {"Exact", "Normalised", "By operator"}, matching)) {
        rules.matching = static_cast<core::NameMatching>(matching);
        frame.intents.push_back(SetNames{rules});
    }
    tooltip(
        "Which names of the two runs are one row. Normalised: those that differ in numbers only. By operator: kernels "
        "that the same operator launched, whatever they are called. A right click on a row pairs two names by hand");
    draw_pairs(frame);
}

void ComparePanel::draw_pairs(Frame& frame) {
    const core::NameRules& rules = frame.session.names_by();
    if (rules.pairs.empty()) return;
    const std::string count = std::to_string(rules.pairs.size()) + (rules.pairs.size() == 1 ? " pair" : " pairs");
    same_line_for(text_width(ui_style(), count) + px(70), px(16));
    ImGui::AlignTextToFramePadding();
    muted_text(count + " by hand");
    std::string all;
    for (const core::NamePair& pair : rules.pairs)
        all.append(all.empty() ? "" : "\n").append(pair.baseline).append(" = ").append(pair.candidate);
    tooltip(all);
    ImGui::SameLine(0, px(4));
    if (quiet_button("Clear##clear-pairs")) frame.intents.push_back(SetNames{{rules.matching, {}}});
}

void ComparePanel::draw_controls(Frame& frame) {
    const bool one_line = ImGui::GetContentRegionAvail().x > px(1000);
    if (one_line) ImGui::SameLine(0, px(24));
    draw_names(frame);
    if (level_ == 0) {
        if (const WaterfallModel* const model = waterfall()) draw_mean(model->change);
        return;
    }
    same_line_for(px(140), px(16));
    input_text("##search", "Search", search_, std::max(px(80), std::min(px(200), ImGui::GetContentRegionAvail().x)));
    if (is_op_by_op()) return;
    table().draw_choices();
    draw_chips();
}

// Draws a chip with the count of each verdict; a chip shows only its rows.
void ComparePanel::draw_chips() {
    const TestedRows* const rows = table().tested_rows();
    if (!rows || !level().is_tested) return;
    {
        const ItemScope scope("chart");
        choose("chart", {"Table", "Volcano"}, chart_);
    }
    tooltip("Volcano: the change of every tested row against its q; area is time");
    const core::RowStatistics& statistics = *table().row_statistics();
    const std::string words =
        statistics.absent.empty()
            ? core::describe_rows(statistics, level().analysis == "kernels" ? "kernels" : "operators")
            : statistics.absent;
    const ItemScope scope("verdict");
    for (const RowVerdict verdict : kRowVerdicts) {
        const std::string label = title_of(words_of(verdict)) + " " +
                                  core::format_count(static_cast<std::uint64_t>(rows->count(verdict))) + "##" +
                                  std::string(name_of(verdict));
        same_line_for(toggle_width(label.c_str()), px(verdict == RowVerdict::Regressed ? 16 : 2));
        toggle(label.c_str(), &verdicts_[static_cast<std::size_t>(verdict)]);
        tooltip(std::string(meaning_of(verdict)) + (words.empty() ? "" : ".\n" + words));
    }
    // If there is no room, the text is only in the tooltips: the table needs the line.
    const float left = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + px(16);
    if (words.empty() || left + text_width(small_style(), words) > ImGui::GetContentRegionMax().x) return;
    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    const FontScope font(small_style());
    muted_text(words);
    tooltip(
        "The family: rows that have at least three values on both sides are tested together. Filtering changes it; "
        "searching and chips do not.");
}

// --- Waterfall

// The sample's waterfall, with intervals, if there is one; else that of the mean step of all ranks.
const WaterfallModel* ComparePanel::waterfall() const {
    if (const WaterfallModel* const tested = verdict_.waterfall()) return tested;
    return shown_ && shown_->waterfall ? &*shown_->waterfall : nullptr;
}

std::string name_of_step(const ChangedStep& step, Side side) {
    return "step " + std::to_string(step.number[side]) + " of rank " + core::format_rank(step.rank[side]);
}

void ComparePanel::show_step(Frame& frame, const ChangedStep& step) {
    const core::BySide<core::RunPtr> runs = both_runs(frame.session);
    core::BySide<core::RunRange> ranges;
    for (const Side side : core::kSides) ranges[side] = range_of_step(*runs[side], step.number[side], step.rank[side]);
    if (ranges.baseline.empty() || ranges.candidate.empty()) return;
    // Time terms of a filter are relative to the aligned moments, so these must not change.
    if (has_time(frame.session.filter()))
        frame.intents.push_back(LockViews{false});
    else
        frame.intents.push_back(
            AlignRuns{{.kind = core::AlignBy::Kind::Moments,
                       .step = 0,
                       .moments = {ranges.baseline.begin, ranges.candidate.begin},
                       .names = {name_of_step(step, Side::Baseline), name_of_step(step, Side::Candidate)}}});
    const core::Duration longer = std::max(ranges.baseline.length(), ranges.candidate.length());
    for (const Side side : core::kSides) {
        const core::RunTime begin = ranges[side].begin;
        frame.of(side).intents.push_back(ShowRange{{begin - longer / 20, begin + longer + longer / 20}});
    }
}

std::string words_of_step(const ChangedStep& step) {
    return "Show step " + std::to_string(step.number.baseline) + "  " + signed_duration(step.change());
}

// Draws the sentence and, at the waterfall, a link to the timelines right of it.
void ComparePanel::draw_sentence(Frame& frame) {
    const ChangedStep* const step =
        level_ == 0 && shown_ && shown_->step && shown_->step->change() != 0 ? &*shown_->step : nullptr;
    const float link = step ? toggle_width(words_of_step(*step).c_str()) + px(16) : 0;
    const float width = ImGui::GetContentRegionAvail().x;
    const float left = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    verdict_.draw_sentence(width - link);
    if (!step) return;
    ImGui::SameLine();
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), left + width - link + px(16)));
    if (quiet_button((words_of_step(*step) + "##show-step").c_str())) show_step(frame, *step);
    tooltip("Step " + std::to_string(step->number.baseline) + " of rank " + core::format_rank(step->rank.baseline) +
            " changed most; a click aligns both timelines at it and zooms to it");
}

void ComparePanel::draw_mean(const core::StepChange& change) {
    const auto mono = [](const std::string& words, ImU32 ink, float spacing) {
        ImGui::SameLine(0, px(spacing));
        mono_text(words, ink);
    };
    const std::string_view title = verdict_.waterfall() ? "Slowest rank's step"
                                   : change.of_steps    ? "Mean step"
                                                        : "Mean window";
    same_line_for(px(350), px(24));
    ImGui::AlignTextToFramePadding();
    muted_text(title);
    if (verdict_.waterfall()) tooltip("Mean of " + verdict_.sample());
    mono(core::format_duration(core::Duration{change.mean.baseline}), color::palette().baseline, 10);
    mono("\xE2\x86\x92", color::palette().muted, 8);
    mono(core::format_duration(core::Duration{change.mean.candidate}), color::palette().candidate, 8);
    const Compared whole =
        Compared::between(static_cast<double>(change.mean.baseline), static_cast<double>(change.mean.candidate));
    mono(signed_duration(change.change()) + "  " + format_ratio_change(whole),
         color_of_change(whole, core::Better::Less), 12);
}

void ComparePanel::draw_notes(const std::vector<std::string>& notes) {
    constexpr std::size_t kMostNotes = 3;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, px(2)});
    const float width = ImGui::GetContentRegionAvail().x;
    {
        const FontScope font(small_style());
        for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) {
            const bool last = i + 1 == kMostNotes && notes.size() > kMostNotes;
            const std::string fitted =
                fit_text(small_style(), last ? "and " + std::to_string(notes.size() - i) + " more" : notes[i], width);
            muted_text(fitted);
            std::string whole = notes[i];
            for (std::size_t more = i + 1; last && more < notes.size(); ++more) whole += "\n" + notes[more];
            if (fitted != whole) tooltip(whole);
        }
    }
    ImGui::PopStyleVar();
}

// Kernels filter by their names, exposed work by its class.
core::Result<RowMeaning> ComparePanel::meaning_of_part(const Frame& frame, const core::PartChange& part) const {
    const std::string title = part.part == core::StepPart::Kernel ? part.name : title_of(part.part);
    RowFacets facets;
    if (!has_events(part.part)) {
        RowMeaning meaning;
        meaning.unlisted = "No events to show";
        return meaning;
    }
    if (part.part == core::StepPart::ExposedCommunication)
        facets.classes = core::set_of(core::KernelClass::Communication);
    if (part.part == core::StepPart::ExposedMemory) facets.classes = core::set_of(core::KernelClass::Memory);
    if (part.part == core::StepPart::Kernel) {
        core::Result<RowFacets> named = with_names({}, part.kernels);
        if (!named) return std::move(named).error();
        facets = *std::move(named);
    }
    return meaning_of_facets(frame, facets, title, part.kernels);
}

ChartNotes ComparePanel::notes_of(const WaterfallModel& model) const {
    return {[&model](std::size_t i) {
                const WaterfallBar& bar = model.bars[i];
                if (bar.kind == WaterfallBar::Kind::Part)
                    return std::string(core::meaning_of(model.change.parts[bar.part].part));
                const core::Side side = i == 0 ? Side::Baseline : Side::Candidate;
                return "The mean over " + core::format_count(static_cast<std::uint64_t>(model.change.windows[side])) +
                       (model.change.of_steps ? " steps" : " windows") +
                       (model.tests.empty() ? " of the chosen ranks." : ", each on its slowest rank.");
            },
            true};
}

void ComparePanel::draw_bars(Frame& frame, const WaterfallModel& model) {
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const WaterfallHit bar = draw_waterfall("waterfall", model, notes_of(model), room);
    TableHit hit;
    const auto part_of = [&](std::optional<std::size_t> at) -> std::optional<std::size_t> {
        if (!at || model.bars[*at].kind == WaterfallBar::Kind::Whole) return std::nullopt;
        return model.bars[*at].part;
    };
    hit.clicked = part_of(bar.clicked);
    hit.activated = part_of(bar.activated);
    hit.hovered = part_of(bar.hovered);
    clicks_.handle(frame, hit, min, {min.x + room.x, min.y + room.y},
                   [&](std::size_t part) { return meaning_of_part(frame, model.change.parts[part]); });
}

// Updates the waterfall; returns both sides' requests.
core::BySide<core::Request> ComparePanel::update_waterfall(Frame& frame) {
    const core::BySide<core::RunPtr> runs = both_runs(frame.session);
    const core::BySide<core::Filter> filters = both_filters(frame);
    const bool of_steps = core::both_have_steps(pointers(runs), filters);
    auto parts =
        ask_both(frame, "compare/parts", *core::find_analysis("step-parts"), core::step_parts_params(of_steps));
    const auto steps = ask_both(frame, "compare/steps", "steps");
    const auto fresh = [](const core::BySide<core::Request>& both) {
        return both.baseline.fresh && both.candidate.fresh;
    };
    if (fresh(parts) && fresh(steps)) {
        const core::RunAlignment alignment = *frame.session.alignment();
        const CompareKey key{{parts.baseline.answer, parts.candidate.answer},
                             {steps.baseline.answer, steps.candidate.answer},
                             {runs.baseline->id(), runs.candidate->id()},
                             alignment.anchor,
                             frame.named_filter(),
                             frame.session.names_by(),
                             kernels_that_fit(ImGui::GetContentRegionAvail().y)};
        shown_ = made_.ask(frame.session.pool(), key, [key, runs, filters, alignment, of_steps] {
            Made made;
            core::Result<core::StepChange> change = core::build_step_change(
                {.names = key.names.matching, .pairs = key.names.pairs, .kernels = key.kernels},
                {key.parts.baseline.get(), key.parts.candidate.get()}, of_steps, pointers(runs), filters, alignment);
            if (change)
                made.waterfall = WaterfallModel::of(*std::move(change));
            else
                made.error = change.error().message;
            made.step = find_most_changed_step({&key.steps.baseline->main(), &key.steps.candidate->main()}, alignment);
            return made;
        });
    }
    fresh_ = fresh(parts) && fresh(steps) && made_.fresh();
    return parts;
}

void ComparePanel::draw_waterfall_level(Frame& frame, const core::BySide<core::Request>& parts) {
    if (!begin_answer(parts, "step parts", made_.fresh())) return;
    if (shown_) {
        clicks_.draw_refusal();
        if (const WaterfallModel* const model = waterfall()) {
            draw_notes(model->change.notes);
            draw_bars(frame, *model);
        } else {
            empty_state("No step times to compare", shown_->error);
        }
    }
    end_answer();
}

// --- Tables

void ComparePanel::draw_table_level(Frame& frame) {
    const core::NameRules& rules = frame.session.names_by();
    const core::Analysis* analysis = core::find_analysis(level().analysis);
    if (analysis->id == "kernels") analysis = *core::analysis_with_names(*analysis, rules.matching);
    core::Params params = standard_params(*analysis);
    if (!level().param.empty()) {
        const std::array given{std::pair{std::string(level().param), std::string(level().value)}};
        params = *core::make_params(*analysis, given);
    }
    const std::string who = "compare/" + std::string(level().id);
    const auto requests = ask_both(frame, who, *analysis, params);
    ComparisonOptions options;
    options.search = search_;
    options.names = &rules;
    options.marked = [&](const core::Table& marked, std::size_t row) {
        return clicks_.marks(frame, table().meaning_of(frame, marked, row), class_of_row(marked, row));
    };
    if (!level().per_rank) options.prepare = core::add_up_ranks;
    options.tests = level().is_tested;
    options.verdicts = verdicts_;
    const std::string_view stale = level().analysis;
    table().update(frame, *analysis, requests, options);
    fresh_ = table().fresh();
    if (!begin_answer(requests, stale, table().fresh())) return;
    clicks_.draw_refusal();
    if (const auto comparison = table().comparison(); comparison && comparison->table.rows() == 0) {
        empty_state("Nothing to compare", level().missing);
    } else {
        const ImVec2 min = ImGui::GetCursorScreenPos();
        const ImVec2 room = ImGui::GetContentRegionAvail();
        const bool plots = chart_ == 1 && table().tested_rows() && !table().tested_rows()->points.empty();
        const TableHit hit = plots ? draw_volcano_of(frame, room) : table().draw("table", frame, options, room);
        const bool pairs = hit.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
                           open_pair_menu(frame, *hit.table, *hit.hovered);
        clicks_.handle(
            frame, hit, min, {min.x + room.x, min.y + room.y},
            [&](std::size_t row) { return table().meaning_of(frame, *hit.table, row); }, pairs);
        draw_pair_menu(frame);
    }
    end_answer();
}

TableHit ComparePanel::draw_volcano_of(Frame&, ImVec2 room) {
    const std::shared_ptr<const core::Comparison> comparison = table().comparison();
    const TestedRows& rows = *table().tested_rows();
    const std::size_t lone = rows.count(RowVerdict::Added) + rows.count(RowVerdict::Removed);
    if (lone > 0) {
        const FontScope font(small_style());
        fitted_text(core::format_plural(lone, "row", "rows") + " of one run only: not tested, not drawn",
                    color::palette().muted);
        room = ImGui::GetContentRegionAvail();
    }
    const bool any = std::ranges::count(verdicts_, true) > 0;
    const std::size_t name = comparison->keys - 1;
    const auto name_of_row = [&](std::size_t row) {
        for (std::size_t key = comparison->keys; key-- > 0;)
            if (core::is_name(comparison->table.columns()[key]))
                return core::short_name(comparison->table.text(row, key)).normal;
        return std::string(comparison->table.text(row, name));
    };
    const Volcano plot{.points = rows.points,
                       .shows = [&](RowVerdict v) { return !any || verdicts_[static_cast<std::size_t>(v)]; },
                       .name_of = name_of_row,
                       .explain =
                           [&](std::size_t row) {
                               ImGui::BeginTooltip();
                               heading(name_of_row(row));
                               tooltip_lines_of(*table().row_statistics()->rows[row]);
                               ImGui::EndTooltip();
                           }};
    const VolcanoHit at = draw_volcano("volcano", plot, room);
    TableHit hit;
    hit.table = TablePtr(comparison, &comparison->table);
    hit.hovered = at.hovered;
    hit.clicked = at.clicked;
    hit.activated = at.activated;
    return hit;
}

// False if the row cannot be paired.
bool ComparePanel::open_pair_menu(Frame& frame, const core::Table& shown, std::size_t row) {
    const std::size_t presence = shown.find_column("presence");
    const auto lone_name = [&](std::size_t at, Side side) -> std::string {
        const core::Result<RowMeaning> meaning = table().meaning_of(frame, shown, at);
        if (!meaning || meaning->names[side].size() != 1) return {};
        return meaning->names[side].front();
    };
    if (shown.text(row, presence) == "both") return false;
    lone_side_ = shown.text(row, presence) == "removed" ? Side::Baseline : Side::Candidate;
    const Side other = other_side(lone_side_);
    const std::string_view wanted = other == Side::Baseline ? "removed" : "added";
    lone_name_ = lone_name(row, lone_side_);
    partners_.clear();
    partner_search_.clear();
    for (std::size_t at = 0; at < shown.rows() && partners_.size() < kMostPartners; ++at) {
        if (shown.text(at, presence) != wanted) continue;
        std::string name = lone_name(at, other);
        if (!name.empty() && std::ranges::find(partners_, name) == partners_.end())
            partners_.push_back(std::move(name));
    }
    if (lone_name_.empty() || partners_.empty()) return false;
    if (core::Result<RowMeaning> meaning = table().meaning_of(frame, shown, row)) lone_row_ = *std::move(meaning);
    ImGui::OpenPopup("pair");
    return true;
}

void ComparePanel::draw_pair_menu(Frame& frame) {
    if (!ImGui::BeginPopup("pair")) return;
    const ItemScope scope("pair");
    close_on_escape();
    clicks_.draw_ways(frame, lone_row_);
    muted_text("Pair with a name that only the " + std::string(name_of(other_side(lone_side_))) + " has");
    text(fit_text(ui_style(), lone_name_, px(420)), color::of_side(lone_side_));
    input_text("##partner", "Search", partner_search_, px(420));
    ImGui::BeginChild("partners", {px(420), px(160)});
    for (const std::string& partner : partners_) {
        if (!core::contains_any_case(partner, partner_search_)) continue;
        const std::string label = fit_text(ui_style(), partner, px(400)) + "##" + partner;
        if (!selectable(label.c_str(), false)) continue;
        core::NameRules rules = frame.session.names_by();
        const bool forward = lone_side_ == Side::Baseline;
        rules.pairs.push_back({forward ? lone_name_ : partner, forward ? partner : lone_name_});
        frame.intents.push_back(SetNames{std::move(rules)});
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndChild();
    ImGui::EndPopup();
}

void ComparePanel::draw(Frame& frame) {
    comparing_ = frame.candidate != nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    if (!comparing_) {
        if (button("Open a run to compare with\xE2\x80\xA6##open-candidate"))
            frame.intents.push_back(AskForPath{Side::Candidate});
        return empty_state("One run is open", "A second one is compared with it:  lockstep BASELINE CANDIDATE");
    }
    const KeepsRows keeps(frame, clicks_);
    const float height = ImGui::GetContentRegionAvail().y;
    const bool dots = level_ == 0 && height > px(kRoomForDots);
    verdict_.update(frame, level_ == 0, kernels_that_fit(height - px(kSentenceHeight) - (dots ? px(kDotsHeight) : 0)),
                    !dots);
    draw_sentence(frame);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - px(4));  // the link is as high as the levels below it
    if (dots) verdict_.draw_dots();
    draw_levels();
    statistics_.draw(frame);
    // The rest of the panel shows the current level.
    if (is_op_by_op()) {
        draw_controls(frame);
        op_by_op_.draw(frame, search_);
    } else if (level_ == 0) {
        const core::BySide<core::Request> parts = update_waterfall(frame);
        draw_controls(frame);
        draw_waterfall_level(frame, parts);
    } else {
        draw_controls(frame);
        draw_table_level(frame);
    }
    clicks_.poll_search(frame);
}

nlohmann::json describe_part(const core::PartChange& part) {
    nlohmann::json shown = {{"part", core::name_of(part.part)},
                            {"kernel", part.name},
                            {"baseline_ns", part.ns.baseline},
                            {"candidate_ns", part.ns.candidate},
                            {"change_ns", part.change()}};
    for (const Side side : core::kSides) shown["names"][std::string(name_of(side))] = part.kernels[side];
    return shown;
}

void ComparePanel::describe(nlohmann::json& shown) const {
    shown["comparing"] = comparing_;
    if (!comparing_) return;
    shown["level"] = level().id;
    shown["fresh"] = fresh_;
    if (!clicks_.refusal().empty()) shown["refusal"] = clicks_.refusal();
    verdict_.describe(shown);
    if (is_op_by_op()) {
        shown["fresh"] = !op_by_op_.busy();
        return op_by_op_.describe(shown["op_by_op"]);
    }
    if (level_ != 0) return tables_[static_cast<std::size_t>(level_)].describe(shown["table"]);
    if (!shown_) return;
    if (!shown_->error.empty()) shown["error"] = shown_->error;
    if (shown_->step) {
        shown["most_changed_step"] = {{"rank", core::format_rank(shown_->step->rank.baseline)},
                                      {"step", shown_->step->number.baseline},
                                      {"change_ns", shown_->step->change()}};
    }
    const WaterfallModel* const model = waterfall();
    if (!model) return;
    const core::StepChange& change = model->change;
    shown["tested"] = !model->tests.empty();
    shown["of_steps"] = change.of_steps;
    shown["baseline_ns"] = change.mean.baseline;
    shown["candidate_ns"] = change.mean.candidate;
    shown["change_ns"] = change.change();
    shown["notes"] = change.notes;
    shown["parts"] = nlohmann::json::array();
    for (const core::PartChange& part : change.parts) shown["parts"].push_back(describe_part(part));
}

}  // namespace

std::unique_ptr<Panel> make_compare_panel() { return std::make_unique<ComparePanel>(); }

}  // namespace ui
