// The whole window off screen, worked with a mouse and keys.

#include "ui/shell/main_window.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "ui/style/items.hpp"

#include <doctest/doctest.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <thread>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;

core::RunPtr two_ranks() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        traces.push_back(TraceFixture()
                             .step(0, 900, 0)
                             .cpu(0, 100, "aten::mm")
                             .launch(10, 5, 1)
                             .kernel(40, 200, "gemm", 7, 1)
                             .kernel(300, 80, "ncclDevKernel_AllReduce", 20)
                             .rank(rank)
                             .build());
    return run_of(traces);
}

struct Window {
    Window() {
        auto opened = ui::Platform::open_offscreen(1280, 720);
        REQUIRE(opened);
        platform = std::move(opened).value();
        main = std::make_unique<ui::MainWindow>(*platform, session, 1.0f);
        ui::items().enabled = true;
    }
    ~Window() { ui::items().enabled = false; }

    ui::FrameReport frame(const ui::Input& input = {}) {
        const ui::FrameReport report = main->frame(input);
        platform->present();
        return report;
    }
    bool settle() {
        for (int i = 0; i < 5000; ++i) {
            if (frame().is_idle()) return true;
            std::this_thread::yield();
        }
        return false;
    }
    void click(std::string_view path) {
        frame();
        const ui::Item* item = ui::items().find(path);
        CAPTURE(path);
        REQUIRE(item);
        ui::Input input;
        input.mouse_x = (item->min.x + item->max.x) / 2;
        input.mouse_y = (item->min.y + item->max.y) / 2;
        frame(input);
        frame(input);
        input.buttons[0] = true;
        frame(input);
        input.buttons[0] = false;
        frame(input);
        frame(input);
    }
    void type(const std::string& text) {
        ui::Input input;
        input.text = text;
        frame(input);
        frame();
    }
    void press(std::vector<int> keys) {
        ui::Input input;
        input.keys = std::move(keys);
        frame(input);
        frame();
    }

    core::Session session{2};
    std::unique_ptr<ui::Platform> platform;
    std::unique_ptr<ui::MainWindow> main;
};

}  // namespace

TEST_CASE_FIXTURE(Window, "an empty window settles and says what to do") {
    CHECK(settle());
    CHECK(main->title() == "Lockstep");
    click("welcome/open");
    CHECK(settle());
    CHECK(ui::items().find("dialog/path"));
}

TEST_CASE_FIXTURE(Window, "a run settles to equal frames with something in them") {
    session.set_run(two_ranks());
    main->post(ui::ShowPanel{"breakdown"});
    CHECK(settle());
    CHECK(main->title().starts_with("fixture"));
    const ui::Image first = platform->read_pixels();
    frame();
    CHECK(first.rgba == platform->read_pixels().rgba);
    CHECK(ui::items().find("bar:rank 1"));
}

// A dialog's first frame only measures it and may leave every pixel as it was.
TEST_CASE_FIXTURE(Window, "what is dropped on a window at rest asks for frames until its dialog is there") {
    session.set_run(two_ranks());
    REQUIRE(settle());
    CHECK_FALSE(frame().touched);
    main->post(ui::DropPaths{{"/runs/candidate"}});
    CHECK(frame().touched);
    frame();
    CHECK(ui::items().find("drop/compare"));
}

TEST_CASE_FIXTURE(Window, "a typed filter is committed by Enter and undone by its key") {
    session.set_run(two_ranks());
    REQUIRE(settle());
    click("top/filter");
    type("rank:1");
    press({GLFW_KEY_ENTER});
    CHECK(core::format_filter(session.filter()) == "rank:1");
    click("top/undo");
    CHECK(session.filter().empty());
    CHECK(settle());
}

TEST_CASE_FIXTURE(Window, "a filter that does not parse stays in the field and changes nothing") {
    session.set_run(two_ranks());
    REQUIRE(settle());
    click("top/filter");
    type("rank:x");
    press({GLFW_KEY_ENTER});
    CHECK(session.filter().empty());
    CHECK(settle());
}

TEST_CASE_FIXTURE(Window, "tabs show panels and keys toggle the drawers") {
    session.set_run(two_ranks());
    REQUIRE(settle());
    click("left/tabs/kernels");
    CHECK(main->document().choices.left_tab == "kernels");
    REQUIRE(settle());
    click("kernels/row:0");
    CHECK(session.filter().terms.size() == 1);
    press({GLFW_KEY_Q});
    CHECK_FALSE(main->document().choices.drawer_open);
    CHECK(settle());
}

TEST_CASE_FIXTURE(Window, "every size down to a small one is drawn") {
    session.set_run(two_ranks());
    REQUIRE(settle());
    for (const float scale : {0.5f, 2.0f, 3.0f, 1.0f}) {
        main->set_scale(scale);
        CHECK(settle());
    }
}
