// Small windows, and runs that are long, empty, tiny or have long names.

#include "tests/core/export/report/markup.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/model/panel.hpp"
#include "ui/style/items.hpp"

#include <cstdlib>
#include <set>

using nlohmann::json;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::SampleWindow;

namespace {

struct TinyRun : DrivenWindow {
    // A trace with only these events, as JSON.
    void open_events(const std::string& events) {
        std::ofstream(folder.path() / "rank0.json")
            << R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)" << events << "]}";
        open(folder.path());
    }
    core::testing::TempFolder folder;
};

std::string kernel(const std::string& name, double ts, double dur) {
    return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" +
           std::to_string(ts) + R"(, "dur": )" + std::to_string(dur) + R"(, "args": {"device": 0, "stream": 7}})";
}

void show(DrivenWindow& window, std::string_view panel) {
    window.driver->window().post(ui::ShowPanel{std::string(panel)});
    did(window.driver->wait_idle());
}

bool is_within(const ui::Item& inner, ImVec2 min, ImVec2 max) {
    return inner.visible && inner.min.x >= min.x && inner.max.x <= max.x && inner.min.y >= min.y &&
           inner.max.y <= max.y;
}

std::string saved_drawing(DrivenWindow& window, const std::filesystem::path& file) {
    did(window.driver->click("row-menu/save-drawing"));
    did(window.driver->click("save/path"));
    did(window.driver->key("ctrl+a"));
    window.driver->type(file.string());
    did(window.driver->click("save/save"));
    did(window.driver->wait_idle());
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// Pixels of a label in the last columns of the ruler, where the view ends.
std::size_t ink_at_the_end_of_the_ruler(DrivenWindow& window) {
    const ui::Image picture = window.driver->picture();
    const ui::Item* plot = ui::items().find("timeline/plot");
    REQUIRE(plot != nullptr);
    std::size_t ink = 0;
    for (int y = static_cast<int>(plot->min.y) - 32; y < static_cast<int>(plot->min.y) - 16; ++y) {
        const int x = static_cast<int>(plot->max.x) - 1;
        ink += picture.rgba[static_cast<std::size_t>(y * picture.width + x) * 4] > 90 ? 1 : 0;
    }
    return ink;
}

}  // namespace

TEST_CASE_FIXTURE(SampleWindow,
                  "in a small window the tab of the shown panel can be read and the others are in a list") {
    did(driver->resize(640, 480));
    for (const ui::PanelType& panel : ui::all_panels()) {
        if (panel.on_demand) continue;  // the area, hits, events: when there are any
        CAPTURE(panel.id);
        show(*this, panel.id);
        const ui::Item* tab = ui::items().find("tabs/" + std::string(panel.id));
        REQUIRE(tab != nullptr);
        CHECK(tab->max.x - tab->min.x >= 32);
        CHECK(tab->max.x <= 640);
    }
    show(*this, "breakdown");
    CHECK(ui::items().find("tabs/roofline") == nullptr);
    did(driver->click("left/tabs/more"));
    did(driver->click("tabs/roofline"));
    CHECK(at("/tabs/left") == "roofline");
    did(driver->resize(1920, 1080));
    CHECK(ui::items().find("left/tabs/more") == nullptr);
}

TEST_CASE_FIXTURE(SampleWindow,
                  "in a window of 1280 by 720 nine tabs hold every panel, by a brief title where room is short") {
    did(driver->resize(1280, 720));
    did(driver->wait_idle());
    std::size_t tabs = 0;
    for (const ui::PanelType& panel : ui::all_panels()) {
        if (panel.on_demand || panel.appears) continue;
        CAPTURE(panel.id);
        if (panel.part_of.empty()) {
            CHECK(ui::items().find("tabs/" + std::string(panel.id)) != nullptr);
            tabs += panel.drawer == ui::Drawer::Left ? 1 : 0;
        } else if (!ui::find_panel(panel.part_of)->appears) {
            CHECK(ui::items().find("tabs/" + std::string(panel.id)) == nullptr);
            show(*this, panel.part_of);
            CHECK(ui::items().find("tabs/" + std::string(panel.id)) != nullptr);
            show(*this, "findings");
        }
    }
    CHECK(tabs <= 9);
    CHECK(ui::items().find("left/tabs/more") == nullptr);
    did(driver->resize(800, 720));
    did(driver->wait_idle());
    did(driver->hover("left/tabs/communication"));
    did(driver->wait_idle());
    CHECK(at("/tooltip") == "Communication");
}

TEST_CASE_FIXTURE(SampleWindow, "parts of a tab have tabs while it is shown, or stand side by side where it is wide") {
    did(driver->resize(1280, 720));
    show(*this, "modules");
    CHECK(at("/tabs/left") == "modules");
    CHECK(ui::items().find("tabs/flame-graph") != nullptr);
    did(driver->click("left/tabs/flame-graph"));
    CHECK(at("/tabs/left") == "flame-graph");
    show(*this, "kernels");
    did(driver->click("left/tabs/kernel-durations"));
    CHECK(at("/tabs/left") == "kernel-durations");
    CHECK_FALSE(at("/panels").contains("kernels"));
    did(driver->resize(1920, 1080));
    did(driver->wait_idle());
    CHECK(ui::items().find("tabs/kernel-durations") == nullptr);
    CHECK(at("/panels").contains("kernels"));
    CHECK(at("/panels").contains("kernel-durations"));
}

TEST_CASE_FIXTURE(SampleWindow, "panels of what most runs do not have get their tab with it") {
    CHECK(ui::items().find("tabs/marks") == nullptr);
    CHECK(ui::items().find("tabs/compare") == nullptr);
    did(driver->drag("timeline/plot@0.3,0.3", "timeline/plot@0.6,0.6"));
    did(driver->key("m"));
    did(driver->wait_idle());
    CHECK(ui::items().find("tabs/marks") != nullptr);
}

TEST_CASE_FIXTURE(SampleWindow, "in a small window the box of an area still has its buttons, and tables have rows") {
    did(driver->resize(640, 480));
    did(driver->drag("timeline/plot@0.3,0.3", "timeline/plot@0.6,0.6"));
    did(driver->wait_idle());
    const ui::Item plot = *ui::items().find("timeline/plot");
    for (const char* item : {"area/zoom", "area/filter", "area/details"}) {
        const ui::Item* found = ui::items().find("timeline/" + std::string(item));
        REQUIRE_MESSAGE(found != nullptr, item);
        CHECK_MESSAGE(is_within(*found, plot.min, plot.max), item);
    }
    did(driver->click("timeline/area/details"));
    did(driver->scroll("left/area/filter", -6));  // the panel's own scrolling
    CHECK(at("/panels/area/names/rows").size() >= 2);
    show(*this, "kernels");
    did(driver->scroll("left/kernels/search", -6));
    CHECK(at("/panels/kernels/table/rows").size() >= 2);
}

TEST_CASE("in a small window the find bar of two runs stays in its timeline, which does not move") {
    ui::testing::ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
    did(window.driver->resize(640, 480));
    const float before = ui::items().find("timeline/ranks")->min.y;
    did(window.driver->key("/"));
    did(window.driver->wait_idle());
    const ui::Item plot = *ui::items().find("timeline/plot");
    CHECK(ui::items().find("timeline/ranks")->min.y == before);
    const ui::Item* text = ui::items().find("timeline/find/text");
    REQUIRE(text != nullptr);
    CHECK(text->max.y <= plot.max.y);
}

TEST_CASE_FIXTURE(SampleWindow, "no label of the ruler is cut off at the end of the view") {
    did(driver->resize(1000, 600));
    driver->leave();
    for (int i = 0; i < 24; ++i) {
        did(driver->resize(1000 + 3 * i, 600));
        driver->leave();
        driver->frames(2);
        CHECK(ink_at_the_end_of_the_ruler(*this) == 0);
    }
}

TEST_CASE_FIXTURE(TinyRun, "the durations of one event are labelled once, within the chart") {
    open_events(kernel("gemm", 5, 3));
    did(driver->drag("timeline/plot@0.3,0.2", "timeline/plot@0.7,0.7"));
    show(*this, "area");
    did(driver->right_click("area/chart:durations@0.5,0.6"));
    const std::string svg = saved_drawing(*this, folder.path() / "durations.svg");
    CHECK(core::testing::find_svg_error(svg) == "");
    std::set<std::string> labels;
    std::size_t all = 0;
    for (std::size_t i = svg.find("\xC2\xB5s</text>"); i != std::string::npos;
         i = svg.find("\xC2\xB5s</text>", i + 1)) {
        labels.insert(svg.substr(svg.rfind('>', i) + 1, i - svg.rfind('>', i)));
        ++all;
    }
    CHECK(all >= 1);
    CHECK(labels.size() == all);
    show(*this, "overview");
    CHECK(at("/panels/overview/ranks") == 1);
}

TEST_CASE_FIXTURE(TinyRun, "names of kilobytes are cut where they are shown, and whole where they are kept") {
    std::string name = "void deep::kernel<";
    while (name.size() < 5000) name += "cutlass::Layout<float, 3>, ";
    name += "int>";
    open_events(kernel(name, 5, 3) + ", " + kernel("other", 9, 1));
    show(*this, "kernels");
    did(driver->hover("kernels/row:0@0.05,0.5"));
    const std::string tip = at("/tooltip").get<std::string>();
    CHECK(tip.starts_with("void deep::kernel<cutlass"));
    CHECK(tip.ends_with("\xE2\x80\xA6"));
    CHECK(tip.size() < 1300);
    did(driver->click(ui::NamedEvent{name, "0"}));
    show(*this, "details");
    CHECK(at("/panels/details/name") == name);
    did(driver->click("details/copy"));
    CHECK(std::string(ImGui::GetClipboardText()) == name);
}

TEST_CASE_FIXTURE(TinyRun, "a run without an event says so in every panel and in the timeline") {
    open_events("");
    for (const char* panel :
         {"breakdown", "steps", "kernels", "kernel-durations", "flame-graph", "analysis", "marks"}) {
        show(*this, panel);
        const auto empty = std::ranges::find_if(ui::items().items(), [&](const ui::Item& item) {
            return item.path.find(std::string(panel) + "/empty:") != std::string::npos;
        });
        CHECK_MESSAGE(empty != ui::items().items().end(), panel);
    }
    CHECK(ui::items().find("timeline/empty:No events") != nullptr);
}

TEST_CASE_FIXTURE(TinyRun, "hours are drawn in minutes, and exact in texts") {
    constexpr double kThreeHours = 3 * 3600e6;
    open_events(kernel("first", 1000.5, 4000e6) + ", " + kernel("last", 1000.5 + kThreeHours, 1));
    show(*this, "breakdown");
    did(driver->right_click("breakdown/chart:ranks@0.5,0.3"));
    const std::string svg = saved_drawing(*this, folder.path() / "hours.svg");
    CHECK(count_of(svg, "min</text>") >= 2);  // the bar's length and the end of the axis
    CHECK(count_of(svg, ">0</text>") == 1);
    did(driver->click(ui::NamedEvent{"last", "0"}));
    show(*this, "details");
    CHECK(at("/selected/start_ns") == 10'800'000'000'000);
    did(driver->key("shift+m"));
    CHECK(at("/marks/kept/0/begin_ns") == 10'800'000'000'000);
}
