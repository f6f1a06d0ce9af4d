#include "ui/style/drawing.hpp"
#include "tests/core/export/report/markup.hpp"
#include "tests/ui/driver/headless.hpp"

#include <doctest/doctest.h>

using ui::testing::Headless;

namespace {

// Draws in one frame, inside a clip rectangle of 100 by 100 pixels.
template <class Draw>
std::string svg_of(const Draw& draw) {
    Headless gui;
    ui::Drawing drawing;
    ui::set_drawing_in_progress(&drawing);
    ImGui::NewFrame();
    ImDrawList* list = ImGui::GetForegroundDrawList();
    list->PushClipRect({10, 10}, {110, 110});
    draw(list);
    list->PopClipRect();
    ImGui::Render();
    ui::set_drawing_in_progress(nullptr);
    return drawing.to_svg({10, 10}, {110, 110}, "a < b & \"c\"", ui::color::rgb(0x102030));
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("a drawing is well-formed XML and keeps names verbatim") {
    const std::string svg = svg_of([](ImDrawList* list) {
        ui::draw_text(list, ui::ui_style(), {12, 20}, ui::color::rgb(0xFFFFFF), "f<int>(a && b)\x01");
        ui::draw_rect(list, {20, 40}, {30, 50}, ui::color::rgb(0xFF8000, 128), 2);
        ui::draw_line(list, {20, 60}, {30, 70}, ui::color::rgb(0x00FF00), 2);
        ui::draw_triangle(list, {40, 40}, {50, 40}, {45, 50}, ui::color::rgb(0x0000FF));
    });
    CHECK(core::testing::find_svg_error(svg) == "");
    CHECK(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>") != std::string::npos);
    CHECK(svg.find("f&lt;int&gt;(a &amp;&amp; b)") != std::string::npos);
    CHECK(svg.find("<rect x=\"10\" y=\"30\" width=\"10\" height=\"10\" rx=\"2\" fill=\"#ff8000\" "
                   "fill-opacity=\"0.502\"/>") != std::string::npos);
    CHECK(svg.find("<line x1=\"10.5\" y1=\"50.5\" x2=\"20.5\" y2=\"60.5\" stroke=\"#00ff00\"") != std::string::npos);
    CHECK(svg.find("<polygon points=\"30,30 40,30 35,40\"") != std::string::npos);
}

TEST_CASE("clipped shapes are absent from the drawing, and shapes at the edge are cut") {
    const std::string svg = svg_of([](ImDrawList* list) {
        ui::draw_rect(list, {200, 40}, {300, 50}, ui::color::rgb(0x111111));  // outside the clip rectangle
        ui::draw_rect(list, {0, 40}, {30, 50}, ui::color::rgb(0x222222));
        ui::draw_text(list, ui::ui_style(), {80, 20}, ui::color::rgb(0x333333), "goes on beyond the edge");
        ui::draw_text(list, ui::ui_style(), {12, 80}, ui::color::rgb(0x444444), "shortened to its beginning", 60);
    });
    CHECK(core::testing::find_svg_error(svg) == "");
    CHECK(svg.find("#111111") == std::string::npos);
    CHECK(svg.find("<rect x=\"0\" y=\"30\" width=\"20\" height=\"10\" fill=\"#222222\"/>") != std::string::npos);
    CHECK(count_of(svg, "<clipPath") == 1);
    CHECK(count_of(svg, "clip-path=") == 1);
    CHECK(svg.find("<title>shortened to its beginning</title>") != std::string::npos);
}

TEST_CASE("nothing is recorded without a drawing in progress") {
    CHECK_FALSE(ui::drawing_in_progress());
    Headless gui;
    ImGui::NewFrame();
    ui::draw_rect(ImGui::GetForegroundDrawList(), {0, 0}, {9, 9}, ui::color::rgb(0xFFFFFF));
    ImGui::Render();
    CHECK(ui::Drawing().to_svg({0, 0}, {9, 9}, "", 0).find("#ffffff") == std::string::npos);
}
