#include "ui/driver/compare_pictures.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

namespace {

constexpr int kSide = 100;

ui::Image plain(int width = kSide, int height = kSide) {
    ui::Image image{width, height, {}};
    image.rgba.assign(static_cast<std::size_t>(width * height) * 4, 100);
    return image;
}

ui::Image with_changes(std::size_t pixels, int delta) {
    ui::Image image = plain();
    for (std::size_t i = 0; i < pixels; ++i) image.rgba[i * 4 + 1] = static_cast<std::uint8_t>(100 + delta);
    return image;
}

}  // namespace

TEST_CASE("a channel may differ by the tolerance and no more") {
    CHECK(ui::compare_pictures(with_changes(50, 8), plain(), 8).pixels == 0);
    const ui::PictureDifference difference = ui::compare_pictures(with_changes(50, 9), plain(), 8);
    CHECK(difference.pixels == 50);
    CHECK(difference.largest == 9);
    CHECK(difference.share == doctest::Approx(0.005));
    CHECK(difference.marked.rgba[0] == 255);
    CHECK(difference.marked.rgba[50 * 4] == 33);
}

TEST_CASE("pictures of other sizes differ") { CHECK_FALSE(ui::compare_pictures(plain(), plain(50, 200), 8).same_size); }

TEST_CASE("a picture that differs too much is written next to the expected one, with its differences") {
    const core::testing::TempFolder folder;
    const auto expected = folder.path() / "window.png";
    REQUIRE(ui::write_png(expected, plain()));
    CHECK(ui::check_picture(with_changes(5, 100), expected));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "window.actual.png"));
    const auto failed = ui::check_picture(with_changes(6, 100), expected);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message.find("6 pixels differ, by 100 at most") != std::string::npos);
    CHECK(std::filesystem::exists(folder.path() / "window.actual.png"));
    CHECK(std::filesystem::exists(folder.path() / "window.diff.png"));
    CHECK_FALSE(ui::check_picture(plain(50, 50), expected));
    CHECK_FALSE(ui::check_picture(plain(), folder.path() / "none.png"));
}

TEST_CASE("a recorded picture is expected where it was drawn with the same fonts") {
    const core::testing::TempFolder folder;
    const auto expected = folder.path() / "goldens" / "window.png";
    CHECK_FALSE(ui::is_expected_drawing(expected.parent_path()));
    REQUIRE(ui::record_picture(plain(), expected));
    CHECK(ui::is_expected_drawing(expected.parent_path()).value());
    CHECK(ui::check_picture(plain(), expected));
    std::ofstream(expected.parent_path() / "drawing.txt") << "fonts 0, Dear ImGui 1.0\n";
    CHECK_FALSE(ui::is_expected_drawing(expected.parent_path()).value());
}
