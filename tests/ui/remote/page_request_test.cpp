#include "ui/remote/page_request.hpp"

#include "tests/ui/remote/frame_decoder.hpp"
#include "ui/remote/page_stream.hpp"
#include "ui/remote/wire_bytes.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>

using namespace ui::remote;

namespace {

std::string begin_with(std::string_view token, std::uint64_t width, float ratio) {
    WireWriter out;
    out.add_byte(0);
    out.add_text(kProtocol);
    out.add_text(token);
    out.add_byte(1);
    out.add_byte(0);
    out.add_varint(width);
    out.add_varint(600);
    out.add_float(ratio);
    return out.take();
}

}  // namespace

TEST_CASE("a page begins with protocol, token and size") {
    const std::string message = begin_with("secret", 800, 1.5f);
    const std::optional<PageBegin> begin = decode_begin(message);
    REQUIRE(begin);
    CHECK(begin->protocol == kProtocol);
    CHECK(begin->token == "secret");
    CHECK(begin->takes_over);
    CHECK(!begin->mac);
    CHECK(begin->size == PageSize{.width = 800, .height = 600, .ratio = 1.5f});
    for (std::size_t bytes = 0; bytes < message.size(); ++bytes) CHECK(!decode_begin(message.substr(0, bytes)));
    CHECK(!decode_begin(message + "x"));
    CHECK(!decode_begin(begin_with(std::string(129, 'x'), 800, 1)));
    CHECK(!decode_begin(begin_with("secret", 63, 1)));
    CHECK(!decode_begin(begin_with("secret", 800, 9)));
    CHECK(!decode_request(message));  // once only
}

TEST_CASE("later messages are input, drawn frames, pasted text and pictures, each within its size") {
    const auto message = [](RequestKind kind, std::string_view body) {
        return std::string(1, static_cast<char>(kind)) + std::string(body);
    };
    const std::string drawn = message(RequestKind::Drawn, "\x85\x01");
    REQUIRE(decode_request(drawn));
    CHECK(decode_request(drawn)->frame == 133);
    CHECK(!decode_request(message(RequestKind::Drawn, "")));
    CHECK(!decode_request(message(RequestKind::Drawn, "\x05x")));
    const std::string paste = message(RequestKind::Paste, "\xC3\xA4");
    REQUIRE(decode_request(paste));
    CHECK(decode_request(paste)->body == "\xC3\xA4");
    CHECK(!decode_request(message(RequestKind::Paste, "\xC3")));
    CHECK(!decode_request(message(RequestKind::Paste, std::string(kMostPasteBytes + 1, 'x'))));
    CHECK(decode_request(message(RequestKind::Paste, std::string(kMostPasteBytes, 'x'))));
    CHECK(!decode_request(message(RequestKind::Input, std::string(kMostInputBytes + 1, 'x'))));
    CHECK(!decode_request(""));
    CHECK(!decode_request("\x09"));
}

TEST_CASE("messages to a page are one deflate stream of kind, length and body") {
    PageStream stream;
    ui::testing::InflateStream inflate;
    const std::string bytes = stream.hello("Lockstep 1") + stream.text(StreamKind::Title, "run") +
                              stream.file("a.csv", "x,y", 7) + stream.picture_wanted(800, 600);
    const std::optional<std::string> text = inflate.add(bytes);
    REQUIRE(text);
    WireReader in(*text);
    CHECK(in.take_byte() == static_cast<std::uint8_t>(StreamKind::Hello));
    WireReader hello(in.take_text(100));
    CHECK(hello.take_text(100) == kProtocol);
    CHECK(hello.take_text(100) == "Lockstep 1");
    CHECK(in.take_byte() == static_cast<std::uint8_t>(StreamKind::Title));
    CHECK(in.take_text(100) == "run");
    CHECK(in.take_byte() == static_cast<std::uint8_t>(StreamKind::File));
    WireReader file(in.take_text(100));
    CHECK(file.take_text(100) == "a.csv");
    CHECK(file.take_varint() == 7);
    CHECK(file.take_bytes(3) == "x,y");
    CHECK(in.take_byte() == static_cast<std::uint8_t>(StreamKind::PictureWanted));
    WireReader picture(in.take_text(100));
    CHECK(picture.take_varint() == 800);
    CHECK(picture.take_varint() == 600);
    CHECK(in.at_end());
}

TEST_CASE("a picture has the size that was asked for, and no damaged bytes or other sizes pass") {
    const std::string pixels(std::size_t{80} * 70 * 4, '\x11');
    const auto packed = [](const std::string& bytes) {
        z_stream stream{};
        deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
        std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
        std::string in = bytes;
        stream.next_in = reinterpret_cast<Bytef*>(in.data());
        stream.avail_in = static_cast<uInt>(in.size());
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        deflate(&stream, Z_FINISH);
        out.resize(out.size() - stream.avail_out);
        deflateEnd(&stream);
        return out;
    };
    const auto body = [&](std::uint64_t width, std::uint64_t height, const std::string& bytes) {
        WireWriter out;
        out.add_varint(width);
        out.add_varint(height);
        out.add_bytes(packed(bytes));
        return out.take();
    };
    const std::string whole = body(80, 70, pixels);
    const std::optional<ui::Image> image = decode_picture(whole, 80, 70);
    REQUIRE(image);
    CHECK(image->width == 80);
    CHECK(image->height == 70);
    CHECK(image->rgba[0] == 0x11);
    CHECK(image->rgba[3] == 255);
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        CHECK(!decode_picture(std::string_view(whole).substr(0, bytes), 80, 70));
    CHECK(!decode_picture(whole, 70, 80));
    CHECK(!decode_picture(body(80, 70, pixels + "x"), 80, 70));
    CHECK(!decode_picture(body(80, 70, pixels.substr(1)), 80, 70));
    CHECK(!decode_picture(body(80, 70, std::string(1 << 22, 'x')), 80, 70));
}
