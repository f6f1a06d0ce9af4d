#include "ui/platform/platform.hpp"

#include <glad/gl.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

struct TemporaryFile {
    std::filesystem::path path = std::filesystem::temp_directory_path() / "lockstep_platform_test.png";
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

}  // namespace

TEST_CASE("an off-screen frame is read back top row first") {
    auto platform = ui::Platform::open_offscreen(8, 4);
    REQUIRE(platform.has_value());
    ui::Platform& target = **platform;
    target.begin_frame();
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 3, 2, 1);  // OpenGL counts rows from the bottom: this is the top left corner
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    const ui::Image image = target.read_pixels();
    target.present();
    REQUIRE(image.width == 8);
    REQUIRE(image.height == 4);
    const auto red = [&](int x, int y) { return image.rgba[static_cast<std::size_t>(y * 8 + x) * 4]; };
    CHECK(red(0, 0) == 255);
    CHECK(red(1, 0) == 255);
    CHECK(red(2, 0) == 0);
    CHECK(red(0, 1) == 0);
    CHECK(red(0, 3) == 0);
    CHECK(target.window() == nullptr);
    CHECK(target.description().find("OpenGL") == 0);
}

TEST_CASE("a picture is equal after writing and reading") {
    const TemporaryFile file;
    ui::Image image{3, 2, {}};
    for (std::size_t i = 0; i < 24; ++i) image.rgba.push_back(static_cast<std::uint8_t>(i % 4 == 3 ? 255 : i * 10));
    REQUIRE(ui::write_png(file.path, image).has_value());
    const auto back = ui::read_png(file.path);
    REQUIRE(back.has_value());
    CHECK((*back).width == 3);
    CHECK((*back).height == 2);
    CHECK((*back).rgba == image.rgba);
    const auto bytes = ui::encode_png(image);
    REQUIRE(bytes.has_value());
    std::ifstream file_bytes(file.path, std::ios::binary);
    CHECK(*bytes == std::string(std::istreambuf_iterator<char>(file_bytes), {}));
}

TEST_CASE("errors of writing and reading pictures name the file") {
    const ui::Image image{1, 1, {0, 0, 0, 255}};
    const auto written = ui::write_png("/nonexistent/folder/a.png", image);
    REQUIRE_FALSE(written.has_value());
    CHECK(written.error().message.find("a.png") != std::string::npos);
    const auto read = ui::read_png("/nonexistent/b.png");
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().message.find("b.png") != std::string::npos);
}
