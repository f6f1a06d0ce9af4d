#pragma once
// The twin of ui/remote/frame_encoder and strip_encoder: gives back the frames that were encoded,
// positions to 1/64 px. Any bytes are safe to decode; nullopt: not a message. After that, and
// for another connection, begin with a new decoder.
//
// message: forget u8, size and scale 4 floats, background u32, textures, scenes, lists; numbers are varints
// texture: id, changed u8 [width, height, bytes a pixel u8, pixels]
// scene: id, flags u8 (1 strips, 2 rectangles, 4 over), origin, 4 colours, waiting [quads, strips] [rectangles]
// list: slot, changed u8 [palette, new glyph shapes by field, commands, runs, fields of glyphs, boxes and triangles]

#include "ui/remote/frame_encoder.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ui::testing {

using remote::GlyphShape;
using remote::PrimitiveKind;
using remote::WireReader;

struct DecodedVertex {  // 1/64 px, 1/65536 of the texture
    std::int32_t x = 0, y = 0, u = 0, v = 0;
    std::uint32_t color = 0;
    bool operator==(const DecodedVertex&) const = default;
};

struct DecodedCommand {
    DrawKind kind = DrawKind::Triangles;
    ClipPixels clip;
    std::uint32_t texture = 0, color = 0, scene = 0;
    std::vector<DecodedVertex> corners;  // of triangles, three each
    bool operator==(const DecodedCommand&) const = default;
};

struct DecodedScene {
    std::int32_t x = 0, y = 0;  // origin, 1/64 px
    std::array<ImU32, 4> colors{};
    ImU32 waiting = 0;
    bool over = false;
    std::array<std::size_t, kStripKinds> quad_counts{};
    std::vector<StripQuad> quads;
    int strip_width = 0;
    std::vector<std::uint32_t> strips;
    std::vector<RectInstance> rects;
    bool operator==(const DecodedScene&) const = default;
};

struct DecodedTexture {
    int width = 0, height = 0;
    std::string rgba;
    bool operator==(const DecodedTexture&) const = default;
};

struct DecodedFrame {
    std::array<float, 4> size_and_scale{};
    ImU32 background = 0;
    std::vector<DecodedTexture> textures;
    std::vector<DecodedScene> scenes;
    std::vector<std::vector<DecodedCommand>> lists;
    bool operator==(const DecodedFrame&) const = default;
};

class StripDecoder {
public:
    // False: damaged.
    bool decode(int width, WireReader& in) {
        if (width != width_) earlier_.clear();
        width_ = width;
        const std::int64_t shift = in.take_signed();
        const std::size_t rows = in.take_count();
        const auto columns = static_cast<std::size_t>(width);
        if (in.failed() || shift < -kMostShift || shift > kMostShift || rows * columns > kMostPixels) return false;
        std::vector<std::uint32_t> pixels(rows * columns);
        fresh_.clear();
        for (std::size_t row = 0; row < rows; ++row)
            if (!decode_row(row, static_cast<std::ptrdiff_t>(shift), pixels, in)) return false;
        if (!fill_fresh(pixels, in)) return false;
        earlier_ = std::move(pixels);
        return true;
    }
    const std::vector<std::uint32_t>& pixels() const { return earlier_; }

private:
    static constexpr std::int64_t kMostShift = 240;
    static constexpr std::size_t kMostPixels = std::size_t{1} << 24;

    bool decode_row(std::size_t row, std::ptrdiff_t shift, std::vector<std::uint32_t>& pixels, WireReader& in) {
        const auto columns = static_cast<std::size_t>(width_);
        const std::size_t begin = row * columns;
        if (in.take_byte() == 0) {
            fresh_.push_back({.begin = begin, .count = columns});
            return !in.failed();
        }
        const std::int64_t from =
            static_cast<std::int64_t>(row) + std::clamp<std::int64_t>(in.take_signed(), -1'000'000, 1'000'000);
        if (in.failed() || from < 0 || static_cast<std::size_t>(from) >= earlier_.size() / columns) return false;
        const auto source = static_cast<std::size_t>(from) * columns;
        for (std::size_t x = 0; x < columns;) {
            const std::size_t equal = in.take_varint(columns - x);
            for (std::size_t end = x + equal; x < end; ++x) {
                const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(x) - shift;
                if (at < 0 || at >= static_cast<std::ptrdiff_t>(columns)) return false;
                pixels[begin + x] = earlier_[source + static_cast<std::size_t>(at)];
            }
            if (x == columns) break;
            const std::size_t fresh = in.take_varint(columns - x);
            if (in.failed() || (equal == 0 && fresh == 0)) return false;
            fresh_.push_back({.begin = begin + x, .count = fresh});
            x += fresh;
        }
        return true;
    }

    bool fill_fresh(std::vector<std::uint32_t>& pixels, WireReader& in) {
        std::size_t wanted = 0;
        for (const Fresh& fresh : fresh_) wanted += fresh.count;
        const std::size_t runs = in.take_count(5);
        std::vector<std::size_t> lengths(runs);
        std::size_t given = 0;
        for (std::size_t& length : lengths) given += length = in.take_varint(wanted - given);
        std::vector<std::uint32_t> values(runs);
        for (int shift = 0; shift < 32; shift += 8)
            for (std::uint32_t& value : values) value |= std::uint32_t{in.take_byte()} << shift;
        if (in.failed() || given != wanted) return false;
        std::size_t run = 0;
        std::size_t used = 0;
        for (const Fresh& fresh : fresh_) {
            for (std::size_t i = 0; i < fresh.count; ++i) {
                for (; used == lengths[run]; used = 0) ++run;
                pixels[fresh.begin + i] = values[run];
                ++used;
            }
        }
        return true;
    }

    struct Fresh {
        std::size_t begin = 0, count = 0;
    };
    int width_ = 0;
    std::vector<std::uint32_t> earlier_;
    std::vector<Fresh> fresh_;
};

class FrameDecoder {
public:
    std::optional<DecodedFrame> decode(std::string_view message) {
        WireReader in(message);
        if (in.take_byte() != 0) forget();
        DecodedFrame frame;
        for (float& value : frame.size_and_scale) value = in.take_float();
        frame.background = in.take_u32();
        for (std::size_t left = in.take_count(2); left > 0 && !in.failed(); --left) decode_texture(frame, in);
        for (std::size_t left = in.take_count(24); left > 0 && !in.failed(); --left) decode_scene(frame, in);
        for (std::size_t left = in.take_count(2); left > 0 && !in.failed(); --left) decode_list(frame, in);
        if (in.failed() || !in.at_end()) return std::nullopt;
        return frame;
    }

private:
    static constexpr int kMostSize = 16'384;

    void forget() { *this = FrameDecoder(); }

    void decode_texture(DecodedFrame& frame, WireReader& in) {
        DecodedTexture& texture = textures_[in.take_varint()];
        if (in.take_byte() != 0) {
            texture.width = static_cast<int>(in.take_varint(kMostSize));
            texture.height = static_cast<int>(in.take_varint(kMostSize));
            const std::size_t bytes = in.take_byte();
            if (bytes != 1 && bytes != 4) return in.fail();
            const auto pixels = static_cast<std::size_t>(texture.width) * static_cast<std::size_t>(texture.height);
            const std::string_view raw = in.take_bytes(pixels * bytes);
            texture.rgba.assign(raw);
            if (bytes == 1) {
                texture.rgba.assign(raw.size() * 4, '\xFF');
                for (std::size_t i = 0; i < raw.size(); ++i) texture.rgba[i * 4 + 3] = raw[i];
            }
        }
        frame.textures.push_back(texture);
    }

    static std::int16_t add_short(std::int64_t before, std::int64_t by, WireReader& in) {
        if (by < -65'536 || by > 65'536 || before + by < INT16_MIN || before + by > INT16_MAX) {
            in.fail();
            return 0;
        }
        return static_cast<std::int16_t>(before + by);
    }

    // Both kinds of rectangles have left, right, top, bottom, each field in an array.
    template <class Rect>
    static void decode_edges(std::vector<Rect>& rects, WireReader& in) {
        std::int16_t before = 0;
        for (Rect& rect : rects) before = rect.left = add_short(before, in.take_signed(), in);
        for (Rect& rect : rects) rect.right = add_short(rect.left, in.take_signed(), in);
        before = 0;
        for (Rect& rect : rects) before = rect.top = add_short(before, in.take_signed(), in);
        for (Rect& rect : rects) rect.bottom = add_short(rect.top, in.take_signed(), in);
    }

    static std::vector<std::uint32_t> decode_palette(WireReader& in) {
        std::vector<std::uint32_t> colors(in.take_count(4));
        for (std::uint32_t& color : colors) color = in.take_u32();
        return colors;
    }

    static std::uint32_t take_color(const std::vector<std::uint32_t>& palette, WireReader& in) {
        const std::uint64_t number = in.take_varint();
        if (number < palette.size()) return palette[number];
        in.fail();
        return 0;
    }

    void decode_scene(DecodedFrame& frame, WireReader& in) {
        Scene& kept = scenes_[in.take_varint()];
        DecodedScene& scene = kept.drawn;
        const std::uint8_t flags = in.take_byte();
        scene.over = (flags & 4) != 0;
        scene.x = in.take_coordinate();
        scene.y = in.take_coordinate();
        for (ImU32& color : scene.colors) color = in.take_u32();
        scene.waiting = in.take_u32();
        if ((flags & 1) != 0) decode_strips(kept, in);
        if ((flags & 2) != 0) {
            const std::vector<std::uint32_t> palette = decode_palette(in);
            scene.rects.assign(in.take_count(5), {});
            decode_edges(scene.rects, in);
            for (RectInstance& rect : scene.rects) rect.color = take_color(palette, in);
        }
        frame.scenes.push_back(scene);
    }

    struct Scene {
        DecodedScene drawn;
        StripDecoder strips;
    };

    static void decode_strips(Scene& kept, WireReader& in) {
        DecodedScene& scene = kept.drawn;
        std::size_t quads = 0;
        for (std::size_t& count : scene.quad_counts) quads += count = in.take_count(5);
        if (in.failed()) return;
        scene.quads.assign(quads, {});
        decode_edges(scene.quads, in);
        std::int64_t row = 0;
        for (StripQuad& quad : scene.quads) {
            row = std::clamp<std::int64_t>(row + std::clamp<std::int64_t>(in.take_signed(), -100'000, 100'000), 0,
                                           100'000);
            quad.row = static_cast<std::int32_t>(row);
        }
        scene.strip_width = static_cast<int>(in.take_varint(kMostSize));
        scene.strips.clear();
        if (scene.strip_width == 0 || in.failed()) return;
        if (!kept.strips.decode(scene.strip_width, in)) return in.fail();
        scene.strips = kept.strips.pixels();
    }

    struct Run {
        PrimitiveKind kind;
        std::size_t count;
    };
    struct Primitive {
        std::int32_t x = 0, y = 0, w = 0, h = 0, u0 = 0, v0 = 0, u1 = 0, v1 = 0;
        std::uint32_t color = 0;
    };

    // Commands with their numbers of runs; the primitives come later.
    static std::vector<DecodedCommand> decode_commands(const std::vector<std::uint32_t>& palette,
                                                       std::vector<std::size_t>& run_counts, std::size_t scenes,
                                                       std::size_t textures, WireReader& in) {
        std::vector<DecodedCommand> commands(in.take_count(5));
        std::array<std::int64_t, 4> edges{};
        for (DecodedCommand& command : commands) {
            const std::uint8_t kind = in.take_byte();
            if (kind > static_cast<std::uint8_t>(DrawKind::Scene)) in.fail();
            command.kind = static_cast<DrawKind>(kind);
            for (std::int64_t& edge : edges) {
                const std::int64_t by = in.take_signed();
                if (by < -2'000'000'000 || by > 2'000'000'000) in.fail();
                edge = in.failed() ? 0 : std::clamp<std::int64_t>(edge + by, INT32_MIN, INT32_MAX);
            }
            command.clip = {.left = static_cast<int>(edges[0]),
                            .top = static_cast<int>(edges[1]),
                            .right = static_cast<int>(edges[2]),
                            .bottom = static_cast<int>(edges[3])};
            run_counts.push_back(0);
            if (command.kind == DrawKind::Fill) command.color = take_color(palette, in);
            if (command.kind == DrawKind::Scene) command.scene = take_index(scenes, in);
            if (command.kind == DrawKind::Triangles) {
                command.texture = take_index(textures, in);
                run_counts.back() = in.take_count();
            }
        }
        return commands;
    }

    static std::uint32_t take_index(std::size_t size, WireReader& in) {
        const std::uint64_t index = in.take_varint();
        if (index < size) return static_cast<std::uint32_t>(index);
        in.fail();
        return 0;
    }

    static std::int32_t add(std::int32_t a, std::int64_t b, WireReader& in) {
        constexpr std::int64_t kMost = INT32_MAX;
        if (b < -2 * kMost || b > 2 * kMost || a + b > kMost || a + b < -kMost) in.fail();
        return in.failed() ? 0 : static_cast<std::int32_t>(a + b);
    }

    template <class Items, class Take>
    static void each(Items& items, Take take) {
        for (auto& item : items) take(item);
    }

    bool decode_glyphs(WireReader& in) {
        std::vector<GlyphShape> shapes(in.take_count(6));
        for (std::size_t field = 0; field < 6; ++field)
            for (GlyphShape& shape : shapes) shape[field] = add(0, in.take_signed(), in);
        glyphs_.insert(glyphs_.end(), shapes.begin(), shapes.end());
        return !in.failed();
    }

    void decode_list(DecodedFrame& frame, WireReader& in) {
        const std::uint64_t slot = in.take_varint(1'000'000);
        const bool changed = in.take_byte() != 0;
        if (in.failed()) return;
        if (!changed && !lists_.contains(slot)) return in.fail();
        if (changed) lists_[slot] = decode_content(frame, in);
        frame.lists.push_back(lists_[slot]);
        // The parts of the frame that a list of an earlier one refers to may be gone.
        for (const DecodedCommand& command : lists_[slot])
            if ((command.kind == DrawKind::Scene && command.scene >= frame.scenes.size()) ||
                (command.kind == DrawKind::Triangles && command.texture >= frame.textures.size()))
                in.fail();
    }

    // Positions are relative to the primitive before, whatever its kind, so the fields are read first and added up in
    // order. Glyphs and boxes come by field, too.
    std::vector<DecodedCommand> decode_content(const DecodedFrame& frame, WireReader& in) {
        const std::vector<std::uint32_t> palette = decode_palette(in);
        if (!decode_glyphs(in)) return {};
        std::vector<std::size_t> run_counts;
        std::vector<DecodedCommand> commands =
            decode_commands(palette, run_counts, frame.scenes.size(), frame.textures.size(), in);
        std::vector<Run> runs(in.take_count());
        std::array<std::size_t, 3> counts{};
        for (Run& run : runs) {
            const std::uint64_t word = in.take_varint(std::uint64_t{1} << 32);
            run = {.kind = static_cast<PrimitiveKind>(word % 3), .count = static_cast<std::size_t>(word / 3)};
            counts[word % 3] += run.count;
        }
        Fields fields;
        if (in.failed() || !take_fields(fields, counts, palette, in)) {
            in.fail();
            return {};
        }
        std::size_t run = 0;
        Pen pen;
        for (std::size_t i = 0; i < commands.size(); ++i) {
            for (std::size_t k = 0; k < run_counts[i]; ++k, ++run) {
                if (run == runs.size()) {
                    in.fail();
                    return {};
                }
                for (std::size_t n = 0; n < runs[run].count; ++n)
                    draw(runs[run].kind, fields, pen, commands[i].corners, in);
            }
        }
        if (run != runs.size()) in.fail();
        return commands;
    }

    struct Fields {
        std::vector<std::size_t> glyph_ids, ages;
        std::vector<std::int64_t> glyph_x, glyph_y, box_x, box_y, box_w, box_h, box_u, box_v, x, y, u, v;
        std::vector<std::uint32_t> glyph_colors, box_colors, colors;
    };

    bool take_fields(Fields& f, const std::array<std::size_t, 3>& counts, const std::vector<std::uint32_t>& palette,
                     WireReader& in) {
        const auto [glyphs, boxes, triangles] = counts;
        const auto take = [&](auto& field, std::size_t count, auto read) {
            for (std::size_t i = 0; i < count && !in.failed(); ++i) field.push_back(read());
        };
        const auto coordinate = [&] { return std::int64_t{in.take_coordinate()}; };
        const auto number = [&] { return in.take_signed(); };
        const auto color = [&] { return take_color(palette, in); };
        take(f.glyph_ids, glyphs, [&] { return std::size_t{take_index(glyphs_.size(), in)}; });
        take(f.glyph_x, glyphs, coordinate);
        take(f.glyph_y, glyphs, coordinate);
        take(f.glyph_colors, glyphs, color);
        take(f.box_x, boxes, coordinate);
        take(f.box_y, boxes, coordinate);
        take(f.box_w, boxes, coordinate);
        take(f.box_h, boxes, coordinate);
        take(f.box_u, boxes, number);
        take(f.box_v, boxes, number);
        take(f.box_colors, boxes, color);
        take(f.ages, triangles * 3, [&] { return static_cast<std::size_t>(in.take_varint(UINT32_MAX)); });
        const auto vertices = static_cast<std::size_t>(std::ranges::count(f.ages, 0u));
        take(f.x, vertices, coordinate);
        take(f.y, vertices, coordinate);
        take(f.u, vertices, number);
        take(f.v, vertices, number);
        take(f.colors, vertices, color);
        return !in.failed();
    }

    struct Pen {  // the place of the primitive before, and how much of the fields is used
        std::int32_t x = 0, y = 0, u = 0, v = 0;
        std::size_t glyph = 0, box = 0, corner = 0;
        std::vector<DecodedVertex> vertices;
    };

    void draw(PrimitiveKind kind, const Fields& f, Pen& pen, std::vector<DecodedVertex>& out, WireReader& in) const {
        const auto move = [&](std::int64_t x, std::int64_t y) {
            pen.x = add(pen.x, x, in);
            pen.y = add(pen.y, y, in);
        };
        const auto recolor = [&](std::int64_t u, std::int64_t v) {
            pen.u = add(pen.u, u, in);
            pen.v = add(pen.v, v, in);
        };
        if (kind == PrimitiveKind::Glyph) {
            const std::size_t i = pen.glyph++;
            const GlyphShape& g = glyphs_[f.glyph_ids[i]];
            move(f.glyph_x[i], f.glyph_y[i]);
            add_upright({.x = pen.x,
                         .y = pen.y,
                         .w = add(pen.x, g[0], in),
                         .h = add(pen.y, g[1], in),
                         .u0 = g[2],
                         .v0 = g[3],
                         .u1 = g[4],
                         .v1 = g[5],
                         .color = f.glyph_colors[i]},
                        out);
        } else if (kind == PrimitiveKind::Box) {
            const std::size_t i = pen.box++;
            move(f.box_x[i], f.box_y[i]);
            recolor(f.box_u[i], f.box_v[i]);
            add_upright({.x = pen.x,
                         .y = pen.y,
                         .w = add(pen.x, f.box_w[i], in),
                         .h = add(pen.y, f.box_h[i], in),
                         .u0 = pen.u,
                         .v0 = pen.v,
                         .u1 = pen.u,
                         .v1 = pen.v,
                         .color = f.box_colors[i]},
                        out);
        } else {
            for (int k = 0; k < 3; ++k) {
                const std::size_t age = f.ages[pen.corner++];
                if (age > pen.vertices.size()) return in.fail();
                if (age == 0) {
                    const std::size_t i = pen.vertices.size();
                    move(f.x[i], f.y[i]);
                    recolor(f.u[i], f.v[i]);
                    pen.vertices.push_back({.x = pen.x, .y = pen.y, .u = pen.u, .v = pen.v, .color = f.colors[i]});
                }
                out.push_back(age == 0 ? pen.vertices.back() : pen.vertices[pen.vertices.size() - age]);
            }
        }
    }

    // w and h are the right and the lower edge.
    static void add_upright(const Primitive& p, std::vector<DecodedVertex>& out) {
        const DecodedVertex a{.x = p.x, .y = p.y, .u = p.u0, .v = p.v0, .color = p.color};
        const DecodedVertex b{.x = p.w, .y = p.y, .u = p.u1, .v = p.v0, .color = p.color};
        const DecodedVertex c{.x = p.w, .y = p.h, .u = p.u1, .v = p.v1, .color = p.color};
        const DecodedVertex d{.x = p.x, .y = p.h, .u = p.u0, .v = p.v1, .color = p.color};
        out.insert(out.end(), {a, b, c, a, c, d});
    }

    std::map<std::uint64_t, DecodedTexture> textures_;
    std::map<std::uint64_t, Scene> scenes_;
    std::map<std::uint64_t, std::vector<DecodedCommand>> lists_;
    std::vector<GlyphShape> glyphs_;
};

// The frame as a decoder should give it, made without the encoder's code.
inline DecodedFrame as_decoded(const FrameDrawing& frame) {
    const auto rounded = [](float value, double units) {
        return static_cast<std::int32_t>(std::lround(static_cast<double>(value) * units));
    };
    DecodedFrame out;
    out.size_and_scale = {frame.size.x, frame.size.y, frame.scale.x, frame.scale.y};
    out.background = frame.background;
    for (const TextureDrawing& texture : frame.textures)
        out.textures.push_back({.width = texture.width,
                                .height = texture.height,
                                .rgba = std::string(texture.rgba.begin(), texture.rgba.end())});
    for (const SceneDrawing* const scene : frame.scenes) {
        const bool strips = !scene->quads.empty() && scene->strip_width > 0;
        out.scenes.push_back({.x = rounded(scene->origin.x, 64),
                              .y = rounded(scene->origin.y, 64),
                              .colors = scene->colors,
                              .waiting = scene->waiting,
                              .over = scene->over,
                              .quad_counts = scene->quad_counts,
                              .quads = scene->quads,
                              .strip_width = strips ? scene->strip_width : 0,
                              .strips = strips ? scene->strips : std::vector<std::uint32_t>(),
                              .rects = scene->rects});
    }
    for (const ListDrawing& list : frame.lists) {
        std::vector<DecodedCommand>& commands = out.lists.emplace_back();
        for (const DrawCommand& drawn : list.commands) {
            DecodedCommand& command = commands.emplace_back();
            command.kind = drawn.kind;
            command.clip = drawn.clip;
            command.texture = drawn.texture;
            command.color = drawn.color;
            command.scene = drawn.scene;
            for (const ImDrawIdx index : list.indices.subspan(drawn.first_index, drawn.indices)) {
                const ImDrawVert& vertex = list.vertices[drawn.first_vertex + index];
                command.corners.push_back({.x = rounded(vertex.pos.x, 64),
                                           .y = rounded(vertex.pos.y, 64),
                                           .u = rounded(vertex.uv.x, 65'536),
                                           .v = rounded(vertex.uv.y, 65'536),
                                           .color = vertex.col});
            }
        }
    }
    return out;
}

// Reads the stream of a DeflateStream; nullopt: damaged, or a message above `most` bytes.
class InflateStream {
public:
    InflateStream() { inflateInit2(&stream_, -MAX_WBITS); }
    ~InflateStream() { inflateEnd(&stream_); }
    InflateStream(const InflateStream&) = delete;
    InflateStream& operator=(const InflateStream&) = delete;

    std::optional<std::string> add(std::string_view packed, std::size_t most = std::size_t{1} << 26) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        stream_.avail_in = static_cast<uInt>(packed.size());
        std::string message;
        std::array<char, 16'384> piece{};
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
            stream_.avail_out = static_cast<uInt>(piece.size());
            const int result = inflate(&stream_, Z_SYNC_FLUSH);
            if (result != Z_OK && result != Z_BUF_ERROR) return std::nullopt;
            message.append(piece.data(), piece.size() - stream_.avail_out);
            if (message.size() > most) return std::nullopt;
        } while (stream_.avail_out == 0);
        return message;
    }

private:
    z_stream stream_{};
};

}  // namespace ui::testing
