#pragma once
// Codes frames as messages for one player, each against those before: only what changed is sent.
// Positions are exact to 1/64 px, pixel rectangles and colours exact. A new player needs a new
// encoder. Layout: tests/ui/remote/frame_decoder.hpp. No GL, no sockets; any thread, one at a time.

#include "ui/platform/frame_drawing.hpp"
#include "ui/remote/strip_encoder.hpp"
#include "ui/remote/wire_bytes.hpp"

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ui::remote {

inline constexpr float kPositionUnits = 64;     // per px
inline constexpr float kTextureUnits = 65'536;  // per width or height of a texture
std::int32_t to_position(float px);       // clamped; not a number is 0
std::int32_t to_texture_place(float uv);  // same

// Widths, heights and places in a texture of a letter: the same at all its appearances.
using GlyphShape = std::array<std::int32_t, 6>;  // width, height, u0, v0, u1, v1

enum class PrimitiveKind : std::uint8_t { Glyph, Box, Triangle };

class FrameEncoder {
public:
    std::string encode(const FrameDrawing&);  // a message; deflated by DeflateStream

private:
    struct SentList {
        std::size_t slot = 0;
        std::uint64_t hash = 0;
        bool sent = false;
    };
    struct SentScene {
        std::uint64_t strips_version = 0, rects_version = 0;
        bool sent = false;
        StripEncoder strips;
    };
    struct GlyphHash {
        std::size_t operator()(const GlyphShape&) const;
    };
    class ListWriter;

    void forget();
    void add_textures(const FrameDrawing&, WireWriter& out);
    void add_scene(const SceneDrawing&, WireWriter& out);
    void add_lists(const FrameDrawing&, WireWriter& out);

    bool fresh_ = true;  // nothing was sent
    std::map<std::uint64_t, std::uint64_t> textures_;  // versions by id
    std::map<std::uint64_t, SentScene> scenes_;        // by id
    std::map<std::pair<std::string, std::size_t>, SentList, std::less<>> lists_;  // by name and occurrence
    std::unordered_map<GlyphShape, std::uint32_t, GlyphHash> glyphs_;             // numbers, in the order of sending
};

}  // namespace ui::remote
