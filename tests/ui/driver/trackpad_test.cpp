// Trackpads send fractions of a notch, many per second and on both axes at once: zoom and pan follow in proportion.

#include "tests/ui/driver/sample_window.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"

#include <cmath>

using nlohmann::json;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct Moved {
    double begin_ns, length_ns, rows;
};

Moved moved(SampleWindow& window) {
    const json view = window.at("/view");
    const double begin = view["begin_ns"].get<double>();
    return {begin, view["end_ns"].get<double>() - begin, window.at("/timeline/scroll_y").get<double>()};
}

// Sends that many frames with the same small wheel motion.
void turn(SampleWindow& window, int frames, float up, float sideways, std::string_view with = {}) {
    did(window.driver->scroll("timeline/plot@0.5,0.5", 0, with));
    window.driver->input().keys = with == "ctrl"    ? std::vector<int>{GLFW_KEY_LEFT_CONTROL}
                                  : with == "shift" ? std::vector<int>{GLFW_KEY_LEFT_SHIFT}
                                                    : std::vector<int>{};
    for (int i = 0; i < frames; ++i) {
        window.driver->input().wheel = up;
        window.driver->input().wheel_x = sideways;
        window.driver->frame();
    }
    window.driver->input().keys.clear();
    did(window.driver->wait_idle());
}

// Makes rows scroll out of view.
void make_low(SampleWindow& window) { did(window.driver->resize(1000, 480)); }

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "rows scroll by the sum of small turns, down as far as up") {
    make_low(*this);
    turn(*this, 50, -0.01f, 0);  // half a pixel each
    const double down = moved(*this).rows;
    CHECK(down == doctest::Approx(27).epsilon(0.02));
    turn(*this, 10, -0.05f, 0);
    CHECK(moved(*this).rows - down == doctest::Approx(27).epsilon(0.02));
    turn(*this, 50, 0.01f, 0);
    CHECK(moved(*this).rows == doctest::Approx(down).epsilon(0.02));
    turn(*this, 400, 0.01f, 0);
    CHECK(moved(*this).rows == 0);
}

TEST_CASE_FIXTURE(SampleWindow, "twenty turns of a twentieth with Ctrl zoom as one notch does, around the pointer") {
    did(driver->scroll("timeline/plot@0.5,0.5", 6, "ctrl"));
    const Moved before = moved(*this);
    turn(*this, 20, 0.05f, 0, "ctrl");
    const Moved after = moved(*this);
    CHECK(after.length_ns == doctest::Approx(before.length_ns / 1.25).epsilon(0.001));
    const double middle = before.begin_ns + before.length_ns / 2;
    CHECK(after.begin_ns + after.length_ns / 2 == doctest::Approx(middle).epsilon(0.001));
}

TEST_CASE_FIXTURE(SampleWindow, "fingers that zoom and slip sideways zoom only") {
    did(driver->scroll("timeline/plot@0.5,0.5", 6, "ctrl"));
    const Moved before = moved(*this);
    turn(*this, 20, 0.05f, 0.2f, "ctrl");
    const Moved after = moved(*this);
    const double middle = before.begin_ns + before.length_ns / 2;
    CHECK(after.begin_ns + after.length_ns / 2 == doctest::Approx(middle).epsilon(0.001));
}

TEST_CASE_FIXTURE(SampleWindow, "a slanting turn pans time and scrolls rows, each by its own part") {
    make_low(*this);
    did(driver->scroll("timeline/plot@0.5,0.5", 6, "ctrl"));
    const Moved before = moved(*this);
    turn(*this, 10, -0.1f, -0.1f);
    const Moved after = moved(*this);
    const double ns_per_px =
        before.length_ns / (ui::items().find("timeline/plot")->max.x - ui::items().find("timeline/plot")->min.x);
    CHECK(after.length_ns == doctest::Approx(before.length_ns));
    CHECK((after.begin_ns - before.begin_ns) / ns_per_px == doctest::Approx(90).epsilon(0.03));
    CHECK(after.rows - before.rows == doctest::Approx(54).epsilon(0.02));
    turn(*this, 10, -0.1f, 0, "shift");
    CHECK((moved(*this).begin_ns - after.begin_ns) / ns_per_px == doctest::Approx(90).epsilon(0.03));
    CHECK(moved(*this).rows == after.rows);
}

TEST_CASE_FIXTURE(SampleWindow, "the wheel above the ruler is that of the plot") {
    const ui::Item plot = *ui::items().find("timeline/plot");
    const Moved before = moved(*this);
    driver->input().mouse_x = std::floor((plot.min.x + plot.max.x) / 2);
    driver->input().mouse_y = plot.min.y - 8;
    driver->input().keys = {GLFW_KEY_LEFT_CONTROL};
    driver->frames(2);
    driver->input().wheel = 0.5f;
    driver->frame();
    driver->input().keys.clear();
    CHECK(moved(*this).length_ns == doctest::Approx(before.length_ns / std::sqrt(1.25)).epsilon(0.001));
}

TEST_CASE_FIXTURE(SampleWindow,
                  "a drag pans from its first pixel, both ways: what was grabbed stays under the pointer") {
    make_low(*this);
    did(driver->scroll("timeline/plot@0.5,0.5", 6, "ctrl"));
    did(driver->scroll("timeline/plot@0.5,0.5", -1));
    const Moved before = moved(*this);
    const ui::Item plot = *ui::items().find("timeline/plot");
    const double ns_per_px = before.length_ns / static_cast<double>(plot.max.x - plot.min.x);
    ui::Input& input = driver->input();
    input.keys = {GLFW_KEY_LEFT_SHIFT};
    driver->frames(2);
    input.buttons[0] = true;
    driver->frames(2);
    for (int i = 0; i < 3; ++i) {
        input.mouse_x += 1;
        input.mouse_y -= 1;
        driver->frame();
    }
    input.buttons[0] = false;
    driver->frames(2);
    input.keys.clear();
    const Moved after = moved(*this);
    CHECK((before.begin_ns - after.begin_ns) / ns_per_px == doctest::Approx(3).epsilon(0.1));
    CHECK(after.rows - before.rows == doctest::Approx(3).epsilon(0.1));
}
