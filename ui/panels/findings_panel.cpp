// Findings, one card per kind: a sentence, its cost to the run, what to try. A click shows the evidence on the
// timeline, Shift+click filters by the ranks.

#include "ui/model/derived.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/findings_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t kMostRanksShown = 8;
constexpr std::size_t kMostTextBytes = 700;

struct FindingsKey {
    WeakKey<core::Run> run;
    core::AnswerPtr findings;
    bool operator==(const FindingsKey&) const = default;
};

ImU32 color_of_severity(std::string_view severity) {
    if (severity == "high") return color::palette().error;
    return severity == "medium" ? color::palette().warning : color::palette().muted;
}

class FindingsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !model_.fresh(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_card(Frame& frame, const FindingCard& card);
    void draw_words(Frame& frame, const FindingCard& card);
    void draw_ranks(Frame& frame, const FindingCard& card);
    static void show(Frame& frame, const FoundRank& found);
    static void filter_by(Frame& frame, std::span<const FoundRank> ranks);

    Derived<FindingsKey, FindingsModel> model_;
    std::shared_ptr<const FindingsModel> shown_;
    bool fresh_ = false;
};

// The place with half its length on both sides.
void FindingsPanel::show(Frame& frame, const FoundRank& found) {
    if (found.event.valid()) frame.intents.push_back(SelectEvent{found.event, true});
    if (!found.place) return;
    const core::Duration margin = std::max(found.place->length() / 2, core::Duration{1'000});
    frame.intents.push_back(ShowRange{{found.place->begin - margin, found.place->end + margin}});
}

void FindingsPanel::filter_by(Frame& frame, std::span<const FoundRank> ranks) {
    std::vector<core::RankKey> keys;
    for (const FoundRank& found : ranks) keys.push_back(found.rank);
    std::ranges::sort(keys);
    frame.intents.push_back(SetFilter{with_cells(frame.session.filter(), keys, {})});
}

void FindingsPanel::draw_words(Frame& frame, const FindingCard& card) {
    ImGui::BeginGroup();
    ImGui::PushTextWrapPos(0);
    text(cut_text(card.sentence, kMostTextBytes));
    text(card.cost, color_of_severity(card.severity));
    muted_text(card.advice);
    if (!card.explains.empty()) muted_text("Explains: " + cut_text(card.explains, kMostTextBytes));
    ImGui::PopTextWrapPos();
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

void FindingsPanel::draw_ranks(Frame& frame, const FindingCard& card) {
    if (card.ranks.size() < 2) return;
    const ItemScope scope("card:" + card.id);
    const std::size_t count = std::min(card.ranks.size(), kMostRanksShown);
    for (std::size_t i = 0; i < count; ++i) {
        const FoundRank& found = card.ranks[i];
        const std::string rank = core::format_rank(found.rank);
        const std::string label =
            "Rank " + rank + "  " + core::format_duration(core::Duration{found.gain}) + "##rank:" + rank;
        const float width = text_width(ui_style(), label.substr(0, label.find("##"))) + px(12);
        if (i > 0) same_line_for(width, px(4));
        if (quiet_button(label.c_str()) && fresh_) {
            if (ImGui::GetIO().KeyShift)
                filter_by(frame, {&found, 1});
            else
                show(frame, found);
        }
        tooltip(cut_text(found.evidence, kMostTextBytes));
    }
    if (card.ranks.size() == count) return;
    const std::string more = core::format_count(card.ranks.size() - count) + " more##more";
    same_line_for(text_width(ui_style(), more), px(8));
    if (quiet_button(more.c_str())) frame.intents.push_back(ShowAnalysis{"findings"});
    tooltip("The analysis findings lists every rank.");
}

void FindingsPanel::draw_card(Frame& frame, const FindingCard& card) {
    const ImVec2 top = ImGui::GetCursorScreenPos();
    ImGui::Indent(px(12));
    draw_words(frame, card);
    draw_ranks(frame, card);
    ImGui::Unindent(px(12));
    const float bottom = ImGui::GetItemRectMax().y;
    draw_rect(ImGui::GetWindowDrawList(), top, {top.x + px(3), bottom}, color_of_severity(card.severity), px(1));
    ImGui::Dummy({0, px(8)});
}

void FindingsPanel::draw(Frame& frame) {
    shown_ = nullptr;
    const core::RunPtr& run = frame.run();
    if (!run) return empty_state("No run", "Open a folder of traces.");
    const core::Request request = ask(frame, "findings", "findings");
    const FindingsKey key{run, request.answer};
    if (request.answer)
        shown_ = model_.ask(frame.session.pool(), key,
                            [run, answer = request.answer] { return FindingsModel::of(*run, *answer); });
    fresh_ = model_.fresh() && !request.pending();
    if (!begin_answer(request, "findings", model_.fresh())) return;
    if (shown_ && shown_->cards.empty() && fresh_) {
        empty_state("Nothing stands out",
                    core::explain_no_rows(*core::find_analysis("findings"), *run, frame.filter()));
    } else if (shown_) {
        for (const FindingCard& card : shown_->cards) draw_card(frame, card);
    }
    end_answer();
}

void FindingsPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = fresh_;
    shown["cards"] = nlohmann::json::array();
    for (const FindingCard& card : shown_->cards) {
        nlohmann::json ranks = nlohmann::json::array();
        for (const FoundRank& found : card.ranks)
            ranks.push_back({{"rank", core::format_rank(found.rank)}, {"gain_ns", found.gain}});
        shown["cards"].push_back({{"finding", card.id},
                                  {"severity", card.severity},
                                  {"sentence", card.sentence},
                                  {"cost", card.cost},
                                  {"explains", card.explains},
                                  {"ranks", std::move(ranks)}});
    }
}

}  // namespace

std::unique_ptr<Panel> make_findings_panel() { return std::make_unique<FindingsPanel>(); }

}  // namespace ui
