#pragma once
// Whether two pictures look the same: small differences of rasterisation pass, a moved line does not.
// Pictures are compared only where they are drawn with what the expected ones were drawn with.

#include "ui/platform/platform.hpp"

namespace ui {

struct PictureTolerance {
    int channel = 8;          // a pixel differs when a channel does by more
    double share = 0.0005;    // of the pixels may differ
};

struct PictureDifference {
    bool same_size = false;
    std::size_t pixels = 0;   // that differ
    int largest = 0;          // of any channel
    double share = 1;
    Image marked;             // the actual picture, faint, with what differs in red; empty if sizes differ
};

PictureDifference compare_pictures(const Image& actual, const Image& expected, int channel_tolerance);

// Fails when they differ; then ACTUAL.actual.png and .diff.png lie beside the expected file.
core::Result<bool> check_picture(const Image& actual, const std::filesystem::path& expected,
                                 const PictureTolerance& = {});

// Inputs of pictures other than our code: the embedded fonts and the version of Dear ImGui.
std::string describe_drawing();
// Kept beside the expected pictures, in drawing.txt.
core::Result<bool> is_expected_drawing(const std::filesystem::path& folder);
core::Result<bool> record_picture(const Image&, const std::filesystem::path& expected);

}  // namespace ui
