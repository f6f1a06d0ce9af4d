#include "tests/core/added_row.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/model/panel.hpp"

#include <imgui.h>

using namespace ui::testing;

namespace {

// The example of HACKING.md.
class RankCountPanel final : public ui::Panel {
public:
    void draw(ui::Frame& frame) override {
        ranks_ = frame.run() ? frame.run()->ranks().size() : 0;
        ImGui::Text("%zu ranks", ranks_);
    }
    void describe(nlohmann::json& shown) const override { shown["ranks"] = ranks_; }

private:
    std::size_t ranks_ = 0;
};

std::unique_ptr<ui::Panel> make_rank_count_panel() { return std::make_unique<RankCountPanel>(); }

}  // namespace

TEST_CASE("a panel in the table has a tab, is drawn and describes itself, and is gone with its row") {
    CHECK(ui::find_panel("rank-count") == nullptr);
    {
        const core::testing::AddedRow<ui::PanelType> added(
            ui::panels(), {"rank-count", "Rank count", ui::Drawer::Left, make_rank_count_panel});
        REQUIRE(ui::find_panel("rank-count") != nullptr);
        DrivenWindow window;
        window.open(sample_folder());
        window.driver->window().post(ui::ShowPanel{"rank-count"});
        CHECK(window.at("/tabs/left") == "rank-count");
        CHECK(window.at("/panels/rank-count/ranks") == 8);
    }
    CHECK(ui::find_panel("rank-count") == nullptr);
}
