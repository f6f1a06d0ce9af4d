#include "ui/remote/frame_encoder.hpp"

#include "core/base/checksum.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ui::remote {
namespace {

constexpr std::size_t kMostGlyphs = 60'000;  // then everything is sent again
constexpr std::size_t kMostLists = 4'000;
constexpr std::size_t kMostScenes = 200;

std::int32_t to_units(float value, float units) {
    constexpr float kMost = 1 << 28;
    const float scaled = value * units;
    return std::isnan(scaled) ? 0 : static_cast<std::int32_t>(std::lround(std::clamp(scaled, -kMost, kMost)));
}

template <class T>
std::uint64_t hash_of(std::span<const T> values) {
    return core::checksum(std::as_bytes(values));
}

std::uint64_t hash_of(const ListDrawing& list) {
    std::vector<std::uint64_t> parts{hash_of(list.vertices), hash_of(list.indices)};
    for (const DrawCommand& command : list.commands) {
        const auto& clip = command.clip;
        for (const auto value : {static_cast<std::uint32_t>(command.kind), static_cast<std::uint32_t>(clip.left),
                                 static_cast<std::uint32_t>(clip.top), static_cast<std::uint32_t>(clip.right),
                                 static_cast<std::uint32_t>(clip.bottom), command.texture, command.first_index,
                                 command.indices, command.first_vertex, std::uint32_t{command.color}, command.scene})
            parts.push_back(value);
    }
    return hash_of(std::span<const std::uint64_t>(parts));
}

// The colours of a list or scene, numbered as they come.
class Palette {
public:
    std::uint32_t number_of(std::uint32_t color) {
        if (color == last_) return last_number_;
        const auto [at, fresh] = numbers_.try_emplace(color, static_cast<std::uint32_t>(colors_.size()));
        if (fresh) colors_.push_back(color);
        last_ = color;
        last_number_ = at->second;
        return at->second;
    }
    void write(WireWriter& out) const {
        out.add_varint(colors_.size());
        for (const std::uint32_t color : colors_) out.add_u32(color);
    }

private:
    std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
    std::vector<std::uint32_t> colors_;
    std::uint64_t last_ = UINT64_MAX;  // no colour
    std::uint32_t last_number_ = 0;
};

struct Vertex {
    std::int32_t x = 0, y = 0, u = 0, v = 0;
    std::uint32_t color = 0;
};

Vertex to_vertex(const ImDrawVert& vertex) {
    return {.x = to_position(vertex.pos.x),
            .y = to_position(vertex.pos.y),
            .u = to_texture_place(vertex.uv.x),
            .v = to_texture_place(vertex.uv.y),
            .color = vertex.col};
}

// Two triangles that are an upright rectangle of one colour, from its upper left corner clockwise.
bool is_upright(const std::array<Vertex, 4>& corners) {
    const auto& [a, b, c, d] = corners;
    return a.color == b.color && a.color == c.color && a.color == d.color && a.y == b.y && b.x == c.x && c.y == d.y &&
           d.x == a.x && a.v == b.v && b.u == c.u && c.v == d.v && d.u == a.u;
}

void add_rects(std::span<const RectInstance> rects, WireWriter& out) {
    Palette palette;
    WireWriter colors;
    for (const RectInstance& rect : rects) colors.add_varint(palette.number_of(rect.color));
    palette.write(out);
    out.add_varint(rects.size());
    RectInstance before;
    for (const RectInstance& rect : rects) out.add_signed(rect.left - std::exchange(before.left, rect.left));
    for (const RectInstance& rect : rects) out.add_signed(rect.right - rect.left);
    for (const RectInstance& rect : rects) out.add_signed(rect.top - std::exchange(before.top, rect.top));
    for (const RectInstance& rect : rects) out.add_signed(rect.bottom - rect.top);
    out.add_bytes(colors.bytes());
}

void add_quads(const SceneDrawing& scene, WireWriter& out) {
    for (const std::size_t count : scene.quad_counts) out.add_varint(count);
    StripQuad before;
    for (const StripQuad& quad : scene.quads) out.add_signed(quad.left - std::exchange(before.left, quad.left));
    for (const StripQuad& quad : scene.quads) out.add_signed(quad.right - quad.left);
    for (const StripQuad& quad : scene.quads) out.add_signed(quad.top - std::exchange(before.top, quad.top));
    for (const StripQuad& quad : scene.quads) out.add_signed(quad.bottom - quad.top);
    for (const StripQuad& quad : scene.quads) out.add_signed(quad.row - std::exchange(before.row, quad.row));
}

}  // namespace

std::int32_t to_position(float px) { return to_units(px, kPositionUnits); }
std::int32_t to_texture_place(float uv) { return to_units(uv, kTextureUnits); }

std::size_t FrameEncoder::GlyphHash::operator()(const GlyphShape& shape) const {
    return static_cast<std::size_t>(core::checksum(std::as_bytes(std::span(shape))));
}

// Writes one list. Fields have arrays of their own, because equal neighbours deflate best.
class FrameEncoder::ListWriter {
public:
    ListWriter(const ListDrawing& list, std::unordered_map<GlyphShape, std::uint32_t, GlyphHash>& glyphs)
        : list_(list), glyphs_(glyphs), orders_(list.vertices.size(), 0) {}

    void write(WireWriter& out) {
        for (const DrawCommand& command : list_.commands) add_command(command);
        end_run();
        palette_.write(out);
        out.add_varint(new_glyphs_);
        for (const WireWriter& field : shapes_) out.add_bytes(field.bytes());
        out.add_varint(list_.commands.size());
        out.add_bytes(commands_.bytes());
        out.add_varint(runs_);
        for (const WireWriter& field :
             {run_kinds_, glyph_ids_, glyph_x_, glyph_y_, glyph_colors_, box_x_, box_y_, box_w_, box_h_, box_u_, box_v_,
              box_colors_, ages_, vertex_x_, vertex_y_, vertex_u_, vertex_v_, vertex_colors_})
            out.add_bytes(field.bytes());
    }

private:
    void add_command(const DrawCommand& command) {
        commands_.add_byte(static_cast<std::uint8_t>(command.kind));
        commands_.add_signed(command.clip.left - clip_.left);
        commands_.add_signed(command.clip.top - clip_.top);
        commands_.add_signed(command.clip.right - clip_.right);
        commands_.add_signed(command.clip.bottom - clip_.bottom);
        clip_ = command.clip;
        if (command.kind == DrawKind::Fill) commands_.add_varint(palette_.number_of(command.color));
        if (command.kind == DrawKind::Scene) commands_.add_varint(command.scene);
        if (command.kind != DrawKind::Triangles) return;
        end_run();
        const std::size_t runs_before = runs_;
        add_triangles(command);
        end_run();
        commands_.add_varint(command.texture);
        commands_.add_varint(runs_ - runs_before);
    }

    void add_triangles(const DrawCommand& command) {
        const auto indices = list_.indices.subspan(command.first_index, command.indices);
        std::size_t i = 0;
        while (i + 3 <= indices.size()) {
            const bool rectangle = i + 6 <= indices.size() && add_rectangle(indices.subspan(i, 6), command);
            if (rectangle) {
                i += 6;
                continue;
            }
            count(PrimitiveKind::Triangle);
            for (std::size_t k = 0; k < 3; ++k) add_corner(command.first_vertex + indices[i + k]);
            i += 3;
        }
    }

    bool add_rectangle(std::span<const ImDrawIdx> six, const DrawCommand& command) {
        if (six[3] != six[0] || six[4] != six[2]) return false;
        std::array<Vertex, 4> corners;
        const std::array<ImDrawIdx, 4> indices{six[0], six[1], six[2], six[5]};
        for (std::size_t k = 0; k < 4; ++k) corners[k] = to_vertex(list_.vertices[command.first_vertex + indices[k]]);
        if (!is_upright(corners)) return false;
        const Vertex& a = corners[0];
        const Vertex& c = corners[2];
        if (a.u == c.u && a.v == c.v)
            add_box(a, c);
        else
            add_glyph(a, c);
        return true;
    }

    void add_glyph(const Vertex& a, const Vertex& c) {
        count(PrimitiveKind::Glyph);
        const GlyphShape shape{c.x - a.x, c.y - a.y, a.u, a.v, c.u, c.v};
        const auto [at, fresh] = glyphs_.try_emplace(shape, static_cast<std::uint32_t>(glyphs_.size()));
        if (fresh) {
            ++new_glyphs_;
            for (std::size_t k = 0; k < shape.size(); ++k) shapes_[k].add_signed(shape[k]);
        }
        glyph_ids_.add_varint(at->second);
        move_to(a, glyph_x_, glyph_y_);
        glyph_colors_.add_varint(palette_.number_of(a.color));
    }

    void add_box(const Vertex& a, const Vertex& c) {
        count(PrimitiveKind::Box);
        move_to(a, box_x_, box_y_);
        box_w_.add_coordinate(c.x - a.x);
        box_h_.add_coordinate(c.y - a.y);
        box_u_.add_signed(a.u - std::exchange(u_, a.u));
        box_v_.add_signed(a.v - std::exchange(v_, a.v));
        box_colors_.add_varint(palette_.number_of(a.color));
    }

    // A vertex that was sent is its age; 0 is a new one.
    void add_corner(std::size_t index) {
        std::uint32_t& order = orders_[index];
        if (order != 0) {
            ages_.add_varint(vertices_ + 1 - order);
            return;
        }
        ages_.add_varint(0);
        order = ++vertices_;
        const Vertex vertex = to_vertex(list_.vertices[index]);
        move_to(vertex, vertex_x_, vertex_y_);
        vertex_u_.add_signed(vertex.u - std::exchange(u_, vertex.u));
        vertex_v_.add_signed(vertex.v - std::exchange(v_, vertex.v));
        vertex_colors_.add_varint(palette_.number_of(vertex.color));
    }

    void move_to(const Vertex& to, WireWriter& x, WireWriter& y) {
        x.add_coordinate(to.x - std::exchange(x_, to.x));
        y.add_coordinate(to.y - std::exchange(y_, to.y));
    }

    void count(PrimitiveKind kind) {
        if (kind != kind_) end_run();
        kind_ = kind;
        ++length_;
    }

    void end_run() {
        if (length_ == 0) return;
        run_kinds_.add_varint(length_ * 3 + static_cast<std::size_t>(kind_));
        ++runs_;
        length_ = 0;
    }

    const ListDrawing& list_;
    std::unordered_map<GlyphShape, std::uint32_t, GlyphHash>& glyphs_;
    std::vector<std::uint32_t> orders_;  // of vertices sent, from 1
    std::uint32_t vertices_ = 0;
    Palette palette_;
    std::size_t new_glyphs_ = 0, runs_ = 0, length_ = 0;
    PrimitiveKind kind_ = PrimitiveKind::Glyph;
    std::int32_t x_ = 0, y_ = 0, u_ = 0, v_ = 0;
    ClipPixels clip_;
    std::array<WireWriter, 6> shapes_;
    WireWriter commands_, run_kinds_, glyph_ids_, glyph_x_, glyph_y_, glyph_colors_, box_x_, box_y_, box_w_, box_h_,
        box_u_, box_v_, box_colors_, ages_, vertex_x_, vertex_y_, vertex_u_, vertex_v_, vertex_colors_;
};

void FrameEncoder::forget() {
    fresh_ = true;
    textures_.clear();
    scenes_.clear();
    lists_.clear();
    glyphs_.clear();
}

// A letter's atlas is white with alpha, so alpha is enough.
void FrameEncoder::add_textures(const FrameDrawing& frame, WireWriter& out) {
    out.add_varint(frame.textures.size());
    for (const TextureDrawing& texture : frame.textures) {
        out.add_varint(texture.id);
        const auto [at, fresh] = textures_.try_emplace(texture.id, texture.version);
        const bool changed = fresh || at->second != texture.version;
        at->second = texture.version;
        out.add_byte(changed ? 1 : 0);
        if (!changed) continue;
        const auto rgba = texture.rgba;
        bool white = true;
        for (std::size_t i = 0; i + 4 <= rgba.size() && white; i += 4)
            white = rgba[i] == 255 && rgba[i + 1] == 255 && rgba[i + 2] == 255;
        out.add_varint(static_cast<std::uint64_t>(texture.width));
        out.add_varint(static_cast<std::uint64_t>(texture.height));
        out.add_byte(white ? 1 : 4);
        for (std::size_t i = white ? 3 : 0; i < rgba.size(); i += white ? 4 : 1) out.add_byte(rgba[i]);
    }
}

void FrameEncoder::add_scene(const SceneDrawing& scene, WireWriter& out) {
    SentScene& sent = scenes_[scene.id];
    const bool strips = !sent.sent || sent.strips_version != scene.strips_version;
    const bool rects = !sent.sent || sent.rects_version != scene.rects_version;
    out.add_varint(scene.id);
    out.add_byte(static_cast<std::uint8_t>((strips ? 1 : 0) | (rects ? 2 : 0) | (scene.over ? 4 : 0)));
    out.add_coordinate(to_position(scene.origin.x));
    out.add_coordinate(to_position(scene.origin.y));
    for (const ImU32 color : scene.colors) out.add_u32(color);
    out.add_u32(scene.waiting);
    if (strips) {
        add_quads(scene, out);
        const bool drawn = !scene.quads.empty() && scene.strip_width > 0;
        out.add_varint(drawn ? static_cast<std::uint64_t>(scene.strip_width) : 0);
        if (drawn) sent.strips.encode(scene.strip_width, scene.strips, out);
    }
    if (rects) add_rects(scene.rects, out);
    sent.strips_version = scene.strips_version;
    sent.rects_version = scene.rects_version;
    sent.sent = true;
}

void FrameEncoder::add_lists(const FrameDrawing& frame, WireWriter& out) {
    std::map<std::string_view, std::size_t> occurrences;
    out.add_varint(frame.lists.size());
    for (const ListDrawing& list : frame.lists) {
        const auto [at, fresh] = lists_.try_emplace({std::string(list.name), occurrences[list.name]++});
        SentList& sent = at->second;
        if (fresh) sent.slot = lists_.size() - 1;
        const std::uint64_t hash = hash_of(list);
        const bool changed = !sent.sent || sent.hash != hash;
        out.add_varint(sent.slot);
        out.add_byte(changed ? 1 : 0);
        sent.hash = hash;
        sent.sent = true;
        if (changed) ListWriter(list, glyphs_).write(out);
    }
}

std::string FrameEncoder::encode(const FrameDrawing& frame) {
    if (glyphs_.size() > kMostGlyphs || lists_.size() > kMostLists || scenes_.size() > kMostScenes) forget();
    WireWriter out;
    out.add_byte(fresh_ ? 1 : 0);
    fresh_ = false;
    for (const float value : {frame.size.x, frame.size.y, frame.scale.x, frame.scale.y}) out.add_float(value);
    out.add_u32(frame.background);
    add_textures(frame, out);
    out.add_varint(frame.scenes.size());
    for (const SceneDrawing* const scene : frame.scenes) add_scene(*scene, out);
    add_lists(frame, out);
    return out.take();
}

}  // namespace ui::remote
