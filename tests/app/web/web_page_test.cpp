// The window in a browser: the page against `lockstep shot`, and what a user does in it.

#include "tests/app/web/devtools.hpp"
#include "tests/app/web/web_process.hpp"
#include "ui/driver/compare_pictures.hpp"

using app::testing::DevTools;
using app::testing::lockstep;
using app::testing::WebProcess;
using core::testing::TempFolder;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int kWidth = 1280;
constexpr int kHeight = 800;
constexpr int kControl = 2;
constexpr int kShift = 8;

std::string make_sample(const TempFolder& folder) {
    std::string run = (folder.path() / "run").string();
    REQUIRE(lockstep({"sample", run, "--ranks=4"}).status == 0);
    return run;
}

// Empty: there is none, and the test says that it is skipped.
std::string find_browser() {
    std::string program = DevTools::find();
    if (program.empty()) MESSAGE("skipped: there is no Chromium to open the page in");
    return program;
}

// Blending rounds otherwise, so a few pixels of letters differ a little; a line that moved differs by much.
void check_same(const ui::Image& page, const fs::path& shot) {
    const core::Result<ui::Image> expected = ui::read_png(shot);
    REQUIRE(expected);
    const ui::PictureDifference slight = ui::compare_pictures(page, *expected, 2);
    const ui::PictureDifference clear = ui::compare_pictures(page, *expected, 32);
    CHECK(slight.same_size);
    CHECK(slight.pixels <= 500);
    CHECK(clear.pixels <= 2);
}

}  // namespace

TEST_CASE("the page shows the pixels of lockstep shot, in every theme and at ratio 2") {
    const std::string program = find_browser();
    if (program.empty()) return;
    const TempFolder folder;
    const std::string run = make_sample(folder);
    DevTools browser(program);
    struct Case {
        const char* theme;
        double ratio;
        const char* panel;
    };
    for (const Case& each : {Case{"dark", 1, "kernels"}, Case{"light", 2, "overview"}, Case{"safe", 1, "breakdown"}}) {
        CAPTURE(each.theme);
        WebProcess web({run, std::string("--theme=") + each.theme, std::string("--panel=") + each.panel});
        browser.resize(kWidth, kHeight, each.ratio);
        browser.open(web.url());
        REQUIRE(browser.wait_idle());
        const fs::path shot = folder.path() / "shot.png";
        const int ratio = static_cast<int>(each.ratio);
        const std::string size = std::to_string(kWidth * ratio) + "x" + std::to_string(kHeight * ratio);
        REQUIRE(lockstep({"shot", run, "--no-cache", std::string("--theme=") + each.theme,
                          std::string("--panel=") + each.panel, "--scale=" + std::to_string(ratio), "--size=" + size,
                          "-o", shot.string()})
                    .status == 0);
        check_same(browser.picture(), shot);
        CHECK(browser.console() == "");
    }
}

TEST_CASE("keys, text, wheel, resizing, a second page and a lost connection work in the page") {
    const std::string program = find_browser();
    if (program.empty()) return;
    const TempFolder folder;
    const std::string run = make_sample(folder);
    WebProcess web({run});
    DevTools browser(program);
    browser.resize(kWidth, kHeight, 1);
    browser.open(web.url());
    REQUIRE(browser.wait_idle());
    // Pixels that are not as before, once the window is idle.
    const auto differs = [&](const ui::Image& before) {
        REQUIRE(browser.wait_idle());
        return ui::compare_pictures(browser.picture(), before, 8).pixels;
    };

    SUBCASE("Ctrl+F opens the window's find bar, and text goes into it") {
        const ui::Image before = browser.picture();
        browser.key("KeyF", "f", 70, kControl);
        CHECK(browser.wait_until("document.documentElement.dataset.typing === 'true'"));
        const ui::Image open = browser.picture();
        CHECK(differs(before) > 500);
        browser.type("gemm");
        CHECK(differs(open) > 100);
        browser.key("Escape", "Escape", 27);
        CHECK(browser.wait_until("document.documentElement.dataset.typing === 'false'"));
    }
    SUBCASE("Ctrl and the wheel zoom the timeline, not the page") {
        const ui::Image before = browser.picture();
        browser.wheel(600, 300, -300, kControl);
        CHECK(differs(before) > 2'000);
        CHECK(browser.evaluate("window.devicePixelRatio") == 1);
        CHECK(browser.evaluate("window.visualViewport.scale") == 1);
    }
    SUBCASE("a resized page has a window of its size") {
        browser.resize(900, 700, 1);
        CHECK(browser.wait_until("document.querySelector('canvas').width === 900"));
        REQUIRE(browser.wait_idle());
        const fs::path shot = folder.path() / "shot.png";
        REQUIRE(lockstep({"shot", run, "--no-cache", "--size=900x700", "-o", shot.string()}).status == 0);
        const core::Result<ui::Image> expected = ui::read_png(shot);
        REQUIRE(expected);
        const ui::Image page = browser.picture();
        CHECK(page.width == 900);
        CHECK(page.height == 700);
        // Rows keep the height that suited the size at first.
        const auto bars = [](const ui::Image& image) { return ui::crop(image, 0, 0, 900, 140); };
        CHECK(ui::compare_pictures(bars(page), bars(*expected), 32).pixels <= 2);
    }
    SUBCASE("saved files are downloads, and the page draws the picture") {
        browser.allow_downloads(folder.path());
        const auto wait_for = [](const fs::path& file) {
            for (int i = 0; i < 600 && !fs::exists(file); ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return fs::exists(file);
        };
        browser.key("KeyS", "s", 83, kControl);
        REQUIRE(browser.wait_until("document.documentElement.dataset.typing === 'true'"));
        browser.key("Enter", "Enter", 13);
        CHECK(wait_for(folder.path() / "run.lockstep"));
        browser.key("KeyP", "P", 80, kControl | kShift);
        REQUIRE(browser.wait_idle());
        browser.type("picture of the window");
        REQUIRE(browser.wait_idle());
        browser.key("Enter", "Enter", 13);
        REQUIRE(browser.wait_idle());
        browser.key("Enter", "Enter", 13);
        REQUIRE(wait_for(folder.path() / "run.png"));
        const core::Result<ui::Image> picture = ui::read_png(folder.path() / "run.png");
        REQUIRE(picture);
        const fs::path shot = folder.path() / "shot.png";
        REQUIRE(lockstep({"shot", run, "--no-cache", "--size=1280x800", "-o", shot.string()}).status == 0);
        check_same(*picture, shot);
    }
    SUBCASE("at rest no byte is sent") {
        const std::size_t before = browser.received_bytes();
        std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
        browser.evaluate("1");
        CHECK(browser.received_bytes() == before);
    }
    SUBCASE("a second page is refused in words and may take over") {
        DevTools second(program);
        second.resize(kWidth, kHeight, 1);
        second.open(web.url());
        REQUIRE(second.wait_until("document.documentElement.dataset.state === 'ended'"));
        CHECK(second.words() == "Another page shows this window.");
        CHECK(browser.state() == "connected");
        second.evaluate("document.getElementById('again').click()");
        CHECK(second.wait_idle());
        CHECK(browser.wait_until("document.documentElement.dataset.state === 'ended'"));
        CHECK(browser.words() == "Another page shows this window now.");
        CHECK(ui::compare_pictures(second.picture(), browser.picture(), 8).pixels > 0);  // the message is over it
    }
    SUBCASE("without the token the page says so") {
        browser.open("about:blank");
        browser.open("http://" + web.host() + "/#0123");
        REQUIRE(browser.wait_until("document.documentElement.dataset.state === 'ended'"));
        CHECK(browser.words() == "The address has no valid token. Use the one that the program printed.");
    }
    SUBCASE("the page says that the program ended") {
        CHECK(web.end().first);
        REQUIRE(browser.wait_until("document.documentElement.dataset.state === 'ended'"));
        CHECK(browser.words() == "Lockstep ended.");
    }
}
