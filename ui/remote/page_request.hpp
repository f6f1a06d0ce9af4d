#pragma once
// Messages of a page. Any bytes are safe: a damaged or too long message is refused whole. Pure.
//
// message: kind u8, then
//   begin: protocol text, token text, take over u8, mac u8, width, height, ratio float · input: see input_decoder ·
//   drawn: number of the frame · paste: UTF-8 · picture: width, height, pixels as raw deflate of RGBA rows, top first

#include "ui/platform/platform.hpp"
#include "ui/remote/input_decoder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ui::remote {

inline constexpr std::size_t kMostPasteBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostPictureBytes = std::size_t{1} << 26;
inline constexpr std::size_t kMostBeginBytes = 512;

enum class RequestKind : std::uint8_t { Begin, Input, Drawn, Paste, Picture };

struct PageBegin {
    std::string protocol;
    std::string token;
    bool takes_over = false;  // another page may show the window
    bool mac = false;
    PageSize size;
};

std::optional<PageBegin> decode_begin(std::string_view message);

struct PageRequest {  // after begin; body: views into the message
    RequestKind kind = RequestKind::Drawn;
    std::uint64_t frame = 0;  // Drawn
    std::string_view body;  // Input, Paste, Picture
};
std::optional<PageRequest> decode_request(std::string_view message);

// The pixels of a Picture's body. Absent: damaged, or not of this size.
std::optional<Image> decode_picture(std::string_view body, int width, int height);

}  // namespace ui::remote
