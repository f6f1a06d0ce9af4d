#include "ui/remote/page_request.hpp"

#include "core/base/utf8.hpp"
#include "ui/remote/deflate_stream.hpp"
#include "ui/remote/wire_bytes.hpp"

#include <utility>

namespace ui::remote {
namespace {

constexpr std::size_t kMostProtocolBytes = 64;
constexpr std::size_t kMostTokenBytes = 128;

}  // namespace

std::optional<PageBegin> decode_begin(std::string_view message) {
    if (message.size() > kMostBeginBytes) return std::nullopt;
    WireReader in(message);
    if (in.take_byte() != static_cast<std::uint8_t>(RequestKind::Begin)) return std::nullopt;
    PageBegin begin;
    begin.protocol = in.take_text(kMostProtocolBytes);
    begin.token = in.take_text(kMostTokenBytes);
    begin.takes_over = in.take_byte() != 0;
    begin.mac = in.take_byte() != 0;
    begin.size.width = static_cast<int>(in.take_varint(kMostSide));
    begin.size.height = static_cast<int>(in.take_varint(kMostSide));
    begin.size.ratio = in.take_float();
    if (in.failed() || !in.at_end() || !is_valid(begin.size)) return std::nullopt;
    return begin;
}

std::optional<Image> decode_picture(std::string_view body, int width, int height) {
    WireReader in(body);
    const std::uint64_t given_width = in.take_varint(kMostSide);
    const std::uint64_t given_height = in.take_varint(kMostSide);
    const bool same = std::cmp_equal(given_width, width) && std::cmp_equal(given_height, height);
    if (in.failed() || !same || width <= 0 || height <= 0) return std::nullopt;
    const std::size_t bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4;
    const std::optional<std::string> pixels = inflate_whole(in.rest(), bytes);
    if (!pixels || pixels->size() != bytes) return std::nullopt;
    Image image{.width = width, .height = height, .rgba = {pixels->begin(), pixels->end()}};
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
    return image;
}

std::optional<PageRequest> decode_request(std::string_view message) {
    WireReader in(message);
    PageRequest request;
    request.kind = static_cast<RequestKind>(in.take_byte());
    if (in.failed()) return std::nullopt;
    request.body = message.substr(1);
    switch (request.kind) {
        case RequestKind::Input:
            if (request.body.size() > kMostInputBytes) return std::nullopt;
            return request;
        case RequestKind::Drawn:
            request.frame = in.take_varint();
            if (in.failed() || !in.at_end()) return std::nullopt;
            return request;
        case RequestKind::Paste:
            if (request.body.size() > kMostPasteBytes || !core::is_utf8(request.body)) return std::nullopt;
            return request;
        case RequestKind::Picture:
            if (request.body.size() > kMostPictureBytes) return std::nullopt;
            return request;
        case RequestKind::Begin:
            break;
    }
    return std::nullopt;
}

}  // namespace ui::remote
