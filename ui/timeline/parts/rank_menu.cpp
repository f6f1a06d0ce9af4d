#include "ui/timeline/parts/rank_menu.hpp"

#include "core/base/format.hpp"
#include "core/base/short_name.hpp"
#include "ui/style/items.hpp"
#include "ui/style/menu_items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr const char* kDown = " \xE2\x86\x93";

constexpr float kRankButtonShare = 0.55f;  // maximum share of the corner's width

// Draws an entry; true when chosen. `chosen` marks the current choice.
bool offer_rank_choice(const char* id, const std::string& words, bool chosen, bool enabled = true) {
    const bool pressed = menu_item(words.c_str(), nullptr, chosen, enabled);
    record_item(id);
    return (enabled && takes_typed(words)) || pressed;
}

void quiet_title(const char* words) {
    const FontScope small(small_style());
    text(words, color::palette().muted);
}

bool begin_rank_menu(const char* id) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup(id);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (shown) close_on_escape();
    return shown;
}

// "1 rank and 3 rows hidden · show"; empty if nothing is hidden.
std::string format_hidden(std::size_t ranks, std::size_t rows) {
    std::string words;
    if (ranks > 0) words = core::format_plural(ranks, "rank", "ranks");
    if (rows > 0) words += (words.empty() ? "" : " and ") + core::format_plural(rows, "row", "rows");
    return words.empty() ? words : words + " hidden \xC2\xB7 show";
}

RankChoices without_hidden(RankChoices choices) {
    choices.hidden.clear();
    choices.hidden_rows.clear();
    return choices;
}

// Kernel whose duration sorts the ranks, or would.
std::string find_kernel(const TimelineFrame& f) {
    const RankChoices chosen = change_ranks(f.choices().ranks, RankChange::SortBySelected, *f.run, f.view.selected,
                                            f.choices().chosen_kernels);
    return chosen.kernel;
}

void offer_sorts(TimelineFrame& f) {
    const RankChoices& now = f.choices().ranks;
    for (const RankSort sort : kRankSorts) {
        if (sort == RankSort::Measure) continue;
        RankChoices next = sorted_by(now, sort);
        std::string words(name_of(sort));
        if (sort == RankSort::Kernel) {
            next.kernel = find_kernel(f);
            words = next.kernel.empty() ? "duration of a kernel: select one"
                                        : "duration of " + core::short_name(next.kernel).brief;
        }
        const std::string id = "##sort:" + std::string(name_of(sort));
        const bool can_be = sort != RankSort::Kernel || !next.kernel.empty();
        if (offer_rank_choice(id.c_str(), words, now.sort == sort, can_be)) f.frame.intents.push_back(SetRanks{next});
    }
}

nlohmann::json describe_slots(const core::Run& run, const std::vector<std::uint32_t>& slots) {
    nlohmann::json ranks = nlohmann::json::array();
    for (const std::uint32_t slot : slots)
        if (slot < run.ranks().size()) ranks.push_back(core::format_rank(run.rank(slot).key));
    return ranks;
}

}  // namespace

std::int64_t RankMenu::name_of_slot(const TimelineFrame& f, std::uint32_t slot) const {
    return slot < names_.size() ? names_[slot] : f.run->rank(slot).key.packed();
}

// Null until they are computed.
std::shared_ptr<const RankMeasures> RankMenu::measure(TimelineFrame& f, Deferred<MeasureKey, RankMeasures>& made,
                                                      const core::Request& request, const RankChoices& by) {
    if (!request.fresh || !request.answer) return nullptr;
    const MeasureKey key{.answer = request.answer, .sort = by.sort, .kernel = by.kernel, .measure = by.measure};
    auto measures = made.ask(f.frame.session.pool(), key,
                             [answer = key.answer, by] { return measure_ranks(answer->tables.front().table, by); });
    return made.fresh() ? measures : nullptr;
}

// Keeps known measures while another is computed.
void RankMenu::ask_measures(TimelineFrame& f) {
    const RankChoices& wanted = f.choices().ranks;
    busy_ = false;
    error_.clear();
    if (wanted.sort == RankSort::Rank) {
        sorting_.choices = wanted;
        sorting_.measures = nullptr;
        return;
    }
    const std::string analysis = analysis_of(wanted);
    if (analysis.empty()) {
        error_ = "there is no measure '" + wanted.measure + "'";
        return;
    }
    const core::Request request = ask(f.frame, "timeline-ranks", analysis);
    error_ = request.error;
    std::shared_ptr<const RankMeasures> measures = measure(f, made_, request, wanted);
    busy_ = request.pending() || (request.fresh && request.answer && !measures && !made_.fresh());
    RankChoices choices = wanted;
    if (measures && !busy_) {
        sorting_.measures = std::move(measures);
    } else {
        choices.sort = sorting_.choices.sort;
        choices.kernel = sorting_.choices.kernel;
        choices.measure = sorting_.choices.measure;
        if (choices.sort != wanted.sort) choices.descending = sorting_.choices.descending;
    }
    sorting_.choices = std::move(choices);
}

// Only needed for many ranks in folded groups. Skipped in a comparison, whose rows are pairs.
void RankMenu::ask_worst(TimelineFrame& f, const RankOrder& order) {
    const bool folded = std::ranges::any_of(order.sections, &RankOrder::Section::folded);
    if (!folded || !f.choices().ranks.worst_on_top || f.frame.session.comparing()) {
        sorting_.worst = nullptr;
        return;
    }
    RankChoices by;
    by.sort = RankSort::Caused;
    const core::Request request = ask(f.frame, "timeline-worst", analysis_of(by));
    if (!request.error.empty()) sorting_.worst = nullptr;
    auto measures = measure(f, made_worst_, request, by);
    busy_ = busy_ || request.pending() || (request.fresh && request.answer && !measures && !made_worst_.fresh());
    if (measures) sorting_.worst = std::move(measures);
}

// Submenus with the measures of each analysis.
void RankMenu::offer_measures(TimelineFrame& f) {
    const RankChoices& now = f.choices().ranks;
    if (!begin_menu("another measure")) return record_item("##sort:other");
    record_item("##sort:other");
    std::string_view open;
    bool shown = false;
    for (const OtherMeasure& one : other_measures()) {
        if (one.analysis != open) {
            if (shown) ImGui::EndMenu();
            open = one.analysis;
            shown = begin_menu(std::string(open).c_str());
        }
        const bool chosen = now.sort == RankSort::Measure && now.measure == one.id;
        if (!shown || !offer_rank_choice(("##sort:" + one.id).c_str(), std::string(one.column), chosen)) continue;
        RankChoices next = sorted_by(now, RankSort::Measure);
        next.measure = one.id;
        f.frame.intents.push_back(SetRanks{std::move(next)});
    }
    if (shown) ImGui::EndMenu();
    ImGui::EndMenu();
}

void RankMenu::update(TimelineFrame& f, TimelineRows& rows) {
    update_names(rows);
    ask_measures(f);
    ask_worst(f, rows.order());
    sorting_.names = names_;
    sorting_.only = rows.sorting().only;
    if (sorting_ == rows.sorting()) return;
    rows.sort_ranks(sorting_);
    busy_ = true;  // rows have moved in the next frame
}

void RankMenu::draw_menu(TimelineFrame& f, const TimelineRows& rows) {
    if (grouped_run_ != f.run->id()) {
        grouped_run_ = f.run->id();
        groupings_ = collect_groupings(*f.run);
    }
    const RankChoices& now = f.choices().ranks;
    const auto set = [&](auto change) {
        RankChoices next = now;
        change(next);
        f.frame.intents.push_back(SetRanks{std::move(next)});
    };
    quiet_title("Sort ranks by");
    offer_sorts(f);
    offer_measures(f);
    ImGui::Separator();
    if (offer_rank_choice("##descending", "Highest first", now.descending))
        set([](RankChoices& next) { next.descending = !next.descending; });
    ImGui::Separator();
    quiet_title("Group by");
    if (offer_rank_choice("##group:none", "nothing", now.grouping.empty()))
        set([](RankChoices& next) { next.grouping.clear(); });
    for (const RankGrouping& way : groupings_)
        if (offer_rank_choice(("##group:" + way.id).c_str(), way.title + "##" + way.id, now.grouping == way.id))
            set([&](RankChoices& next) { next.grouping = way.id; });
    if (!now.grouping.empty()) {
        ImGui::Separator();
        if (offer_rank_choice("##fold-all", "Fold all groups", false))
            set([](RankChoices& next) { next = fold_all_groups(std::move(next), true); });
        if (offer_rank_choice("##unfold-all", "Unfold all groups", false))
            set([](RankChoices& next) { next = fold_all_groups(std::move(next), false); });
        if (offer_rank_choice("##worst", "Worst ranks of folded groups on top", now.worst_on_top))
            set([](RankChoices& next) { next.worst_on_top = !next.worst_on_top; });
    }
    if (groupings_.empty()) quiet_title("the traces name neither nodes nor process groups");
    const bool any_pinned = !now.pinned.empty() || !now.pinned_rows.empty();
    const bool any_hidden = !rows.order().hidden.empty() || !now.hidden_rows.empty();
    if (!any_pinned && !any_hidden) return;
    ImGui::Separator();
    if (any_pinned && offer_rank_choice("##unpin-all", "Unpin all", false))
        set([](RankChoices& next) {
            next.pinned.clear();
            next.pinned_rows.clear();
        });
    if (any_hidden && offer_rank_choice("##show-hidden", "Show what is hidden", false))
        set([](RankChoices& next) { next = without_hidden(std::move(next)); });
}

void RankMenu::draw_row_menu(TimelineFrame& f) {
    const RankChoices& now = f.choices().ranks;
    const std::string rank = " of rank " + core::format_rank(menu_key_);
    const bool pinned = has_track(now.pinned_rows, menu_rank_, menu_track_);
    std::optional<RankChoices> next;
    const auto offer = [&](const char* id, const std::string& words, auto change) {
        if (!offer_rank_choice(id, words, false)) return;
        next = now;
        change(*next);
    };
    if (pinned) {
        offer("##unpin-row", "Unpin " + menu_track_,
              [&](RankChoices& to) { remove_row(to.pinned_rows, menu_rank_, menu_track_); });
    } else {
        offer("##pin-row", "Pin " + menu_track_ + rank, [&](RankChoices& to) {
            add_row(to.pinned_rows, {menu_rank_, menu_track_});
        });
        offer("##pin-row-everywhere", "Pin " + menu_track_ + " of every rank", [&](RankChoices& to) {
            add_row(to.pinned_rows, {kEveryRank, menu_track_});
        });
    }
    if (menu_hides_) {
        offer("##hide-row", "Hide " + menu_track_ + rank, [&](RankChoices& to) {
            add_row(to.hidden_rows, {menu_rank_, menu_track_});
        });
        offer("##hide-row-everywhere", "Hide " + menu_track_ + " of every rank", [&](RankChoices& to) {
            add_row(to.hidden_rows, {kEveryRank, menu_track_});
        });
    }
    if (next) f.frame.intents.push_back(SetRanks{*std::move(next)});
    ImGui::Separator();
}

void RankMenu::draw_rank_menu(TimelineFrame& f) {
    const RankChoices& now = f.choices().ranks;
    const std::string rank = "rank " + core::format_rank(menu_key_);
    const auto set = [&](RankChoices next) { f.frame.intents.push_back(SetRanks{std::move(next)}); };
    RankChoices next = now;
    const bool pinned = now.pinned.contains(menu_rank_);
    if (offer_rank_choice("##pin", (pinned ? "Unpin " : "Pin ") + rank, false)) {
        flip_membership(next.pinned, menu_rank_);
        return set(next);
    }
    if (offer_rank_choice("##hide", "Hide " + rank, false)) {
        next.hidden.insert(menu_rank_);
        return set(next);
    }
    if (offer_rank_choice("##hide-others", "Hide all others", false)) {
        return set(hide_others(std::move(next), collect_rank_names(f.frame.session), menu_rank_));
    }
    if (f.run->ranks().size() > 1 && (!f.frame.session.comparing() || f.frame.session.parts())) {
        ImGui::Separator();
        if (offer_rank_choice("##compare-median", "Compare " + rank + " with the median rank", false))
            f.frame.intents.push_back(CompareInside{InsideKind::RankWithMedian, menu_key_, {}});
        if (offer_rank_choice("##compare-others", "Compare " + rank + " with all other ranks", false))
            f.frame.intents.push_back(CompareInside{InsideKind::RanksWithOthers, menu_key_, {}});
    }
    ImGui::Separator();
    quiet_title("Sort ranks by");
    offer_sorts(f);
}

void RankMenu::draw_button(TimelineFrame& f, const TimelineRows& rows) {
    const RankChoices& now = f.choices().ranks;
    const RankChoices& shown = error_.empty() ? now : sorting_.choices;
    std::string words = "by " + name_of_sort(shown);
    const bool as_it_comes = now.sort == RankSort::Rank;
    if (shown.descending) words += kDown;
    if (busy_ && !as_it_comes) words += "\xE2\x80\xA6";
    const float room = f.corner.width() * kRankButtonShare;
    words = fit_text(small_style(), words, room - px(22));
    const float width = text_width(small_style(), words) + px(24);
    button_width_ = width;
    const Box box{{f.corner.max.x - px(6) - width, f.corner.min.y + px(6)},
                  {f.corner.max.x - px(6), f.corner.min.y + px(25)}};
    ImGui::SetCursorScreenPos(box.min);
    const bool pressed = invisible_button("##ranks", {box.width(), box.height()});
    record_item("##ranks");
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (hovered) list->AddRectFilled(box.min, box.max, color::palette().line, px(3));
    const float y = box.min.y + std::floor((box.height() - small_style().size_px) / 2);
    const bool changed = !(now == RankChoices{});
    draw_text(list, small_style(), {box.min.x + px(6), y},
              hovered || changed ? color::palette().text : color::palette().muted, words);
    const ImVec2 tip{box.max.x - px(10), std::floor(box.min.y + box.height() / 2)};
    list->AddTriangleFilled({tip.x - px(4), tip.y - px(2)}, {tip.x + px(4), tip.y - px(2)}, {tip.x, tip.y + px(3)},
                            color::palette().muted);
    if (pressed) ImGui::OpenPopup("rank-order");
    const std::string failed = error_.empty() ? std::string() : "\nNot by " + name_of_sort(now) + ": " + error_;
    if (hovered)
        ImGui::SetTooltip("How ranks are sorted and grouped\nRight click on a rank: pin or hide it%s", failed.c_str());
    if (begin_rank_menu("rank-order")) {
        const ItemScope scope("rank-order");
        draw_menu(f, rows);
        ImGui::EndPopup();
    }
}

// Draws in a line of the corner that is otherwise empty.
void RankMenu::draw_hidden(TimelineFrame& f, const TimelineRows& rows) {
    const std::string words = format_hidden(rows.order().hidden.size(), rows.hidden_rows());
    if (words.empty() || (f.choices().critical_path && f.choices().series_lanes)) return;
    const float y =
        f.choices().critical_path ? f.corner.max.y - small_style().size_px - px(5) : f.corner.min.y + px(29);
    const ImVec2 min{f.corner.min.x + px(10), y};
    const ImVec2 size{std::min(text_width(small_style(), words) + px(2), f.corner.width() - px(20)),
                      small_style().size_px + px(3)};
    ImGui::SetCursorScreenPos(min);
    const bool pressed = invisible_button("##hidden-ranks", size);
    record_item("##hidden-ranks");
    draw_text(ImGui::GetWindowDrawList(), small_style(), min,
              ImGui::IsItemHovered() ? color::palette().text : color::palette().accent, words, size.x);
    if (!pressed) return;
    f.frame.intents.push_back(SetRanks{without_hidden(f.choices().ranks)});
}

bool RankMenu::show_row(TimelineFrame& f, std::uint32_t slot, std::uint32_t track) const {
    if (f.choices().ranks.hidden_rows.empty()) return false;
    const std::string name = name_tracks(f.run->rank(slot).trace())[track];
    if (!has_track(f.choices().ranks.hidden_rows, name_of_slot(f, slot), name)) return false;
    RankChoices next = f.choices().ranks;
    remove_row(next.hidden_rows, name_of_slot(f, slot), name);
    f.frame.intents.push_back(SetRanks{std::move(next)});
    return true;
}

void RankMenu::draw(TimelineFrame& f, const TimelineRows& rows) {
    draw_button(f, rows);
    draw_hidden(f, rows);
    if (const auto slot = std::exchange(opened_, std::nullopt); slot && *slot < f.run->ranks().size()) {
        menu_key_ = f.run->rank(*slot).key;
        menu_rank_ = name_of_slot(f, *slot);
        menu_track_ = opened_track_ ? name_tracks(f.run->rank(*slot).trace())[*opened_track_] : opened_pin_;
        menu_hides_ = opened_track_.has_value();
        ImGui::OpenPopup("rank");
    }
    if (!begin_rank_menu("rank")) return;
    const ItemScope scope("rank");
    if (!menu_track_.empty()) draw_row_menu(f);
    draw_rank_menu(f);
    ImGui::EndPopup();
}

void RankMenu::update_names(const TimelineRows& rows) { names_ = rows.sorting().names; }

void RankMenu::show(TimelineFrame& f, std::uint32_t slot, const RankOrder& order) const {
    RankChoices next = f.choices().ranks;
    next.hidden.erase(name_of_slot(f, slot));
    for (const RankOrder::Section& section : order.sections)
        if (section.folded && std::ranges::find(section.slots, slot) != section.slots.end())
            fold_group(next, section.title, false);
    f.frame.intents.push_back(SetRanks{std::move(next)});
}

void RankMenu::describe(nlohmann::json& shown, const core::Run& run, const RankOrder& order,
                        const RankSorting& sorting) {
    shown["sort"] = name_of(sorting.choices.sort);
    shown["descending"] = sorting.choices.descending;
    shown["grouping"] = sorting.choices.grouping;
    shown["order"] = nlohmann::json::array();
    shown["pinned"] = nlohmann::json::array();
    shown["groups"] = nlohmann::json::array();
    for (const RankOrder::Section& section : order.sections) {
        const nlohmann::json ranks = describe_slots(run, section.slots);
        for (const nlohmann::json& rank : ranks) shown["order"].push_back(rank);
        if (section.pinned)
            shown["pinned"] = ranks;
        else
            shown["groups"].push_back({{"title", section.title}, {"ranks", ranks}, {"folded", section.folded}});
    }
    shown["hidden"] = describe_slots(run, order.hidden);
}

}  // namespace ui
