#pragma once
// All messages to one page, as the bytes of one deflate stream: kind u8, length varint, body. A new
// page needs a new stream. One thread at a time.
//
// hello: protocol text, program text · frame: number, newest input seen, cursor u8, typing u8, busy u8, caret x and
// y coordinates, then FrameEncoder's message · title, clipboard: text · file: name text, bytes left varint, bytes ·
// picture wanted: width, height

#include "ui/remote/deflate_stream.hpp"
#include "ui/remote/frame_encoder.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ui::remote {

inline constexpr std::string_view kProtocol = "lockstep.web/1";

enum class StreamKind : std::uint8_t { Hello, Frame, Title, Clipboard, File, PictureWanted };

enum class PageCursor : std::uint8_t { Arrow, Text, Move, SizeNs, SizeEw, SizeNesw, SizeNwse, Hand, Forbidden, None };

struct FrameNotes {
    std::uint64_t number = 0;
    std::uint64_t input = 0;  // number of the newest input that the frame shows
    PageCursor cursor = PageCursor::Arrow;
    bool typing = false;      // a text field has the keys
    bool busy = false;
    float caret_x = 0;        // px
    float caret_y = 0;
};

class PageStream {
public:
    std::string hello(std::string_view program);
    std::string frame(const FrameNotes&, const FrameDrawing&);
    std::string text(StreamKind, std::string_view);  // Title, Clipboard
    std::string file(std::string_view name, std::string_view bytes, std::uint64_t left);
    std::string picture_wanted(int width, int height);

private:
    std::string pack(StreamKind, std::string_view body);
    FrameEncoder frames_;
    DeflateStream deflate_;
};

}  // namespace ui::remote
