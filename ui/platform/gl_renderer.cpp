#include "ui/platform/gl_renderer.hpp"

#include "assets/embedded.hpp"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdio>

namespace ui {
namespace {

constexpr std::uint64_t kFramesKept = 240;  // of textures and scenes that no frame draws

GLuint compile(GLenum kind, std::string_view file) {
    const std::string_view source = assets::shader(file);
    const GLuint shader = glCreateShader(kind);
    const char* text = source.data();
    const auto length = static_cast<GLint>(source.size());
    glShaderSource(shader, 1, &text, &length);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok == 0) {
        std::array<char, 1024> log{};
        glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
        std::fprintf(stderr, "lockstep: shader %.*s: %s\n", static_cast<int>(file.size()), file.data(), log.data());
        assert(false);
    }
    return shader;
}

GLuint build_program(std::string_view vertex_file, std::string_view fragment_file) {
    const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_file);
    const GLuint fragment = compile(GL_FRAGMENT_SHADER, fragment_file);
    const GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    assert(ok != 0);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return program;
}

// A rectangle of four shorts, then four bytes: a colour or a texture row.
static_assert(sizeof(StripQuad) == 12 && sizeof(RectInstance) == 12);
constexpr GLsizei kStride = 12;

const void* byte_offset(std::size_t bytes) { return reinterpret_cast<const void*>(bytes); }

void declare_instances(GLuint vertices, GLuint buffer) {
    glBindVertexArray(vertices);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    for (const GLuint attribute : {0u, 1u}) {
        glEnableVertexAttribArray(attribute);
        glVertexAttribDivisor(attribute, 1);
    }
    glVertexAttribIPointer(0, 4, GL_SHORT, kStride, nullptr);
}

void set_color(GLint uniform, ImU32 color) {
    const ImVec4 rgba = ImGui::ColorConvertU32ToFloat4(color);
    glUniform3f(uniform, rgba.x, rgba.y, rgba.z);
}

void set_colors(GLint uniform, const std::array<ImU32, 4>& colors) {
    std::array<float, 12> values{};
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const ImVec4 rgba = ImGui::ColorConvertU32ToFloat4(colors[i]);
        values[i * 3] = rgba.x;
        values[i * 3 + 1] = rgba.y;
        values[i * 3 + 2] = rgba.z;
    }
    glUniform3fv(uniform, 4, values.data());
}

void clear(ImU32 color) {
    const ImVec4 rgba = ImGui::ColorConvertU32ToFloat4(color);
    glClearColor(rgba.x, rgba.y, rgba.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

void set_filter(GLint filter) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

}  // namespace

GlRenderer::Program::Program(std::string_view vertex_file, std::string_view fragment_file)
    : id(build_program(vertex_file, fragment_file)) {
    const auto find = [&](const char* name) { return glGetUniformLocation(id, name); };
    texture = find("u_texture");
    columns = find("u_columns");
    to_clip = find("u_to_clip");
    offset = find("u_offset");
    origin = find("u_origin");
    scale = find("u_scale");
    px_per_pixel = find("u_px_per_pixel");
    framebuffer = find("u_framebuffer");
    colors = find("u_colors");
    waiting = find("u_waiting");
    nothing = find("u_nothing");
}

GlRenderer::Program::~Program() { glDeleteProgram(id); }

GlRenderer::GlRenderer(Platform& platform)
    : platform_(platform),
      triangles_("triangles.vert", "triangles.frag"),
      strip_("strip.vert", "strip.frag"),
      stacked_("strip.vert", "stacked.frag"),
      rect_("rect.vert", "rect.frag") {
    glGenVertexArrays(1, &vertices_);
    glGenBuffers(1, &vertex_buffer_);
    glGenBuffers(1, &index_buffer_);
    glBindVertexArray(vertices_);
    glBindBuffer(GL_ARRAY_BUFFER, vertex_buffer_);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer_);
    for (const GLuint attribute : {0u, 1u, 2u}) glEnableVertexAttribArray(attribute);
    constexpr GLsizei kVertex = sizeof(ImDrawVert);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, kVertex, byte_offset(offsetof(ImDrawVert, pos)));
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, kVertex, byte_offset(offsetof(ImDrawVert, uv)));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, kVertex, byte_offset(offsetof(ImDrawVert, col)));
    glBindVertexArray(0);
}

GlRenderer::~GlRenderer() {
    for (const auto& [id, scene] : scenes_) release(scene);
    for (const auto& [id, texture] : textures_) glDeleteTextures(1, &texture.id);
    glDeleteVertexArrays(1, &vertices_);
    glDeleteBuffers(1, &vertex_buffer_);
    glDeleteBuffers(1, &index_buffer_);
}

void GlRenderer::upload_textures(const FrameDrawing& frame) {
    for (const TextureDrawing& drawn : frame.textures) {
        Texture& texture = textures_[drawn.id];
        texture.last_drawn = frames_;
        if (texture.id != 0 && texture.version == drawn.version) continue;
        if (texture.id == 0) glGenTextures(1, &texture.id);
        texture.version = drawn.version;
        glBindTexture(GL_TEXTURE_2D, texture.id);
        set_filter(GL_LINEAR);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, drawn.width, drawn.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     drawn.rgba.data());
    }
}

void GlRenderer::draw(const FrameDrawing& frame) {
    ++frames_;
    glViewport(0, 0, platform_.width(), platform_.height());
    glDisable(GL_SCISSOR_TEST);
    clear(frame.background);
    glEnable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_STENCIL_TEST);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glActiveTexture(GL_TEXTURE0);
    upload_textures(frame);
    for (const ListDrawing& list : frame.lists) draw_list(frame, list);
    glDisable(GL_SCISSOR_TEST);
    glBindVertexArray(0);
    release_unused();
}

void GlRenderer::begin_triangles(const FrameDrawing& frame) const {
    glEnable(GL_BLEND);
    glUseProgram(triangles_.id);
    glUniform1i(triangles_.texture, 0);
    glUniform2f(triangles_.to_clip, 2.0f / frame.size.x, 2.0f / -frame.size.y);
    glUniform2f(triangles_.offset, -1, 1);
    glBindVertexArray(vertices_);
}

void GlRenderer::draw_list(const FrameDrawing& frame, const ListDrawing& list) {
    glBindVertexArray(vertices_);
    glBindBuffer(GL_ARRAY_BUFFER, vertex_buffer_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(list.vertices.size_bytes()), list.vertices.data(),
                 GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(list.indices.size_bytes()), list.indices.data(),
                 GL_STREAM_DRAW);
    constexpr GLenum kIndex = sizeof(ImDrawIdx) == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
    bool ready = false;  // for triangles
    for (const DrawCommand& command : list.commands) {
        set_scissor(frame, command.clip);
        if (command.kind == DrawKind::Fill) {
            clear(command.color);
            continue;
        }
        if (command.kind == DrawKind::Scene) {
            draw_scene(frame, *frame.scenes[command.scene]);
            ready = false;
            continue;
        }
        if (!ready) begin_triangles(frame);
        ready = true;
        glBindTexture(GL_TEXTURE_2D, textures_[frame.textures[command.texture].id].id);
        glDrawElementsBaseVertex(GL_TRIANGLES, static_cast<GLsizei>(command.indices), kIndex,
                                 byte_offset(command.first_index * sizeof(ImDrawIdx)),
                                 static_cast<GLint>(command.first_vertex));
    }
}

void GlRenderer::set_scissor(const FrameDrawing& frame, const ClipPixels& clip) const {
    glScissor(clip.left, static_cast<int>(frame.pixel_height()) - clip.bottom, clip.right - clip.left,
              clip.bottom - clip.top);
}

GlRenderer::Scene& GlRenderer::uploaded(const SceneDrawing& drawn) {
    const auto [at, fresh] = scenes_.try_emplace(drawn.id);
    Scene& scene = at->second;
    scene.last_drawn = frames_;
    if (fresh) {
        glGenVertexArrays(1, &scene.strip_vertices);
        glGenVertexArrays(1, &scene.rect_vertices);
        glGenBuffers(1, &scene.strip_buffer);
        glGenBuffers(1, &scene.rect_buffer);
        glGenTextures(1, &scene.texture);
        declare_instances(scene.strip_vertices, scene.strip_buffer);
        glVertexAttribIPointer(1, 1, GL_INT, kStride, byte_offset(8));
        declare_instances(scene.rect_vertices, scene.rect_buffer);
        glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, kStride, byte_offset(8));
    }
    if (fresh || scene.strips_version != drawn.strips_version) upload_strips(scene, drawn);
    if (fresh || scene.rects_version != drawn.rects_version) {
        scene.rects_version = drawn.rects_version;
        glBindBuffer(GL_ARRAY_BUFFER, scene.rect_buffer);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(drawn.rects.size() * sizeof(RectInstance)),
                     drawn.rects.data(), GL_STREAM_DRAW);
    }
    return scene;
}

void GlRenderer::upload_strips(Scene& scene, const SceneDrawing& drawn) {
    scene.strips_version = drawn.strips_version;
    if (drawn.strip_width <= 0 || drawn.quads.empty()) return;
    glBindBuffer(GL_ARRAY_BUFFER, scene.strip_buffer);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(drawn.quads.size() * sizeof(StripQuad)), drawn.quads.data(),
                 GL_STREAM_DRAW);
    const int width = drawn.strip_width;
    const int height = static_cast<int>(drawn.strips.size()) / width;
    glBindTexture(GL_TEXTURE_2D, scene.texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    if (width != scene.texture_width || height > scene.texture_height) {
        scene.texture_width = width;
        scene.texture_height = std::max(height + height / 4, 16);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, scene.texture_width, scene.texture_height, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, nullptr);
        set_filter(GL_NEAREST);
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, drawn.strips.data());
}

void GlRenderer::use(const Program& program, const FrameDrawing& frame, const SceneDrawing& drawn) const {
    glUseProgram(program.id);
    glUniform2f(program.origin, drawn.origin.x, drawn.origin.y);
    glUniform2f(program.scale, frame.scale.x, frame.scale.y);
    glUniform2f(program.px_per_pixel, 1 / frame.scale.x, 1 / frame.scale.y);
    glUniform2f(program.framebuffer, frame.pixel_width(), frame.pixel_height());
}

void GlRenderer::draw_strips(const FrameDrawing& frame, const SceneDrawing& drawn, const Scene& scene, StripKind kind,
                             std::size_t first) const {
    const std::size_t count = drawn.quad_counts[static_cast<std::size_t>(kind)];
    if (count == 0) return;
    const Program& program = kind == StripKind::Colors ? strip_ : stacked_;
    use(program, frame, drawn);
    glUniform1i(program.columns, 0);
    set_color(program.waiting, drawn.waiting);
    if (kind == StripKind::StackedClasses) {
        glUniform1f(program.nothing, drawn.over ? 0.0f : 1.0f);
        set_colors(program.colors, drawn.colors);
    }
    // GL 3.3 has no base instance, so the attributes start at an offset instead.
    glBindVertexArray(scene.strip_vertices);
    glBindBuffer(GL_ARRAY_BUFFER, scene.strip_buffer);
    const std::size_t skip = first * sizeof(StripQuad);
    glVertexAttribIPointer(0, 4, GL_SHORT, kStride, byte_offset(skip));
    glVertexAttribIPointer(1, 1, GL_INT, kStride, byte_offset(skip + 8));
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(count));
}

void GlRenderer::draw_scene(const FrameDrawing& frame, const SceneDrawing& drawn) {
    const Scene& scene = uploaded(drawn);
    drawn.over ? glEnable(GL_BLEND) : glDisable(GL_BLEND);
    glBindTexture(GL_TEXTURE_2D, scene.texture);
    std::size_t first = 0;
    for (const StripKind kind : {StripKind::Colors, StripKind::StackedClasses}) {
        draw_strips(frame, drawn, scene, kind, first);
        first += drawn.quad_counts[static_cast<std::size_t>(kind)];
    }
    if (drawn.rects.empty()) return;
    use(rect_, frame, drawn);
    glBindVertexArray(scene.rect_vertices);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(drawn.rects.size()));
}

void GlRenderer::release(const Scene& scene) {
    glDeleteVertexArrays(1, &scene.strip_vertices);
    glDeleteVertexArrays(1, &scene.rect_vertices);
    glDeleteBuffers(1, &scene.strip_buffer);
    glDeleteBuffers(1, &scene.rect_buffer);
    glDeleteTextures(1, &scene.texture);
}

void GlRenderer::release_unused() {
    std::erase_if(scenes_, [&](const auto& entry) {
        const bool unused = frames_ - entry.second.last_drawn > kFramesKept;
        if (unused) release(entry.second);
        return unused;
    });
    std::erase_if(textures_, [&](const auto& entry) {
        const bool unused = frames_ - entry.second.last_drawn > kFramesKept;
        if (unused) glDeleteTextures(1, &entry.second.id);
        return unused;
    });
}

}  // namespace ui
