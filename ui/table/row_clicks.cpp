#include "ui/table/row_clicks.hpp"

#include "core/analysis/engine/explain_column.hpp"
#include "core/query/filter_edit.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>

namespace ui {
namespace {

core::RunRange across(const core::RunAlignment& alignment, core::Side from, core::RunRange range) {
    return {alignment.across(from, range.begin), alignment.across(from, range.end)};
}

// Adds the margin that a shown event gets.
core::RunRange with_room(core::RunRange range) {
    const core::Duration room = std::max(range.length(), core::Duration{1000});
    return {range.begin - room, range.end + room};
}

// True if a row stands for events, not for a rank as a whole.
bool has_events(const RowMeaning& meaning) {
    const RowFacets& facets = meaning.facets;
    return meaning.event.valid() || meaning.mentioned.valid() || meaning.place || !meaning.names.baseline.empty() ||
           !meaning.names.candidate.empty() || facets.step || facets.stream || facets.classes || facets.name ||
           facets.group;
}

bool has_ways(const RowMeaning& meaning) {
    return meaning.facets.rank || has_events(meaning) || meaning.listings.baseline || meaning.listings.candidate ||
           !meaning.unlisted.empty();
}

// Filter of a side for the events of a row, which may be of both runs.
core::Filter filter_of(Frame& frame, core::Side side, const RowMeaning& meaning) {
    RowFacets facets = meaning.facets;
    const bool has_names = !meaning.names.baseline.empty() || !meaning.names.candidate.empty();
    if (has_names) facets.name.reset();  // names are matched exactly
    core::Filter filter = narrowed_to(frame.candidate ? frame.session.filter() : frame.filter(), facets);
    if (meaning.time[side]) filter = core::with_term(filter, *meaning.time[side]);
    return frame.candidate ? frame.session.alignment()->filter_for(side, filter) : filter;
}

NamedEventQuery query_of(Frame& frame, const std::vector<std::string>& names, core::Filter filter) {
    NamedEventQuery query{.run = frame.run(), .names = names, .filter = std::move(filter)};
    for (std::size_t slot = 0; slot < query.run->ranks().size(); ++slot)
        query.selections.push_back(frame.results.find_selection(query.run, slot, query.filter));
    return query;
}

std::optional<std::uint32_t> find_partner_slot(const core::BySide<core::RunPtr>& runs,
                                               const core::RunAlignment& alignment, core::EventRef event) {
    if (!event.valid()) return std::nullopt;
    const std::optional<core::RankKey> key =
        alignment.partner_of_rank(core::Side::Baseline, runs.baseline->rank(event.slot).key);
    if (!key) return std::nullopt;
    const auto slot = std::ranges::find(runs.candidate->ranks(), *key, &core::RankSlot::key);
    return static_cast<std::uint32_t>(slot - runs.candidate->ranks().begin());
}

core::RunRange partner_range_of_step(const Frame& frame, const RowFacets& facets) {
    const core::RunAlignment& alignment = *frame.session.alignment();
    const std::optional<std::int64_t> step = alignment.partner_of_step(core::Side::Baseline, *facets.step);
    const std::optional<core::RankKey> rank =
        facets.rank ? alignment.partner_of_rank(core::Side::Baseline, *facets.rank) : std::nullopt;
    if (!step || rank.has_value() != facets.rank.has_value()) return {};
    return range_of_step(*frame.session.run(core::Side::Candidate), *step, rank);
}

// Locked views show both ranges at once.
void show_ranges(Frame& frame, core::BySide<core::RunRange> ranges) {
    const core::RunAlignment* alignment = frame.session.alignment();
    if (frame.candidate && frame.choices().locked && !ranges.baseline.empty() && !ranges.candidate.empty()) {
        const core::RunRange there = across(*alignment, core::Side::Candidate, ranges.candidate);
        ranges.baseline = {std::min(ranges.baseline.begin, there.begin), std::max(ranges.baseline.end, there.end)};
        ranges.candidate = across(*alignment, core::Side::Baseline, ranges.baseline);
    }
    for (const core::Side side : core::kSides)
        if (!ranges[side].empty()) frame.of(side).intents.push_back(ShowRange{ranges[side]});
}

// "rank 3 · compute"
std::string title_of_cells(const core::Table& table, std::size_t row, std::span<const std::size_t> columns) {
    std::string title;
    for (const std::size_t c : columns) {
        const core::Column& column = table.columns()[c];
        title += title.empty() ? "" : " \xC2\xB7 ";
        title += column.unit == core::Unit::Text ? std::string(table.text(row, c))
                                                 : column.name + " " + core::format_cell(table, row, c);
    }
    return title;
}

// Draws the entry that compares a rank or step with the median one of the same run.
void draw_inside(Frame& frame, const RowFacets& facets) {
    if (frame.candidate || (frame.session.comparing() && !frame.session.parts()) || frame.run()->ranks().empty())
        return;
    const auto offer = [&](const std::string& words, const CompareInside& compare) {
        if (!selectable(words.c_str(), false, 0, {text_width(ui_style(), words), 0})) return;
        frame.intents.push_back(compare);
        ImGui::CloseCurrentPopup();
    };
    if (facets.rank && frame.run()->ranks().size() > 1)
        offer("Compare rank " + core::format_rank(*facets.rank) + " with the median rank##compare-rank",
              {.kind = InsideKind::RankWithMedian, .rank = facets.rank});
    if (facets.step)
        offer("Compare step " + std::to_string(*facets.step) + " with the median step##compare-step",
              {.kind = InsideKind::StepWithMedian, .step = facets.step});
}

}  // namespace

Click click_kind() { return ImGui::GetIO().KeyCtrl ? Click::Add : Click::Replace; }

RowMeaning meaning_of(const Frame& frame, const core::Table& table, std::size_t row,
                      std::optional<core::RankKey> of_answer) {
    RowMeaning meaning;
    meaning.facets = facets_of(table, row);
    meaning.event = event_of(*frame.run(), table, row);
    meaning.mentioned = mentioned_event_of(*frame.run(), table, row, of_answer);
    meaning.place = place_of(*frame.run(), table, row);
    meaning.is_place = meaning.place && is_one_place(table);
    if (is_one_event(table, row) && !meaning.event.valid()) meaning.event = meaning.mentioned;
    if (meaning.facets.name) meaning.names[frame.side] = {*meaning.facets.name};
    add_listings(meaning, frame, table, row, frame.side, frame.side, key_columns_of(table));
    return meaning;
}

RowMeaning meaning_of(const Frame& frame, const core::Table& table, std::size_t row,
                      std::span<const std::size_t> columns) {
    RowMeaning meaning;
    meaning.facets = facets_of(table, row, columns);
    if (meaning.facets.name) meaning.names[frame.side] = {*meaning.facets.name};
    add_listings(meaning, frame, table, row, frame.side, frame.side, columns);
    return meaning;
}

RowMeaning meaning_of_facets(const Frame& frame, const RowFacets& facets, const std::string& title,
                             core::BySide<std::vector<std::string>> names) {
    RowMeaning meaning;
    const bool has_names = !names.baseline.empty() || !names.candidate.empty();
    meaning.names = std::move(names);
    meaning.facets = facets;
    const core::Result<RowFacets> keys =
        frame.candidate ? facets : named_by_baseline(facets, frame.session.alignment(), frame.side);
    if (!keys) {
        meaning.unlisted = keys.error().message;
        return meaning;
    }
    RowFacets narrowing = *keys;
    narrowing.name.reset();
    for (const core::Side of : core::kSides) {
        if (!frame.candidate && of != frame.side) continue;
        if (facets.name && !has_names) meaning.names[of] = {*facets.name};
        if (has_names && meaning.names[of].empty()) continue;  // this side has no such events
        meaning.listings[of] = EventListing{.side = of,
                                            .title = title,
                                            .narrowing = narrowed_to({}, narrowing),
                                            .names = meaning.names[of],
                                            .threads_first = false,
                                            .unsaid = {}};
    }
    return meaning;
}

void add_listings(RowMeaning& meaning, const Frame& frame, const core::Table& table, std::size_t row, core::Side side,
                  std::optional<core::Side> only, std::span<const std::size_t> columns) {
    if (meaning.event.valid()) return;  // the row is that event
    const bool is_whole = columns.size() == key_columns_of(table).size();
    const core::Result<RowFacets> keys =
        named_by_baseline(facets_of(table, row, columns), frame.session.alignment(), side);
    if (!keys) {
        meaning.unlisted = keys.error().message;
        return;
    }
    const bool has_names = !meaning.names.baseline.empty() || !meaning.names.candidate.empty();
    if (keys->empty() && !has_names) {
        meaning.unlisted = "Cannot list the events: no filter matches this row alone";
        return;
    }
    RowFacets facets = *keys;
    if (has_names) facets.name.reset();  // names are matched exactly
    for (const core::Side of : core::kSides) {
        if ((only && of != *only) || !frame.session.run(of)) continue;
        if (has_names && meaning.names[of].empty()) continue;
        meaning.listings[of] =
            EventListing{.side = of,
                         .title = is_whole ? core::name_of_row(table, row) : title_of_cells(table, row, columns),
                         .narrowing = narrowed_to({}, facets),
                         .names = meaning.names[of],
                         .threads_first = is_named_on_threads(table, row),
                         .unsaid = is_whole ? find_unsaid_keys(table, row) : std::string()};
    }
}

void RowClicks::filter(Frame& frame, const RowFacets& facets) {
    if (facets.empty()) return;
    frame.intents.push_back(SetFilter{kept_.click(frame.session.filter(), facets, click_kind())});
}

bool RowClicks::marks(const Frame& frame, const core::Table& table, std::size_t row) const {
    if (!kept_.is_in_force(frame.session.filter())) return false;
    const core::Result<RowFacets> facets =
        named_by_baseline(facets_of(table, row), frame.session.alignment(), frame.side);
    return facets && kept_.marks(frame.session.filter(), *facets, class_of_row(table, row));
}

bool RowClicks::marks(const Frame& frame, const core::Result<RowMeaning>& row,
                      std::optional<core::ClassSet> classes) const {
    return row && kept_.marks(frame.session.filter(), row->facets, classes);
}

bool RowClicks::revert_click(Frame& frame) {
    std::optional<core::Filter> before = kept_.filter_before_click(frame.session.filter());
    if (!before) return false;
    kept_.end();
    frame.intents.push_back(SetFilter{*std::move(before)});
    return true;
}

void RowClicks::refuse(const Frame& frame, const core::Error& why) {
    refusal_ = why.message;
    refused_in_ = frame.session.filter();
}

void RowClicks::filter_by(Frame& frame, const RowFacets& facets) {
    refusal_.clear();
    const core::Result<RowFacets> named = named_by_baseline(facets, frame.session.alignment(), frame.side);
    if (!named) return refuse(frame, named.error());
    filter(frame, *named);
}

void RowClicks::filter_by_row(Frame& frame, const core::Result<RowMeaning>& row) {
    refusal_.clear();
    if (!row) return refuse(frame, row.error());
    filter(frame, row->facets);
}

void RowClicks::handle(Frame& frame, const TableHit& hit, ImVec2 min, ImVec2 max,
                       const std::function<core::Result<RowMeaning>(std::size_t row)>& meaning, bool has_menu) {
    if (hit.clicked) {
        has_clicked_ = false;
        core::Result<RowMeaning> row = meaning(*hit.clicked);
        if (!row) return refuse(frame, row.error());
        clicked_ = *std::move(row);
        has_clicked_ = true;
        refusal_.clear();
        if (clicked_.event.valid())
            frame.intents.push_back(SelectEvent{clicked_.event, false});
        else if (clicked_.is_place)
            mark_place(*clicked_.place, frame.intents);
        else if (frame.candidate)
            filter(frame, clicked_.facets);
        else
            filter_by(frame, clicked_.facets);
    }
    if (hit.escaped && revert_click(frame)) frame.intents.push_back(TakeEscape{});
    if (hit.shown)
        if (const core::Result<RowMeaning> row = meaning(*hit.shown)) go_to(frame, *row);
    // The first click may have changed the rows, so another row may be under the pointer now.
    if (has_clicked_ && ImGui::IsMouseHoveringRect(min, max) && ImGui::IsMouseDoubleClicked(0)) go_to(frame, clicked_);
    const bool listed = hit.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
    if (has_menu) {
        if (listed) chart_export().claim();
        return;
    }
    if (listed) open_menu(meaning(*hit.hovered));
    draw_menu(frame);
}

void RowClicks::open_menu(const core::Result<RowMeaning>& row) {
    of_menu_ = {};
    if (row)
        of_menu_ = *row;
    else
        of_menu_.unlisted = row.error().message;
    const bool taken = chart_export().claim();
    offered_ = has_ways(of_menu_) || taken;
}

void RowClicks::draw_menu(Frame& frame) {
    if (std::exchange(offered_, false)) ImGui::OpenPopup("row");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup("row");
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    const ItemScope scope("row-menu");
    close_on_escape();
    draw_ways(frame, of_menu_);
    ImGui::EndPopup();
}

void RowClicks::draw_ways(Frame& frame, const RowMeaning& meaning) {
    draw_show(frame, meaning);
    draw_inside(frame, meaning.facets);
    const float width = text_width(ui_style(), "List the events of the candidate");
    for (const core::Side side : core::kSides) {
        const std::optional<EventListing>& listing = meaning.listings[side];
        if (!listing) continue;
        const std::string name(core::name_of(side));
        const std::string words = frame.candidate ? "List the events of the " + name + "##list-" + name
                                                  : std::string("List the events##list");
        if (!selectable(words.c_str(), false, 0, {width, 0})) continue;
        frame.intents.push_back(ListEvents{*listing});
        ImGui::CloseCurrentPopup();
    }
    if (!meaning.unlisted.empty()) {
        ImGui::PushTextWrapPos(px(300));
        muted_text(meaning.unlisted);
        record_item("##unlisted");
        ImGui::PopTextWrapPos();
    }
    chart_export().draw_entries(frame);
}

void RowClicks::draw_show(Frame& frame, const RowMeaning& meaning) {
    if (!has_events(meaning)) return;
    const char* words = "Show on the timeline##show";
    if (frame.candidate) words = "Show on the timelines##show";
    if (!selectable(words, false, 0, {text_width(ui_style(), "Show on the timelines"), 0})) return;
    go_to(frame, meaning);
    ImGui::CloseCurrentPopup();
}

void RowClicks::go_to(Frame& frame, const RowMeaning& meaning) {
    if (meaning.place) return show_place(*meaning.place, frame.intents);
    const core::EventRef event = meaning.event.valid() ? meaning.event : meaning.mentioned;
    if (event.valid()) return frame.intents.push_back(SelectEvent{event, true});
    if (!has_events(meaning)) return;
    const RowFacets& facets = meaning.facets;
    const bool has_names = !meaning.names.baseline.empty() || !meaning.names.candidate.empty();
    if (!has_names && facets.step) {
        core::BySide<core::RunRange> ranges;
        ranges[frame.side] = range_of_step(*frame.run(), *facets.step, facets.rank);
        if (frame.candidate) ranges.candidate = partner_range_of_step(frame, facets);
        return show_ranges(frame, ranges);
    }
    wanted_ = {};
    for (const core::Side side : core::kSides) {
        if (!frame.candidate && side != frame.side) continue;
        if (has_names && meaning.names[side].empty()) continue;
        wanted_[side] = query_of(frame.of(side), meaning.names[side], filter_of(frame, side, meaning));
        if (frame.candidate) wanted_[side].from = frame.session.alignment()->anchor[side];
    }
    ++searches_;
    going_ = true;
}

// The search runs on the pool; the timeline moves when it is done.
void RowClicks::poll_search(Frame& frame) {
    if (refused_in_ != frame.session.filter()) refusal_.clear();
    for (const core::Side side : core::kSides)
        if (wanted_[side].run && wanted_[side].run != frame.session.run(side)) going_ = false;
    if (!going_) {
        wanted_ = {};
        return;
    }
    const core::RunAlignment alignment = frame.candidate ? *frame.session.alignment() : core::RunAlignment{};
    const auto found =
        found_.ask(frame.session.pool(), searches_, [wanted = wanted_, alignment](const core::JobContext& job) {
            Found events;
            if (wanted.baseline.run) events.baseline = find_named_event(wanted.baseline, job);
            if (!wanted.candidate.run) return events;
            NamedEventQuery candidate = wanted.candidate;
            if (wanted.baseline.run)
                candidate.slot =
                    find_partner_slot({wanted.baseline.run, wanted.candidate.run}, alignment, events.baseline);
            events.candidate = find_named_event(candidate, job);
            return events;
        });
    if (!found_.fresh()) return;
    going_ = false;
    if (found) show(frame, *found);
    wanted_ = {};
}

void RowClicks::show(Frame& frame, const Found& found) {
    for (const core::Side side : core::kSides)
        if (found[side].valid()) frame.of(side).intents.push_back(SelectEvent{found[side], true});
    if (!found.baseline.valid() || !found.candidate.valid() || !frame.choices().locked) return;
    core::BySide<core::RunRange> ranges;
    for (const core::Side side : core::kSides) ranges[side] = with_room(frame.session.run(side)->range_of(found[side]));
    show_ranges(frame, ranges);
}

void RowClicks::draw_refusal() {
    if (!refusal_.empty()) fitted_text(refusal_, color::palette().warning);
}

KeepsRows::KeepsRows(Frame& frame, const RowClicks& clicks) : frame_(frame) {
    const core::Filter& now = frame.session.filter();
    if (!clicks.kept().is_in_force(now)) return;
    filters_.emplace();
    filters_->named = clicks.kept().filter_for(now);
    const core::RunAlignment* alignment = frame.session.alignment();
    for (const core::Side side : core::kSides)
        filters_->of[side] = alignment ? alignment->filter_for(side, filters_->named) : filters_->named;
    frame_.kept = &*filters_;
    if (frame_.candidate) frame_.candidate->kept = &*filters_;
}

KeepsRows::~KeepsRows() {
    frame_.kept = nullptr;
    if (frame_.candidate) frame_.candidate->kept = nullptr;
}

}  // namespace ui
