// Items whose labels are texts of a trace.

#include "ui/style/items.hpp"
#include "ui/style/menu_items.hpp"

#include "tests/ui/driver/headless.hpp"

#include <doctest/doctest.h>

TEST_CASE("items with an empty label are drawn, as a name of a trace may be empty") {
    const ui::testing::Headless gui;
    bool on = false;
    std::string text;
    // Each alone, as two items of one id in a window would be one.
    const auto alone = [](int number, auto draw) {
        ImGui::BeginChild(static_cast<ImGuiID>(number), {200, 40});
        CHECK_FALSE(draw());
        ImGui::EndChild();
    };
    const auto draw_all = [&] {
        ImGui::NewFrame();
        ImGui::SetNextWindowSize({400, 700});
        ImGui::Begin("window");
        alone(1, [] { return ui::button(""); });
        alone(2, [] { return ui::quiet_button(""); });
        alone(3, [] { return ui::invisible_button("", {10, 10}); });
        alone(4, [] { return ui::selectable("", false); });
        alone(5, [&] { return ui::checkbox("", &on); });
        alone(6, [&] { return ui::toggle("", &on); });
        alone(7, [&] { return ui::input_text("", "hint", text, 100); });
        alone(8, [] { return ui::begin_combo("", "shown"); });
        alone(9, [] { return ui::menu_item(""); });
        alone(10, [] { return ui::begin_menu(""); });
        ImGui::End();
        ImGui::Render();
    };
    for (int frame = 0; frame < 3; ++frame) draw_all();  // a window is hidden in its first frame
    CHECK(ImGui::GetDrawData()->TotalVtxCount > 0);
}
