#include "ui/driver/compare_pictures.hpp"

#include "assets/embedded.hpp"
#include "core/base/output_file.hpp"
#include "core/base/small_file.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ui {
namespace {

constexpr const char* kDrawingFile = "drawing.txt";
constexpr std::array<std::string_view, 3> kFonts = {"Inter-Regular.otf", "Inter-SemiBold.otf",
                                                    "JetBrainsMono-Regular.ttf"};

int largest_delta(const std::uint8_t* a, const std::uint8_t* b) {
    int largest = 0;
    for (int channel = 0; channel < 3; ++channel) largest = std::max(largest, std::abs(a[channel] - b[channel]));
    return largest;
}

void mark(const std::uint8_t* actual, bool differs, std::uint8_t* marked) {
    for (int channel = 0; channel < 3; ++channel) marked[channel] = static_cast<std::uint8_t>(actual[channel] / 3);
    marked[3] = 255;
    if (differs) marked[0] = 255;
}

std::filesystem::path sibling_of(const std::filesystem::path& expected, const char* what) {
    std::filesystem::path path = expected;
    return path.replace_extension(what);
}

}  // namespace

PictureDifference compare_pictures(const Image& actual, const Image& expected, int channel_tolerance) {
    PictureDifference difference;
    difference.same_size = actual.width == expected.width && actual.height == expected.height;
    if (!difference.same_size) return difference;
    difference.marked = actual;
    for (std::size_t at = 0; at < actual.rgba.size(); at += 4) {
        const int delta = largest_delta(&actual.rgba[at], &expected.rgba[at]);
        const bool differs = delta > channel_tolerance;
        difference.largest = std::max(difference.largest, delta);
        difference.pixels += differs ? 1 : 0;
        mark(&actual.rgba[at], differs, &difference.marked.rgba[at]);
    }
    const std::size_t pixels = actual.rgba.size() / 4;
    difference.share = pixels == 0 ? 0 : static_cast<double>(difference.pixels) / static_cast<double>(pixels);
    return difference;
}

core::Result<bool> check_picture(const Image& actual, const std::filesystem::path& expected,
                                 const PictureTolerance& tolerance) {
    const core::Result<Image> wanted = read_png(expected);
    if (!wanted) return wanted.error();
    const PictureDifference difference = compare_pictures(actual, *wanted, tolerance.channel);
    if (difference.same_size && difference.share <= tolerance.share) return true;
    if (core::Result<bool> written = write_png(sibling_of(expected, ".actual.png"), actual); !written) return written;
    if (!difference.same_size)
        return core::Error{core::ErrorCode::NotFound, expected.string() + ": is of another size than " +
                                                          std::to_string(actual.width) + " x " +
                                                          std::to_string(actual.height)};
    if (core::Result<bool> written = write_png(sibling_of(expected, ".diff.png"), difference.marked); !written)
        return written;
    return core::Error{core::ErrorCode::NotFound,
                       expected.string() + ": " + std::to_string(difference.pixels) + " pixels differ, by " +
                           std::to_string(difference.largest) + " at most; see " +
                           sibling_of(expected, ".diff.png").filename().string() + " next to it"};
}

std::string describe_drawing() {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const std::string_view font : kFonts)
        for (const unsigned char byte : assets::font(font)) hash = (hash ^ byte) * 0x100000001B3u;
    return fmt::format("fonts {:016x}, Dear ImGui " IMGUI_VERSION, hash);
}

core::Result<bool> is_expected_drawing(const std::filesystem::path& folder) {
    const core::Result<std::string> recorded = core::read_small_file(folder / kDrawingFile);
    if (!recorded) return recorded.error();
    return std::string_view(*recorded).substr(0, recorded->find('\n')) == describe_drawing();
}

core::Result<bool> record_picture(const Image& picture, const std::filesystem::path& expected) {
    std::error_code error;
    std::filesystem::create_directories(expected.parent_path(), error);
    const core::Result<std::uint64_t> written =
        core::write_whole_file(expected.parent_path() / kDrawingFile, describe_drawing() + "\n");
    if (!written) return written.error();
    return write_png(expected, picture);
}

}  // namespace ui
