// Findings, one card per kind: a sentence, the simulated gain of fixing it (or an upper limit until it is simulated),
// remedies, and its ranks as bars and its places along the run's time. A click shows the evidence on the timeline,
// Shift+click filters by the ranks.

#include "core/analysis/catalogue/registry.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/gap_evidence.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/findings_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/wrap.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/key_list.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace ui {
namespace {

constexpr std::size_t kMostRanksShown = 8;
constexpr std::size_t kMostTextBytes = 700;
constexpr float kEvidenceLabel = 48;  // sizes at scale 1
constexpr float kBarsHeight = 26;
constexpr float kWidestBar = 18;
constexpr float kNarrowestBar = 3;
constexpr float kPlacesHeight = 12;
constexpr float kNearPlace = 4;  // distance from the pointer

struct FindingsKey {
    WeakKey<core::Run> run;
    core::Filter filter;
    core::AnswerPtr findings;
    core::AnswerPtr what_to_do;  // null: not known yet
    bool operator==(const FindingsKey&) const = default;
};

ImU32 color_of_severity(std::string_view severity) {
    if (severity == "high") return color::palette().error;
    return severity == "medium" ? color::palette().warning : color::palette().muted;
}

class FindingsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return model_.busy() || replaying_; }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_card(Frame& frame, const FindingCard& card);
    void draw_words(Frame& frame, const FindingCard& card);
    void draw_ranks(Frame& frame, const FindingCard& card);
    void draw_bars(Frame& frame, const FindingCard& card);
    void draw_places(Frame& frame, const FindingCard& card);
    void draw_links(Frame& frame, const FindingCard& card);
    static void show_place_of(Frame& frame, core::EventRef event, core::RunRange range);
    static void show(Frame& frame, const FoundRank& found);
    static void filter_by(Frame& frame, std::span<const FoundRank> ranks);

    Deferred<FindingsKey, FindingsModel> model_;
    std::shared_ptr<const FindingsModel> shown_;
    std::string why_empty_;
    KeyList keys_;
    bool fresh_ = false;
    bool replaying_ = false;  // gains of fixing are not simulated yet
};

// Shows the event with half its length on both sides, or the gap before it and what the host did in it.
void FindingsPanel::show_place_of(Frame& frame, core::EventRef event, core::RunRange range) {
    const core::Run& run = *frame.run();
    RowPlace place{.range = range, .event = event, .rows = {}};
    if (event.valid() && event.slot < run.ranks().size()) place.rows = rows_of_streams(run.rank(event.slot));
    if (const std::optional<GapEvidence> gap = find_gap_evidence(run, std::move(place)))
        return show_gap(run, *gap, frame.intents);
    if (event.valid()) frame.intents.push_back(SelectEvent{event, true});
    const core::Duration margin = std::max(range.length() / 2, core::Duration{1'000});
    frame.intents.push_back(ShowRange{{range.begin - margin, range.end + margin}});
}

void FindingsPanel::show(Frame& frame, const FoundRank& found) {
    if (found.place) return show_place_of(frame, found.event, *found.place);
    if (found.event.valid()) frame.intents.push_back(SelectEvent{found.event, true});
}

void FindingsPanel::filter_by(Frame& frame, std::span<const FoundRank> ranks) {
    std::vector<core::RankKey> keys;
    for (const FoundRank& found : ranks) keys.push_back(found.rank);
    std::ranges::sort(keys);
    frame.intents.push_back(SetFilter{with_cells(frame.session.filter(), keys, {})});
}

void FindingsPanel::draw_words(Frame& frame, const FindingCard& card) {
    ImGui::BeginGroup();
    {
        const FontScope font(heading_style());
        wrapped_text(cut_text(card.headline, kMostTextBytes));
    }
    // The simulated gain replaces the rule's upper limit, which is never smaller.
    const std::string& cost = card.saves.empty() ? card.cost : card.saves;
    if (!cost.empty()) wrapped_text(cost, color_of_severity(card.severity));
    if (!card.evidence.empty()) wrapped_text(cut_text(card.evidence, kMostTextBytes));
    wrapped_text(card.advice, color::palette().muted);
    if (!card.explains.empty())
        wrapped_text("Explains: " + cut_text(card.explains, kMostTextBytes), color::palette().muted);
    ImGui::EndGroup();
    record_item("##card:" + card.id);
    if (card.ranks.empty() || !fresh_) return;
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip("Click: show the evidence on the timeline. Shift+click: filter by the ranks.");
    if (!ImGui::IsItemClicked()) return;
    if (ImGui::GetIO().KeyShift)
        filter_by(frame, card.ranks);
    else
        show(frame, card.ranks.front());
}

// Whether the finding is of ranks that do not do what the others do.
bool is_of_culprits(const FindingCard& card) {
    constexpr std::string_view kOfCulprits[] = {"late-rank", "unbalanced-kernels", "clocks-low-rank"};
    return !card.ranks.empty() && std::ranges::find(kOfCulprits, card.id) != std::end(kOfCulprits);
}

// Analyses that show more, and the worst rank compared with its peers.
void FindingsPanel::draw_links(Frame& frame, const FindingCard& card) {
    const bool compares = is_of_culprits(card) && frame.run()->ranks().size() > 1 && !frame.session.alignment();
    if (card.links.empty() && !compares) return;
    const ItemScope scope("card:" + card.id);
    bool first = true;
    const auto draw = [&](const std::string& label, std::string_view hint) {
        const float width = text_width(ui_style(), label.substr(0, label.find("##"))) + px(16);
        if (!std::exchange(first, false)) same_line_for(width, px(4));
        const bool clicked = button(label.c_str());
        tooltip(hint);
        return clicked && fresh_;
    };
    for (const core::FindingLink& link : card.links)
        if (draw(std::string(link.label) + "##link:" + std::string(link.analysis), "Shows the analysis."))
            frame.intents.push_back(ShowAnalysis{std::string(link.analysis)});
    if (!compares) return;
    const core::RankKey worst = card.ranks.front().rank;
    const std::string rank = "rank " + core::format_rank(worst);
    const auto compare = [&](InsideKind kind) {
        frame.intents.push_back(CompareInside{.kind = kind, .rank = worst, .step = {}});
        frame.intents.push_back(ShowPanel{"compare"});
    };
    if (draw("Compare " + rank + " with the others##compare", "Opens " + rank + " beside all other ranks."))
        compare(InsideKind::RanksWithOthers);
    if (frame.run()->ranks().size() > 2 &&
        draw("with the others' median##compare-median", "Opens " + rank + " beside the rank in the middle."))
        compare(InsideKind::RankWithMedian);
}

std::string tooltip_of(const FoundRank& found) {
    const std::string gain = found.gain ? ": " + core::format_duration(core::Duration{*found.gain}) + ", " +
                                              core::format_ratio(found.share) + " of its window"
                                        : std::string();
    return "Rank " + core::format_rank(found.rank) + gain + "\n" + cut_text(found.evidence, kMostTextBytes) +
           "\nClick: show it. Shift+click: filter by the rank.";
}

// The worst ranks, underlined in proportion to the largest gain.
void FindingsPanel::draw_ranks(Frame& frame, const FindingCard& card) {
    if (card.ranks.size() < 2) return;
    const ItemScope scope("card:" + card.id);
    const std::size_t count = std::min(card.ranks.size(), kMostRanksShown);
    for (std::size_t i = 0; i < count; ++i) {
        const FoundRank& found = card.ranks[i];
        const std::string rank = core::format_rank(found.rank);
        const std::string gain = found.gain ? "  " + core::format_duration(core::Duration{*found.gain}) : std::string();
        const std::string label = "Rank " + rank + gain + "##rank:" + rank;
        const float width = text_width(ui_style(), label.substr(0, label.find("##"))) + px(12);
        if (i > 0) same_line_for(width, px(4));
        if (quiet_button(label.c_str()) && fresh_) {
            if (ImGui::GetIO().KeyShift)
                filter_by(frame, {&found, 1});
            else
                show(frame, found);
        }
        tooltip(tooltip_of(found));
        const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
        const double share = static_cast<double>(found.gain.value_or(0)) /
                             static_cast<double>(std::max<std::int64_t>(1, card.ranks.front().gain.value_or(0)));
        draw_rect(ImGui::GetWindowDrawList(), {min.x, max.y - px(2)},
                  {min.x + std::floor((max.x - min.x) * static_cast<float>(std::clamp(share, 0.0, 1.0))), max.y},
                  color::mix(color::palette().panel, color_of_severity(card.severity), 0.7f));
    }
    if (card.ranks.size() == count) return;
    const std::string more = core::format_count(card.ranks.size() - count) + " more##more";
    same_line_for(text_width(ui_style(), more), px(8));
    if (quiet_button(more.c_str())) frame.intents.push_back(ShowAnalysis{"findings"});
    tooltip("The analysis findings lists every rank.");
}

// Possible gain of each rank, by number, if there are more than fit as buttons. Ranks may share a pixel column.
void FindingsPanel::draw_bars(Frame& frame, const FindingCard& card) {
    if (card.ranks.size() <= kMostRanksShown) return;
    const ItemScope scope("card:" + card.id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = at.x + px(kEvidenceLabel);
    const float room = std::max(px(40), ImGui::GetContentRegionAvail().x - px(kEvidenceLabel));
    const auto fit = static_cast<std::size_t>(std::max(8.0f, room / px(kNarrowestBar)));
    const std::size_t bars = std::min(card.ranks.size(), fit);
    // The rank with the largest gain among those that share a bar.
    const auto rank_of_bar = [&](std::size_t bar) {
        const std::size_t first = bar * card.ranks.size() / bars, last = (bar + 1) * card.ranks.size() / bars;
        const auto begin = card.by_number.begin() + static_cast<std::ptrdiff_t>(first);
        return &card.ranks[*std::min_element(begin, begin + static_cast<std::ptrdiff_t>(last - first))];
    };
    const std::int64_t most = std::max<std::int64_t>(1, card.ranks.front().gain.value_or(0));
    const float pitch = std::min(px(kWidestBar), room / static_cast<float>(bars));
    const float width = pitch * static_cast<float>(bars);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, small_style(), {at.x, at.y + px(kBarsHeight - 16)}, color::palette().faint, "Ranks");
    ImGui::SetCursorScreenPos({left, at.y});
    const bool clicked = invisible_button("##bars", {width, px(kBarsHeight)});
    record_item("##bars");
    const bool hovered = ImGui::IsItemHovered();
    const auto pointed = static_cast<std::size_t>(std::max(0.0f, (ImGui::GetIO().MousePos.x - left) / pitch));
    const float bottom = at.y + px(kBarsHeight);
    for (std::size_t i = 0; i < bars; ++i) {
        const FoundRank& found = *rank_of_bar(i);
        const float x = std::floor(left + pitch * static_cast<float>(i));
        const float end = std::max(x + 1, std::floor(x + pitch) - (pitch > px(3) ? px(2) : 0.0f));
        const float high = std::max(
            px(2), px(kBarsHeight) *
                       static_cast<float>(static_cast<double>(found.gain.value_or(0)) / static_cast<double>(most)));
        const bool lit = hovered && pointed == i;
        const ImU32 color = color_of_severity(card.severity);
        draw_rect(list, {x, std::floor(bottom - high)}, {end, bottom},
                  lit ? color : color::mix(color::palette().panel, color, 0.6f));
        record_rect("##bar:" + core::format_rank(found.rank), {x, at.y}, {end, bottom}, lit);
    }
    draw_rect(list, {left, bottom}, {left + width, bottom + 1}, color::palette().line);
    ImGui::SetCursorScreenPos({at.x, bottom + px(4)});
    ImGui::Dummy({0, 0});
    if (!hovered || pointed >= bars) return;
    const FoundRank& found = *rank_of_bar(pointed);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip(tooltip_of(found));
    if (!clicked || !fresh_) return;
    if (ImGui::GetIO().KeyShift)
        filter_by(frame, {&found, 1});
    else
        show(frame, found);
}

// All of the time that the sentence counts, the more of it the stronger.
void draw_when(ImDrawList* list, const FindingCard& card, ImVec2 min, ImVec2 max) {
    const float wide = (max.x - min.x) / static_cast<float>(std::max<std::size_t>(1, card.when.size()));
    for (std::size_t cell = 0; cell < card.when.size(); ++cell) {
        if (card.when[cell] <= 0) continue;
        const float left = std::floor(min.x + wide * static_cast<float>(cell));
        const float right = std::max(left + 1, std::floor(min.x + wide * static_cast<float>(cell + 1)));
        const float strength = 0.15f + 0.65f * std::min(1.0f, card.when[cell]);
        draw_rect(list, {left, min.y}, {right, max.y},
                  color::mix(color::palette().panel, color_of_severity(card.severity), strength));
    }
}

// The places of the evidence along the run's time.
void FindingsPanel::draw_places(Frame& frame, const FindingCard& card) {
    if (card.places.empty()) return;
    const ItemScope scope("card:" + card.id);
    const core::Run& run = *frame.run();
    const core::RunRange whole = run.window();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = at.x + px(kEvidenceLabel);
    const std::string length = core::format_duration(whole.length());
    const float width = std::max(
        px(40), ImGui::GetContentRegionAvail().x - px(kEvidenceLabel + 12) - text_width(small_style(), length));
    const float height = px(kPlacesHeight);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, small_style(), {at.x, at.y - px(1)}, color::palette().faint, "When");
    draw_text(list, small_style(), {left + width + px(6), at.y - px(1)}, color::palette().faint, length);
    ImGui::SetCursorScreenPos({left, at.y});
    const bool clicked = invisible_button("##places", {width, height});
    record_item("##places");
    const bool hovered = ImGui::IsItemHovered();
    const double span = std::max(1.0, static_cast<double>(whole.length().count()));
    const auto x_of = [&](core::RunTime t) {
        const double share = static_cast<double>((t - whole.begin).count()) / span;
        return std::floor(left + width * static_cast<float>(std::clamp(share, 0.0, 1.0)));
    };
    draw_rect(list, {left, at.y}, {left + width, at.y + height}, color::palette().raised);
    const float mouse = ImGui::GetIO().MousePos.x;
    const EvidencePlace* pointed = nullptr;
    float nearest = px(kNearPlace);
    draw_when(list, card, {left, at.y}, {left + width, at.y + height});
    float drawn_to = left - 1;
    for (const EvidencePlace& place : card.places) {
        const float begin = x_of(place.range.begin), end = std::max(begin + px(2), x_of(place.range.end));
        if (end > drawn_to && card.when.empty())
            draw_rect(list, {begin, at.y}, {end, at.y + height},
                      color::mix(color::palette().panel, color_of_severity(card.severity), 0.7f));
        drawn_to = std::max(drawn_to, end);
        const float apart = std::max({0.0f, begin - mouse, mouse - end});
        if (!hovered || apart >= nearest) continue;
        nearest = apart;
        pointed = &place;
    }
    ImGui::SetCursorScreenPos({at.x, at.y + height + px(4)});
    ImGui::Dummy({0, 0});
    if (!pointed) return;
    const float begin = x_of(pointed->range.begin), end = std::max(begin + px(2), x_of(pointed->range.end));
    draw_rect(list, {begin, at.y}, {end, at.y + height}, color::palette().text);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip("Rank " + core::format_rank(pointed->rank) + ", " + core::format_duration(pointed->range.length()) +
                 " at " + core::format_time_offset(pointed->range.begin - run.origin(), core::Duration{1'000}) +
                 "\nClick: show it.");
    if (!clicked || !fresh_) return;
    show_place_of(frame, pointed->event, pointed->range);
}

void FindingsPanel::draw_card(Frame& frame, const FindingCard& card) {
    const ImVec2 top = ImGui::GetCursorScreenPos();
    ImGui::Indent(px(12));
    draw_words(frame, card);
    draw_links(frame, card);
    draw_ranks(frame, card);
    draw_bars(frame, card);
    draw_places(frame, card);
    ImGui::Unindent(px(12));
    const float bottom = ImGui::GetItemRectMax().y;
    draw_rect(ImGui::GetWindowDrawList(), top, {top.x + px(3), bottom}, color_of_severity(card.severity), px(1));
    const float right = top.x + ImGui::GetContentRegionAvail().x;
    const KeyPress pressed = keys_.item({top.x, top.y - px(2)}, {right, bottom + px(2)});
    if (pressed != KeyPress::None && fresh_ && !card.ranks.empty()) {
        if (pressed == KeyPress::ShiftClick)
            filter_by(frame, card.ranks);
        else
            show(frame, card.ranks.front());
    }
    ImGui::Dummy({0, px(8)});
}

void FindingsPanel::draw(Frame& frame) {
    shown_ = nullptr;
    why_empty_.clear();
    const core::RunPtr& run = frame.run();
    if (!run) return empty_state("No run", "Open a folder of traces.");
    const core::Request request = ask(frame, "findings", "findings");
    const core::Request deeds = request.fresh ? ask(frame, "findings replay", "what-to-do") : core::Request{};
    const FindingsKey key{run, frame.filter(), request.answer, deeds.fresh ? deeds.answer : nullptr};
    if (request.answer)
        shown_ = model_.ask(frame.session.pool(), key, [run, key](const core::JobContext& job) {
            return FindingsModel::of(*run, *key.findings, key.what_to_do.get(), key.filter, job);
        });
    replaying_ = request.fresh && deeds.pending();
    fresh_ = model_.fresh() && !request.pending();
    if (!begin_answer(request, "findings", model_.fresh())) return;
    if (shown_ && shown_->cards.empty() && fresh_) {
        const core::NoRows why = core::explain_no_rows(*core::find_analysis("findings"), *run, frame.filter());
        const bool all_is_well = why.reason == core::NoRows::Reason::NothingStandsOut;
        why_empty_ = all_is_well ? "No rule of findings applies. Breakdown shows where the time went." : why.sentence;
        empty_state(all_is_well ? "Nothing stands out" : "No findings", why_empty_);
    } else if (shown_) {
        keys_.begin("cards-list");
        for (const FindingCard& card : shown_->cards) draw_card(frame, card);
    }
    end_answer();
}

void FindingsPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = fresh_;
    if (!why_empty_.empty()) shown["why_empty"] = why_empty_;
    if (keys_.cursor() < shown_->cards.size()) shown["cursor"] = keys_.cursor();
    shown["cards"] = nlohmann::json::array();
    for (const FindingCard& card : shown_->cards) {
        nlohmann::json ranks = nlohmann::json::array();
        for (const FoundRank& found : card.ranks)
            ranks.push_back({{"rank", core::format_rank(found.rank)},
                             {"gain_ns", found.gain ? nlohmann::json(*found.gain) : nlohmann::json()}});
        nlohmann::json places = nlohmann::json::array();
        for (const EvidencePlace& place : card.places)
            places.push_back({{"rank", core::format_rank(place.rank)}, {"length_ns", place.range.length().count()}});
        nlohmann::json links = nlohmann::json::array();
        for (const core::FindingLink& link : card.links) links.push_back(link.analysis);
        shown["cards"].push_back({{"finding", card.id},
                                  {"links", std::move(links)},
                                  {"places", std::move(places)},
                                  {"severity", card.severity},
                                  {"headline", card.headline},
                                  {"sentence", card.sentence},
                                  {"cost", card.cost},
                                  {"saves", card.saves},
                                  {"explains", card.explains},
                                  {"ranks", std::move(ranks)}});
    }
}

}  // namespace

std::unique_ptr<Panel> make_findings_panel() { return std::make_unique<FindingsPanel>(); }

}  // namespace ui
