#include "ui/timeline/scene/rect_renderer.hpp"

#include "assets/embedded.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/theme.hpp"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace ui {
namespace {

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

// Uploads while preserving GL bindings: they happen while ImGui builds its lists.
template <class Upload>
void keeping_buffer(GLuint buffer, Upload upload) {
    GLint old = 0;
    glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &old);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    upload();
    glBindBuffer(GL_ARRAY_BUFFER, static_cast<GLuint>(old));
}

// A rectangle of four shorts, then four bytes: a colour or a texture row.
static_assert(sizeof(StripQuad) == 12 && sizeof(RectInstance) == 12);
constexpr GLsizei kStride = 12;
constexpr float kDimmedShare = 0.72f;  // share of the background
const void* const kSecond = reinterpret_cast<const void*>(std::size_t{8});

template <class Declare>
void declare_attributes(GLuint vertices, GLuint buffer, Declare declare_second) {
    GLint old = 0;
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &old);
    glBindVertexArray(vertices);
    keeping_buffer(buffer, [&] {
        glEnableVertexAttribArray(0);
        glVertexAttribIPointer(0, 4, GL_SHORT, kStride, nullptr);
        glVertexAttribDivisor(0, 1);
        glEnableVertexAttribArray(1);
        declare_second();
        glVertexAttribDivisor(1, 1);
    });
    glBindVertexArray(static_cast<GLuint>(old));
}

void declare_row() { glVertexAttribIPointer(1, 1, GL_INT, kStride, kSecond); }
void declare_color() { glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, kStride, kSecond); }

void set_colors(GLuint program, const std::array<ImU32, 4>& colors) {
    std::array<float, 12> values{};
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const ImVec4 rgba = ImGui::ColorConvertU32ToFloat4(colors[i]);
        values[i * 3] = rgba.x;
        values[i * 3 + 1] = rgba.y;
        values[i * 3 + 2] = rgba.z;
    }
    glUniform3fv(glGetUniformLocation(program, "u_colors"), 4, values.data());
}

void use(GLuint program, ImVec2 origin) {
    const ImDrawData& data = *ImGui::GetDrawData();
    const ImVec2 scale = data.FramebufferScale;
    glUseProgram(program);
    glUniform2f(glGetUniformLocation(program, "u_origin"), origin.x - data.DisplayPos.x, origin.y - data.DisplayPos.y);
    glUniform2f(glGetUniformLocation(program, "u_scale"), scale.x, scale.y);
    glUniform2f(glGetUniformLocation(program, "u_px_per_pixel"), 1 / scale.x, 1 / scale.y);
    glUniform2f(glGetUniformLocation(program, "u_framebuffer"), data.DisplaySize.x * scale.x,
                data.DisplaySize.y * scale.y);
}

}  // namespace

void add_strip_quads(std::span<const std::uint32_t> strip, std::int32_t row, std::int16_t top, std::int16_t bottom,
                     std::vector<StripQuad>& out) {
    constexpr std::size_t kGap = 16;
    std::size_t x = 0;
    while (x < strip.size()) {
        if (strip[x] == 0) {
            ++x;
            continue;
        }
        std::size_t end = x + 1;  // past the last busy column so far
        for (std::size_t i = end; i < strip.size() && i < end + kGap; ++i) {
            if (strip[i] != 0) end = i + 1;
        }
        out.push_back({.left = static_cast<std::int16_t>(x),
                       .right = static_cast<std::int16_t>(end),
                       .top = top,
                       .bottom = bottom,
                       .row = row});
        x = end;
    }
}

RectRenderer::RectRenderer()
    : strip_program_(build_program("strip.vert", "strip.frag")),
      stacked_program_(build_program("strip.vert", "stacked.frag")),
      rect_program_(build_program("rect.vert", "rect.frag")) {
    glGenVertexArrays(1, &strip_vertices_);
    glGenVertexArrays(1, &rect_vertices_);
    glGenBuffers(1, &strip_buffer_);
    glGenBuffers(1, &rect_buffer_);
    glGenTextures(1, &texture_);
    declare_attributes(strip_vertices_, strip_buffer_, declare_row);
    declare_attributes(rect_vertices_, rect_buffer_, declare_color);
}

RectRenderer::~RectRenderer() {
    glDeleteProgram(strip_program_);
    glDeleteProgram(stacked_program_);
    glDeleteProgram(rect_program_);
    glDeleteVertexArrays(1, &strip_vertices_);
    glDeleteVertexArrays(1, &rect_vertices_);
    glDeleteBuffers(1, &strip_buffer_);
    glDeleteBuffers(1, &rect_buffer_);
    glDeleteTextures(1, &texture_);
}

void RectRenderer::set_strips(int width, std::span<const std::uint32_t> pixels, const StripQuads& quads) {
    std::vector<StripQuad> all;
    for (std::size_t kind = 0; kind < kStripKinds; ++kind) {
        strip_counts_[kind] = static_cast<int>(quads[kind].size());
        all.insert(all.end(), quads[kind].begin(), quads[kind].end());
    }
    if (width <= 0 || all.empty()) return;
    keeping_buffer(strip_buffer_, [&] {
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(all.size() * sizeof(StripQuad)), all.data(),
                     GL_STREAM_DRAW);
    });
    const int height = static_cast<int>(pixels.size()) / width;
    GLint old = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &old);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    if (width != texture_width_ || height > texture_height_) {
        texture_width_ = width;
        texture_height_ = std::max(height + height / 4, 16);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, texture_width_, texture_height_, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(old));
}

void RectRenderer::set_rects(std::span<const RectInstance> rects) {
    rect_count_ = static_cast<int>(rects.size());
    if (rects.empty()) return;
    keeping_buffer(rect_buffer_, [&] {
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(rects.size_bytes()), rects.data(), GL_STREAM_DRAW);
    });
}

void RectRenderer::queue(ImDrawList* list, ImVec2 origin) {
    if (std::all_of(strip_counts_.begin(), strip_counts_.end(), [](int count) { return count == 0; }) &&
        rect_count_ == 0)
        return;
    origin_ = origin;
    list->AddCallback(&RectRenderer::draw, this);
    list->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

void RectRenderer::draw(const ImDrawList*, const ImDrawCmd* command) {
    static_cast<const RectRenderer*>(command->UserCallbackData)->draw_now(*command);
}

void RectRenderer::draw_strips(StripKind kind, int first) const {
    const int count = strip_counts_[static_cast<std::size_t>(kind)];
    if (count == 0) return;
    const GLuint program = kind == StripKind::Colors ? strip_program_ : stacked_program_;
    use(program, origin_);
    glUniform1i(glGetUniformLocation(program, "u_columns"), 0);
    const ImVec4 waiting = ImGui::ColorConvertU32ToFloat4(color::palette().waiting);
    glUniform3f(glGetUniformLocation(program, "u_waiting"), waiting.x, waiting.y, waiting.z);
    if (kind == StripKind::StackedClasses) {
        glUniform1f(glGetUniformLocation(program, "u_nothing"), over_ ? 0.0f : 1.0f);
        const ImU32 background = color::palette().background;
        const auto shown = [&](core::KernelClass one) {
            const ImU32 color = color::of_class(one);
            return (dimmed_ & core::set_of(one)) == 0 ? color : color::mix(color, background, kDimmedShare);
        };
        set_colors(program, {shown(core::KernelClass::Compute), shown(core::KernelClass::Communication),
                             shown(core::KernelClass::Memory), background});
    }
    // GL 3.3 has no base instance, so the attributes start at an offset instead.
    glBindVertexArray(strip_vertices_);
    keeping_buffer(strip_buffer_, [&] {
        const auto skip = static_cast<std::size_t>(first) * static_cast<std::size_t>(kStride);
        glVertexAttribIPointer(0, 4, GL_SHORT, kStride, reinterpret_cast<const void*>(skip));
        glVertexAttribIPointer(1, 1, GL_INT, kStride, reinterpret_cast<const void*>(skip + 8));
    });
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
}

void RectRenderer::draw_now(const ImDrawCmd& command) const {
    if (!set_scissor(command)) return;
    over_ ? glEnable(GL_BLEND) : glDisable(GL_BLEND);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture_);
    int first = 0;
    for (const StripKind kind : {StripKind::Colors, StripKind::StackedClasses}) {
        draw_strips(kind, first);
        first += strip_counts_[static_cast<std::size_t>(kind)];
    }
    if (rect_count_ > 0) {
        use(rect_program_, origin_);
        glBindVertexArray(rect_vertices_);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, rect_count_);
    }
}

}  // namespace ui
