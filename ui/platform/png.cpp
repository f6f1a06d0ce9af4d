#include "ui/platform/platform.hpp"

#include <png.h>

#include <algorithm>

namespace ui {
namespace {

core::Error failure(const std::filesystem::path& path, std::string what) {
    return {core::ErrorCode::Io, path.string() + ": " + std::move(what)};
}

png_image header_of(const Image& image) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.width);
    header.height = static_cast<png_uint_32>(image.height);
    header.format = PNG_FORMAT_RGBA;
    return header;
}

}  // namespace

Image crop(const Image& image, int left, int top, int right, int bottom) {
    left = std::clamp(left, 0, image.width);
    top = std::clamp(top, 0, image.height);
    Image part{.width = std::clamp(right, left, image.width) - left,
               .height = std::clamp(bottom, top, image.height) - top,
               .rgba = {}};
    const auto bytes = [](int pixels) { return static_cast<std::size_t>(pixels) * 4; };
    for (int row = top; row < top + part.height; ++row) {
        const std::uint8_t* begin =
            image.rgba.data() + bytes(row) * static_cast<std::size_t>(image.width) + bytes(left);
        part.rgba.insert(part.rgba.end(), begin, begin + bytes(part.width));
    }
    return part;
}

core::Result<Image> read_png(const std::filesystem::path& path) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&header, path.c_str()) == 0) return failure(path, header.message);
    header.format = PNG_FORMAT_RGBA;
    Image image{.width = static_cast<int>(header.width), .height = static_cast<int>(header.height), .rgba = {}};
    image.rgba.resize(PNG_IMAGE_SIZE(header));
    if (png_image_finish_read(&header, nullptr, image.rgba.data(), 0, nullptr) == 0)
        return failure(path, header.message);
    return image;
}

core::Result<std::string> encode_png(const Image& image) {
    png_image header = header_of(image);
    png_alloc_size_t size = 0;
    if (png_image_write_get_memory_size(header, size, 0, image.rgba.data(), 0, nullptr) == 0)
        return core::Error{core::ErrorCode::Internal, header.message};
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgba.data(), 0, nullptr) == 0)
        return core::Error{core::ErrorCode::Internal, header.message};
    bytes.resize(size);
    return bytes;
}

core::Result<bool> write_png(const std::filesystem::path& path, const Image& image, const core::InputFiles& inputs) {
    const core::Result<std::string> bytes = encode_png(image);
    if (!bytes) return failure(path, bytes.error().message);
    const core::Result<std::uint64_t> written = core::write_whole_file(path, *bytes, {.inputs = inputs});
    if (!written) return written.error();
    return true;
}

}  // namespace ui
