#pragma once
// Compares pictures by eye: small differences of rasterisation pass, a moved line does not.
// Expected pictures only apply where the same fonts and the same Dear ImGui draw them
// (describe_drawing).

#include "ui/platform/platform.hpp"

namespace ui {

struct PictureTolerance {
    int channel = 8;          // a pixel differs if one of its channels differs by more
    double share = 0.0005;    // of the pixels may differ
};

struct PictureDifference {
    bool same_size = false;
    std::size_t pixels = 0;   // pixels that differ
    int largest = 0;          // of any channel
    double share = 1;
    Image marked;             // the actual picture, faint, with differing pixels in red; empty if sizes differ
};

PictureDifference compare_pictures(const Image& actual, const Image& expected, int channel_tolerance);

// Fails if they differ, and writes ACTUAL.actual.png and .diff.png next to the expected file.
core::Result<bool> check_picture(const Image& actual, const std::filesystem::path& expected,
                                 const PictureTolerance& = {});

// Inputs of pictures besides our code: the embedded fonts and the version of Dear ImGui.
std::string describe_drawing();
// True if the folder's drawing.txt says the same.
core::Result<bool> is_expected_drawing(const std::filesystem::path& folder);
core::Result<bool> record_picture(const Image&, const std::filesystem::path& expected);

}  // namespace ui
