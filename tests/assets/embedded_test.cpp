#include "assets/embedded.hpp"
#include "tests/places.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

TEST_CASE("the three faces are embedded whole") {
    for (const char* const face : {"Inter-Regular.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf"}) {
        INFO(face);
        const std::span<const unsigned char> bytes = assets::font(face);
        REQUIRE(bytes.size() > 50'000);
        const std::string magic(bytes.begin(), bytes.begin() + 4);
        CHECK((magic == "OTTO" || magic == std::string("\0\1\0\0", 4)));
    }
}

TEST_CASE("every shader is embedded as it stands in its file") {
    for (const auto& entry : std::filesystem::directory_iterator(core::testing::source_folder() / "shaders")) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".vert" && extension != ".frag") continue;
        INFO(entry.path().string());
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        CHECK(assets::shader(entry.path().filename().string()) == text);
    }
}

TEST_CASE("an unknown file is empty") {
    CHECK(assets::shader("no-such.frag").empty());
    CHECK(assets::font("no-such.ttf").empty());
}
