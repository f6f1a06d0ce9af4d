// Collectives across ranks: waiting, bandwidth, bytes between ranks, every collective.

#include "ui/model/panel.hpp"
#include "ui/panels/communication/communication_views.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ui {
namespace {

struct CommunicationTab {
    std::string_view id;
    const char* title;
    std::string_view what;
};
constexpr std::array<CommunicationTab, 5> kCommunicationTabs{
    {{.id = "waiting", .title = "Waiting", .what = "Who is late, who waits for it, in which step, and why"},
     {.id = "bandwidth", .title = "Bandwidth", .what = "Size against bus bandwidth, fitted lines, slow collectives"},
     {.id = "matrix", .title = "Matrix", .what = "Who sends how much to whom"},
     {.id = "collectives", .title = "Collectives", .what = "Every collective; a click on a row opens its arrivals"},
     {.id = "pipeline", .title = "Pipeline", .what = "Stages of a pipeline over a step, and its bubble"}}};

class CommunicationPanel final : public Panel {
public:
    void draw(Frame& frame) override {
        if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
        const auto chosen = std::ranges::find(kCommunicationTabs, frame.choices().communication, &CommunicationTab::id);
        if (chosen != kCommunicationTabs.end()) tab_ = static_cast<std::size_t>(chosen - kCommunicationTabs.begin());
        {
            const ItemScope scope("view");
            for (std::size_t i = 0; i < kCommunicationTabs.size(); ++i) {
                bool on = i == tab_;
                if (i > 0) same_line_for(toggle_width(kCommunicationTabs[i].title), px(2));
                if (toggle(kCommunicationTabs[i].title, &on))
                    frame.intents.push_back(ShowCommunication{std::string(kCommunicationTabs[i].id)});
                tooltip(kCommunicationTabs[i].what);
            }
        }
        chart_export().set_topic(kCommunicationTabs[tab_].title);
        const ItemScope scope(kCommunicationTabs[tab_].id);
        ImGui::PushID(static_cast<int>(tab_));
        view().draw(frame);
        ImGui::PopID();
    }
    bool busy() const override { return views_[tab_]->busy(); }
    void describe(nlohmann::json& shown) const override {
        shown["view"] = kCommunicationTabs[tab_].id;
        views_[tab_]->describe(shown);
    }

private:
    CommunicationView& view() { return *views_[tab_]; }

    std::size_t tab_ = 0;
    std::array<std::unique_ptr<CommunicationView>, kCommunicationTabs.size()> views_{
        std::make_unique<WaitingView>(), std::make_unique<BandwidthView>(), std::make_unique<MatrixView>(),
        std::make_unique<CollectivesView>(), std::make_unique<PipelineView>()};
};

}  // namespace

std::unique_ptr<Panel> make_communication_panel() { return std::make_unique<CommunicationPanel>(); }

}  // namespace ui
