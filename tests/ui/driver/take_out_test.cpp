// Export of charts as pictures, drawings and tables, and of tables as text, from the context menu.

#include "tests/core/export/report/markup.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/style/items.hpp"
#include "ui/style/theme.hpp"

#include <map>
#include <set>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::pair;
using ui::testing::SampleWindow;

namespace {

using Lines = std::vector<std::vector<std::string>>;

Lines split_table(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        REQUIRE(end != std::string_view::npos);
        std::string_view line = text.substr(0, end);
        std::vector<std::string> fields;
        for (std::size_t tab = 0; tab != std::string_view::npos;) {
            tab = line.find('\t');
            fields.emplace_back(line.substr(0, tab));
            if (tab != std::string_view::npos) line.remove_prefix(tab + 1);
        }
        lines.push_back(std::move(fields));
        text.remove_prefix(end + 1);
    }
    return lines;
}

Lines copied(DrivenWindow& window) {
    did(window.driver->wait_idle());
    return split_table(ImGui::GetClipboardText());
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void show(DrivenWindow& window, const char* panel) {
    window.driver->window().post(ui::ShowPanel{panel});
    did(window.driver->wait_idle());
}

// From the open menu through the dialog.
void save(DrivenWindow& window, const char* entry, const std::filesystem::path& file) {
    did(window.driver->click(entry));
    did(window.driver->click("save/path"));
    did(window.driver->key("ctrl+a"));
    window.driver->type(file.string());
    did(window.driver->click("save/save"));
    did(window.driver->wait_idle());
}

std::vector<ui::Item> shown_charts() {
    std::vector<ui::Item> charts;
    for (const ui::Item& item : ui::items().items()) {
        const std::size_t slash = item.path.rfind('/');
        if (item.visible && item.path.substr(slash + 1).starts_with("chart:")) charts.push_back(item);
    }
    return charts;
}

// Checks that every shown chart offers all three wherever it is clicked; returns the kinds of charts found.
std::set<std::string> check_menus(DrivenWindow& window) {
    std::set<std::string> kinds;
    for (const ui::Item& chart : shown_charts()) {
        CAPTURE(chart.path);
        for (const char* point : {"@0.5,0.5", "@0.02,0.5"}) {
            did(window.driver->right_click(chart.path + point));
            window.driver->frames(2);
            for (const char* entry : {"save-picture", "save-drawing", "copy-chart"})
                CHECK_MESSAGE(ui::items().find("row-menu/" + std::string(entry)), entry);
            did(window.driver->key("esc"));
        }
        kinds.insert(chart.path.substr(chart.path.rfind(':') + 1));
    }
    return kinds;
}

bool is_blank(const ui::Image& image) {
    for (std::size_t i = 4; i < image.rgba.size(); i += 4)
        if (!std::equal(image.rgba.begin(), image.rgba.begin() + 4,
                        image.rgba.begin() + static_cast<std::ptrdiff_t>(i)))
            return false;
    return true;
}

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "every chart offers a picture, a drawing and its numbers") {
    std::set<std::string> kinds;
    did(driver->resize(1280, 1400));  // all of Overview is in view
    for (const char* panel : {"breakdown", "steps", "kernel-durations", "analysis"}) {
        show(*this, panel);
        kinds.merge(check_menus(*this));
    }
    did(driver->drag("timeline/plot@0.3,0.2", "timeline/plot@0.7,0.5"));
    show(*this, "area");
    kinds.merge(check_menus(*this));
    CAPTURE(nlohmann::json(kinds).dump());
    CHECK(kinds == std::set<std::string>{"bars", "durations", "map", "over-ranks", "over-steps", "ranks"});
}

TEST_CASE("every chart of two runs does, too") {
    ComparingWindow window(pair().baseline, pair().candidate);
    std::set<std::string> kinds;
    for (const char* panel : {"compare", "breakdown", "steps", "kernel-durations"}) {
        show(window, panel);
        kinds.merge(check_menus(window));
    }
    for (const char* kind : {"waterfall", "ranks", "bars", "map-change"}) CHECK_MESSAGE(kinds.contains(kind), kind);
}

TEST_CASE_FIXTURE(SampleWindow, "the numbers of the breakdown are copied as they are") {
    show(*this, "breakdown");
    did(driver->right_click("breakdown/bar:rank 3"));
    did(driver->click("row-menu/copy-chart"));
    const Lines lines = copied(*this);
    REQUIRE(lines.size() == 9);
    CHECK(lines[0] == std::vector<std::string>{"name", "compute_ns", "exposed_communication_ns", "exposed_memory_ns",
                                               "idle_ns", "together_ns"});
    const json ranks = at("/panels/breakdown/ranks");
    for (std::size_t rank = 0; rank < 8; ++rank) {
        CHECK(lines[rank + 1][0] == "rank " + std::to_string(rank));
        std::int64_t sum = 0;
        for (std::size_t part = 1; part < 5; ++part) {
            const std::int64_t ns = ranks[std::to_string(rank)][lines[0][part]].get<std::int64_t>();
            CHECK(lines[rank + 1][part] == std::to_string(ns));
            sum += ns;
        }
        CHECK(lines[rank + 1][5] == std::to_string(sum));
    }
    CHECK(at("/notice") == "Table copied: 8 rows");
}

TEST_CASE("of two runs both numbers and the change are copied") {
    ComparingWindow window(pair().baseline, pair().candidate);
    show(window, "compare");
    did(window.driver->right_click("compare/chart:waterfall@0.02,0.5"));
    did(window.driver->click("row-menu/copy-chart"));
    const Lines lines = copied(window);
    REQUIRE(lines.size() > 3);
    CHECK(lines[0] == std::vector<std::string>{"name", "baseline_ns", "candidate_ns", "change_ns"});
    std::int64_t change = 0;
    for (std::size_t i = 2; i < lines.size(); ++i) change += std::stoll(lines[i][3]);
    CHECK(lines[1][0] == "Mean step");
    CHECK(std::to_string(change) == lines[1][3]);  // parts add up to it
}

TEST_CASE_FIXTURE(SampleWindow, "a drawing says what the chart says, a picture shows it and nothing else") {
    const core::testing::TempFolder folder;
    show(*this, "breakdown");
    const std::string chart = "breakdown/chart:ranks";
    const ui::Item area = *ui::items().find(chart);
    did(driver->right_click(chart + "@0.5,0.3"));
    save(*this, "row-menu/save-drawing", folder.path() / "chart.svg");
    CHECK(at("/notice").get<std::string>().find("chart.svg") != std::string::npos);
    const std::string svg = text_of(folder.path() / "chart.svg");
    CHECK(core::testing::find_svg_error(svg) == "");
    CHECK(svg.find("<title>Breakdown, sample</title>") != std::string::npos);
    for (const char* words : {">Breakdown<", ">rank 0<", ">rank 7<", ">Exposed communication<", ">Idle<"})
        CHECK_MESSAGE(svg.find(words) != std::string::npos, words);
    CHECK(svg.find(">Kernels<") == std::string::npos);

    did(driver->right_click(chart + "@0.5,0.3"));
    save(*this, "row-menu/save-picture", folder.path() / "chart.png");
    const core::Result<ui::Image> image = ui::read_png(folder.path() / "chart.png");
    REQUIRE(image);
    CHECK(image->width == static_cast<int>(area.max.x - area.min.x) + 24);
    CHECK(image->height > static_cast<int>(area.max.y - area.min.y) + 24);
    CHECK_FALSE(is_blank(*image));
    CHECK(svg.find(" width=\"" + std::to_string(image->width) + "\" height=\"" + std::to_string(image->height) +
                   "\" viewBox") != std::string::npos);
    // The pointer was on the chart when it was chosen and returns to it, but must not be in the picture.
    did(driver->hover(chart + "@0.5,0.3"));
    did(driver->right_click(chart + "@0.5,0.3"));
    save(*this, "row-menu/save-picture", folder.path() / "again.png");
    CHECK(text_of(folder.path() / "chart.png") == text_of(folder.path() / "again.png"));
}

TEST_CASE_FIXTURE(SampleWindow, "a drawing has the colours of the theme") {
    const core::testing::TempFolder folder;
    driver->window().post(ui::SetTheme{ui::Theme::Light});
    show(*this, "steps");
    did(driver->right_click("steps/chart:map@0.5,0.4"));
    save(*this, "row-menu/save-drawing", folder.path() / "steps.svg");
    const std::string svg = text_of(folder.path() / "steps.svg");
    CHECK(core::testing::find_svg_error(svg) == "");
    CHECK(svg.find(">Steps: Step time<") != std::string::npos);
    CHECK(svg.find("#191c22") == std::string::npos);
    driver->window().post(ui::SetTheme{ui::Theme::Dark});
    did(driver->wait_idle());
}

TEST_CASE("of several charts of a panel the drawing names the one") {
    const core::testing::TempFolder folder;
    ComparingWindow window(pair().baseline, pair().candidate);
    show(window, "steps");
    did(window.driver->right_click("steps/change/chart:map-change@0.5,0.4"));
    save(window, "row-menu/save-drawing", folder.path() / "change.svg");
    const std::string svg = text_of(folder.path() / "change.svg");
    CHECK(core::testing::find_svg_error(svg) == "");
    CHECK(svg.find("<title>Steps: Change, Step time, before | after</title>") != std::string::npos);
    show(window, "kernel-durations");
    did(window.driver->right_click("chart:0/chart:bars@0.02,0.5"));
    save(window, "row-menu/save-drawing", folder.path() / "kernel.svg");
    const std::string kernel = text_of(folder.path() / "kernel.svg");
    CHECK(core::testing::find_svg_error(kernel) == "");
    CHECK(kernel.find("<title>Kernel durations: ") != std::string::npos);
    for (const char* words : {">baseline<", ">candidate<"}) CHECK(kernel.find(words) != std::string::npos);
}

TEST_CASE_FIXTURE(SampleWindow,
                  "the flame graph is saved as it is drawn, and copied frame by frame with what lies in it") {
    const core::testing::TempFolder folder;
    show(*this, "flame-graph");
    const std::int64_t whole = at("/panels/flame-graph/graph/total_ns").get<std::int64_t>();
    did(driver->right_click("flame-graph/chart:flame@0.5,0.02"));
    save(*this, "frame-menu/save-drawing", folder.path() / "flame.svg");
    const std::string svg = text_of(folder.path() / "flame.svg");
    CHECK(core::testing::find_svg_error(svg) == "");
    CHECK(svg.find(">Flame graph: Operators, CPU time<") != std::string::npos);
    CHECK(svg.find(">All  ") != std::string::npos);
    did(driver->right_click("flame-graph/chart:flame@0.5,0.02"));
    save(*this, "frame-menu/save-picture", folder.path() / "flame.png");
    const core::Result<ui::Image> image = ui::read_png(folder.path() / "flame.png");
    REQUIRE(image);
    CHECK_FALSE(is_blank(*image));
    did(driver->right_click("flame-graph/chart:flame@0.5,0.02"));
    did(driver->click("frame-menu/copy-chart"));
    const Lines lines = copied(*this);
    REQUIRE(lines.size() > 3);
    CHECK(lines[0] == std::vector<std::string>{"name", "depth", "count", "total_ns", "self_ns"});
    CHECK(lines[1][0] == "All");
    CHECK(lines[1][3] == std::to_string(whole));
    std::int64_t below = 0;
    for (std::size_t i = 2; i < lines.size(); ++i) {
        const int depth = std::stoi(lines[i][1]);
        CHECK(depth <= std::stoi(lines[i - 1][1]) + 1);  // children follow their frame
        if (depth == 1) below += std::stoll(lines[i][3]);
    }
    CHECK(below <= whole);
    CHECK(below > whole / 2);
}

TEST_CASE_FIXTURE(SampleWindow, "of a zoomed flame graph only what is shown is copied") {
    show(*this, "flame-graph");
    const json first = at("/panels/flame-graph/graph/below/0");
    did(driver->click("flame-graph/frame:1:" + first["name"].get<std::string>()));
    did(driver->wait_idle());
    did(driver->right_click("flame-graph/chart:flame@0.5,0.02"));
    did(driver->click("frame-menu/copy-chart"));
    const Lines lines = copied(*this);
    REQUIRE(lines.size() > 1);
    CHECK(lines[1][0] == first["name"].get<std::string>());
    CHECK(lines[1][1] == "1");
    for (std::size_t i = 2; i < lines.size(); ++i) CHECK(std::stoi(lines[i][1]) > 1);
}

TEST_CASE_FIXTURE(SampleWindow, "a row of values is saved as it is drawn, and its points in view are copied") {
    const core::testing::TempFolder folder;
    did(driver->key("l"));
    did(driver->wait_idle());
    const std::vector<ui::Item> charts = shown_charts();
    const auto plot = std::ranges::find_if(
        charts, [](const ui::Item& item) { return item.path.find("/chart:plot:rank 0, ") != std::string::npos; });
    REQUIRE(plot != charts.end());
    const std::string name = plot->path.substr(plot->path.find("rank 0, ") + 8);
    CAPTURE(name);
    did(driver->right_click(plot->path + "@0.5,0.5"));
    save(*this, "row-menu/save-drawing", folder.path() / "plot.svg");
    const std::string svg = text_of(folder.path() / "plot.svg");
    CHECK(core::testing::find_svg_error(svg) == "");
    CHECK(svg.find(">Timeline: rank 0, " + name) != std::string::npos);
    const auto rectangles = [](std::string_view drawing) {
        std::size_t count = 0;
        for (std::size_t i = drawing.find("<rect"); i != std::string_view::npos; i = drawing.find("<rect", i + 1))
            ++count;
        return count;
    };
    CHECK(rectangles(svg) > 20);
    did(driver->right_click(plot->path + "@0.5,0.5"));
    save(*this, "row-menu/save-picture", folder.path() / "plot.png");
    const core::Result<ui::Image> image = ui::read_png(folder.path() / "plot.png");
    REQUIRE(image);
    CHECK_FALSE(is_blank(*image));
    const auto points = [&] {
        did(driver->right_click(plot->path + "@0.5,0.5"));
        did(driver->click("row-menu/copy-chart"));
        return copied(*this);
    };
    const Lines all = points();
    REQUIRE(all.size() > 10);
    CHECK(all[0][0] == "series");
    CHECK(all[0][1] == "at_ns");
    for (std::size_t i = 2; i < all.size(); ++i) CHECK(std::stoll(all[i][1]) >= std::stoll(all[i - 1][1]));
    did(driver->scroll("timeline/plot@0.5,0.5", 8, "ctrl"));
    const Lines some = points();
    CHECK(some.size() < all.size());
    const json view = at("/view");
    for (std::size_t i = 2; i < some.size(); ++i) {  // the first is where the view begins
        CHECK(std::stoll(some[i][1]) >= view["begin_ns"].get<std::int64_t>());
        CHECK(std::stoll(some[i][1]) <= view["end_ns"].get<std::int64_t>());
    }
}

TEST_CASE_FIXTURE(SampleWindow, "a chart that is gone is reported, not saved") {
    const core::testing::TempFolder folder;
    show(*this, "breakdown");
    did(driver->right_click("breakdown/bar:rank 3"));
    did(driver->click("row-menu/save-picture"));
    driver->window().post(ui::ShowPanel{"kernels"});
    did(driver->wait_idle());
    did(driver->click("save/path"));
    did(driver->key("ctrl+a"));
    driver->type((folder.path() / "gone.png").string());
    did(driver->click("save/save"));
    CHECK(at("/notice") == "the chart is no longer shown");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "gone.png"));
}

TEST_CASE_FIXTURE(SampleWindow, "a table is copied as it is searched and sorted, with exact numbers and whole names") {
    show(*this, "kernels");
    const json before = at("/panels/kernels/table");
    did(driver->right_click("kernels/row:1"));
    CHECK(ui::items().find("row-menu/list"));
    did(driver->click("row-menu/copy-table"));
    Lines lines = copied(*this);
    REQUIRE(lines.size() == before["rows_found"].get<std::size_t>() + 1);
    const auto column = [&](std::string_view name) {
        return static_cast<std::size_t>(std::ranges::find(lines[0], name) - lines[0].begin());
    };
    REQUIRE(column("kernel") < lines[0].size());
    REQUIRE(column("total_ns") < lines[0].size());
    for (std::size_t i = 0; i < before["rows"].size(); ++i) {
        CHECK(lines[i + 1][column("kernel")] == before["rows"][i]["kernel"].get<std::string>());
        CHECK(lines[i + 1][column("total_ns")] == std::to_string(before["rows"][i]["total_ns"].get<std::int64_t>()));
    }
    did(driver->click("kernels/search"));
    driver->type("allreduce");
    did(driver->wait_idle());
    ImGui::SetClipboardText("");
    did(driver->hover("kernels/row:0"));
    driver->window().post(ui::CopyTable{});  // as the palette does
    lines = copied(*this);
    REQUIRE(lines.size() == at("/panels/kernels/table/rows_found").get<std::size_t>() + 1);
    for (std::size_t i = 1; i < lines.size(); ++i)
        CHECK(lines[i][column("kernel")].find("AllReduce") != std::string::npos);
}

TEST_CASE_FIXTURE(SampleWindow,
                  "a click beside the rows offers the table, marks are one, and without one this is told") {
    show(*this, "breakdown");
    driver->window().post(ui::CopyTable{});
    CHECK(at("/notice") == "no table is shown that could be copied");
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3"}));
    did(driver->key("shift+m"));
    show(*this, "marks");
    did(driver->right_click("mark:1/remove"));
    did(driver->click("row-menu/copy-table"));
    const Lines lines = copied(*this);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] ==
          std::vector<std::string>{"mark", "at_ns", "length_ns", "since_the_last_ns", "note", "author", "written"});
    CHECK(lines[1][2] == std::to_string(at("/selected/duration_ns").get<std::int64_t>()));
}
