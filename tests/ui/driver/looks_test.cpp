// Bar colours, themes and interface size, by keys and commands.

#include "core/query/filter_text.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/style/theme.hpp"

#include <map>

using ui::ColorBy;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

// Opaque pixels of the plot, by their colours.
std::map<std::uint32_t, std::size_t> colors_of_plot(ui::Driver& driver) {
    const ui::Image picture = driver.picture();
    const ui::Item* plot = ui::items().find("timeline/plot");
    REQUIRE(plot != nullptr);
    std::map<std::uint32_t, std::size_t> colors;
    for (int y = static_cast<int>(plot->min.y); y < static_cast<int>(plot->max.y); ++y) {
        for (int x = static_cast<int>(plot->min.x); x < static_cast<int>(plot->max.x); ++x) {
            const std::uint8_t* p = &picture.rgba[static_cast<std::size_t>(y * picture.width + x) * 4];
            ++colors[IM_COL32(p[0], p[1], p[2], 255)];
        }
    }
    return colors;
}

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "C goes through what bars can be coloured by") {
    for (const char* way : {"class", "rank", "process group", "duration", "name"}) {
        did(driver->key("c"));
        CHECK(at("/color_by") == way);
    }
}

TEST_CASE_FIXTURE(SampleWindow, "bars have the colour of their class, rank, process group or duration") {
    did(driver->double_click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3", 0}));
    did(driver->wait_idle());
    driver->leave();
    const auto count = [&](ColorBy by, std::uint32_t color) {
        driver->window().post(ui::ColorEvents{by});
        did(driver->wait_idle());
        const auto colors = colors_of_plot(*driver);
        const auto found = colors.find(color);
        return found == colors.end() ? std::size_t{0} : found->second;
    };
    const double duration = at("/selected/duration_ns").get<double>();
    const std::uint32_t communication = ui::color::of_class(core::KernelClass::Communication);
    const std::size_t of_ranks = count(ColorBy::Group, communication);  // what their own rows have
    CHECK(count(ColorBy::Class, communication) > of_ranks + 2000);
    CHECK(count(ColorBy::Rank, ui::color::of_rank(3)) > 2000);
    CHECK(count(ColorBy::Rank, ui::color::of_duration(duration)) == 0);
    CHECK(count(ColorBy::Duration, ui::color::of_duration(duration)) > 2000);
    CHECK(ui::items().find("timeline/color-legend") != nullptr);
    count(ColorBy::Name, 0);
    CHECK(ui::items().find("timeline/color-legend:waiting") != nullptr);  // names need no legend, waiting does
}

TEST_CASE_FIXTURE(SampleWindow, "under a filter by name a rank's row is dim but for what passes") {
    driver->leave();
    const auto pixels_in_rank_rows = [&](std::uint32_t color) {
        const ui::Image picture = driver->picture();
        const ui::Item* const plot = ui::items().find("timeline/plot");
        REQUIRE(plot != nullptr);
        std::size_t count = 0;
        for (const nlohmann::json& row : at("/timeline/rows")) {
            if (row["kind"] != "rank") continue;
            const int top = static_cast<int>(plot->min.y) + row["y"].get<int>();
            for (int y = top; y < std::min(top + 12, static_cast<int>(plot->max.y)); ++y)
                for (int x = static_cast<int>(plot->min.x); x < static_cast<int>(plot->max.x); ++x) {
                    const std::uint8_t* const p = &picture.rgba[static_cast<std::size_t>(y * picture.width + x) * 4];
                    count += IM_COL32(p[0], p[1], p[2], 255) == color;
                }
        }
        return count;
    };
    const std::uint32_t color = ui::color::of_class(core::KernelClass::Compute),
                        nothing = ui::color::palette().background;
    const std::size_t compute = pixels_in_rank_rows(color), idle = pixels_in_rank_rows(nothing);
    REQUIRE(compute > 1000);
    driver->window().post(ui::SetFilter{core::parse_filter("name:gemm").value()});
    did(driver->wait_idle());
    const std::size_t gemms = pixels_in_rank_rows(color);
    CHECK(gemms > 0);
    CHECK(gemms < compute);
    CHECK(pixels_in_rank_rows(ui::color::of_class(core::KernelClass::Communication)) == 0);
    CHECK(pixels_in_rank_rows(nothing) <= idle);  // excluded events are dim, not gone
    driver->window().post(ui::SetFilter{core::parse_filter("name:nothing_is_called_this").value()});
    did(driver->wait_idle());
    CHECK(pixels_in_rank_rows(color) == 0);
}

TEST_CASE_FIXTURE(SampleWindow, "a theme recolours everything that is drawn, and back") {
    const ui::Image dark = driver->picture();
    driver->window().post(ui::SetTheme{ui::Theme::Light});
    CHECK(at("/theme") == "light");
    driver->frames(2);
    const auto colors = colors_of_plot(*driver);
    CHECK(colors.contains(ui::palette_of(ui::Theme::Light).background));
    CHECK_FALSE(colors.contains(ui::palette_of(ui::Theme::Dark).background));
    driver->window().post(ui::SetTheme{ui::Theme::Dark});
    did(driver->wait_idle());
    driver->frames(2);
    CHECK(driver->picture().rgba == dark.rgba);
}

TEST_CASE_FIXTURE(SampleWindow, "Ctrl with plus, minus and 0 sizes the interface by tenths within its limits") {
    did(driver->key("ctrl+="));
    CHECK(at("/interface_size").get<float>() == doctest::Approx(1.1f));
    CHECK(at("/window/scale").get<float>() == doctest::Approx(1.1f));
    did(driver->key("ctrl+shift+="));
    CHECK(at("/window/scale").get<float>() == doctest::Approx(1.2f));
    did(driver->key("ctrl+-"));
    CHECK(at("/window/scale").get<float>() == doctest::Approx(1.1f));
    for (int i = 0; i < 8; ++i) did(driver->key("ctrl+-"));
    CHECK(at("/window/scale").get<float>() == doctest::Approx(0.7f));
    driver->window().set_scale(2);
    CHECK(at("/window/scale").get<float>() == doctest::Approx(1.4f));
    did(driver->key("ctrl+0"));
    CHECK(at("/window/scale").get<float>() == doctest::Approx(2));
    CHECK(ui::resize_interface(2.45f, 3) == ui::kMostInterface);
    CHECK(ui::resize_interface(0.7f, -1) == ui::kLeastInterface);
}
