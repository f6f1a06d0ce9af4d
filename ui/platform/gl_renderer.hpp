#pragma once
// Plays frames with OpenGL 3.3 into the target of a Platform. Uploads textures and scenes when
// their version changes, and releases those that no frame has drawn for a while. Needs the
// platform's context from construction to destruction. Main thread only.

#include "ui/platform/renderer.hpp"

#include <map>
#include <string_view>

namespace ui {

class GlRenderer final : public Renderer {
public:
    explicit GlRenderer(Platform&);
    ~GlRenderer() override;

    void draw(const FrameDrawing&) override;
    Image picture() override { return platform_.read_pixels(); }

private:
    // A linked program and the places of its uniforms; -1: it has none of that name.
    struct Program {
        Program(std::string_view vertex_file, std::string_view fragment_file);
        ~Program();
        Program(const Program&) = delete;
        Program& operator=(const Program&) = delete;
        unsigned id = 0;
        int texture = -1, columns = -1, to_clip = -1, offset = -1, origin = -1, scale = -1, px_per_pixel = -1;
        int framebuffer = -1, colors = -1, waiting = -1, nothing = -1;
    };
    struct Texture {
        unsigned id = 0;
        std::uint64_t version = 0;
        std::uint64_t last_drawn = 0;  // number of the frame
    };
    struct Scene {
        unsigned strip_vertices = 0, rect_vertices = 0, strip_buffer = 0, rect_buffer = 0, texture = 0;
        int texture_width = 0, texture_height = 0;
        std::uint64_t strips_version = 0, rects_version = 0;
        std::uint64_t last_drawn = 0;
    };

    void upload_textures(const FrameDrawing&);
    void draw_list(const FrameDrawing&, const ListDrawing&);
    void begin_triangles(const FrameDrawing&) const;
    void set_scissor(const FrameDrawing&, const ClipPixels&) const;
    Scene& uploaded(const SceneDrawing&);
    static void upload_strips(Scene&, const SceneDrawing&);
    void draw_scene(const FrameDrawing&, const SceneDrawing&);
    void draw_strips(const FrameDrawing&, const SceneDrawing&, const Scene&, StripKind, std::size_t first) const;
    void use(const Program&, const FrameDrawing&, const SceneDrawing&) const;
    static void release(const Scene&);
    void release_unused();

    Platform& platform_;
    Program triangles_;
    Program strip_;
    Program stacked_;
    Program rect_;
    unsigned vertices_ = 0;        // vertex array of the triangles
    unsigned vertex_buffer_ = 0;
    unsigned index_buffer_ = 0;
    std::map<std::uint64_t, Texture> textures_;  // by id
    std::map<std::uint64_t, Scene> scenes_;      // by id
    std::uint64_t frames_ = 0;
};

}  // namespace ui
