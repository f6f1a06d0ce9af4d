#pragma once
// Records Dear ImGui's draw data as a FrameDrawing, without copying vertices, and keeps track of
// its textures. Any version of Dear ImGui; no GL. Main thread only.

#include "ui/platform/frame_drawing.hpp"

#include <map>

namespace ui {

class FrameRecorder {
public:
    FrameRecorder();  // tells Dear ImGui what our renderers can do
    FrameRecorder(const FrameRecorder&) = delete;
    FrameRecorder& operator=(const FrameRecorder&) = delete;
    ~FrameRecorder();

    // Once per frame, after ImGui::Render(). The frame stays valid until the next ImGui::NewFrame().
    const FrameDrawing& record(ImDrawData&, ImU32 background);
    const FrameDrawing& frame() const { return frame_; }

private:
    void record_textures(ImDrawData&);
    void record_list(const ImDrawData&, const ImDrawList&);
    void add_triangles(const ImDrawCmd&, const ClipPixels&, ListDrawing&) const;
    void add_callback(const ImDrawCmd&, const ClipPixels&, ListDrawing&);

    FrameDrawing frame_;
    std::uint64_t textures_made_ = 0;
    std::uint64_t fonts_version_ = 0;
    std::map<std::uint64_t, std::uint64_t> versions_;  // of textures, by id
};

}  // namespace ui
