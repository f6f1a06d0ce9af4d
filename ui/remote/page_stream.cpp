#include "ui/remote/page_stream.hpp"

#include "ui/remote/wire_bytes.hpp"

namespace ui::remote {

std::string PageStream::pack(StreamKind kind, std::string_view body) {
    WireWriter out;
    out.add_byte(static_cast<std::uint8_t>(kind));
    out.add_text(body);
    return deflate_.add(out.bytes());
}

std::string PageStream::hello(std::string_view program) {
    WireWriter body;
    body.add_text(kProtocol);
    body.add_text(program);
    return pack(StreamKind::Hello, body.bytes());
}

std::string PageStream::frame(const FrameNotes& notes, const FrameDrawing& drawing) {
    WireWriter body;
    body.add_varint(notes.number);
    body.add_varint(notes.input);
    body.add_byte(static_cast<std::uint8_t>(notes.cursor));
    body.add_byte(notes.typing ? 1 : 0);
    body.add_byte(notes.busy ? 1 : 0);
    body.add_coordinate(to_position(notes.caret_x));
    body.add_coordinate(to_position(notes.caret_y));
    body.add_bytes(frames_.encode(drawing));
    return pack(StreamKind::Frame, body.bytes());
}

std::string PageStream::text(StreamKind kind, std::string_view text) { return pack(kind, text); }

std::string PageStream::file(std::string_view name, std::string_view bytes, std::uint64_t left) {
    WireWriter body;
    body.add_text(name);
    body.add_varint(left);
    body.add_bytes(bytes);
    return pack(StreamKind::File, body.bytes());
}

std::string PageStream::picture_wanted(int width, int height) {
    WireWriter body;
    body.add_varint(static_cast<std::uint64_t>(width));
    body.add_varint(static_cast<std::uint64_t>(height));
    return pack(StreamKind::PictureWanted, body.bytes());
}

}  // namespace ui::remote
