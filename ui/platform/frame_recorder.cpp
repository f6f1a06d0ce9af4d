#include "ui/platform/frame_recorder.hpp"

#include "ui/style/compat.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/theme.hpp"

#include <algorithm>
#include <cstddef>

namespace ui {
namespace {

// Pixels of a command's clip rectangle as Dear ImGui's own backends round them.
ClipPixels find_triangle_clip(const FrameDrawing& frame, const ImVec4& clip) {
    const int height = static_cast<int>(frame.pixel_height());
    const float left = clip.x * frame.scale.x;
    const float top = clip.y * frame.scale.y;
    const float right = clip.z * frame.scale.x;
    const float bottom = clip.w * frame.scale.y;
    if (!(right > left) || !(bottom > top)) return {};
    ClipPixels pixels;
    pixels.left = static_cast<int>(left);
    pixels.right = pixels.left + static_cast<int>(right - left);
    pixels.bottom = height - static_cast<int>(static_cast<float>(height) - bottom);
    pixels.top = pixels.bottom - static_cast<int>(bottom - top);
    return pixels;
}

// Those of fills and scenes: inside the framebuffer.
ClipPixels find_exact_clip(const FrameDrawing& frame, const ImVec4& clip) {
    return {.left = static_cast<int>(std::max(0.0f, clip.x * frame.scale.x)),
            .top = static_cast<int>(std::max(0.0f, clip.y * frame.scale.y)),
            .right = static_cast<int>(std::min(frame.pixel_width(), clip.z * frame.scale.x)),
            .bottom = static_cast<int>(std::min(frame.pixel_height(), clip.w * frame.scale.y))};
}

bool is_empty(const ClipPixels& clip) { return clip.right <= clip.left || clip.bottom <= clip.top; }

}  // namespace

void scene_marker(const ImDrawList*, const ImDrawCmd*) {}

FrameRecorder::FrameRecorder() {
    ImGuiIO& io = ImGui::GetIO();
    io.BackendRendererName = "lockstep";
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if LOCKSTEP_IMGUI_DYNAMIC_FONTS
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
}

#if LOCKSTEP_IMGUI_DYNAMIC_FONTS
FrameRecorder::~FrameRecorder() {
    for (ImTextureData* const texture : ImGui::GetPlatformIO().Textures) {
        if (texture->RefCount != 1) continue;
        texture->SetTexID(ImTextureID_Invalid);
        texture->SetStatus(ImTextureStatus_Destroyed);
    }
}

// Glyphs are added while the program runs: Dear ImGui asks for textures to be made, updated and destroyed.
void FrameRecorder::record_textures(ImDrawData& data) {
    frame_.textures.clear();
    if (data.Textures == nullptr) return;
    for (ImTextureData* const texture : *data.Textures) {
        if (texture->Status == ImTextureStatus_WantDestroy && texture->UnusedFrames > 0) {
            versions_.erase(static_cast<std::uint64_t>(texture->TexID));
            texture->SetTexID(ImTextureID_Invalid);
            texture->SetStatus(ImTextureStatus_Destroyed);
        }
        if (texture->Status == ImTextureStatus_WantCreate)
            texture->SetTexID(static_cast<ImTextureID>(++textures_made_));
        if (texture->Status == ImTextureStatus_WantCreate || texture->Status == ImTextureStatus_WantUpdates) {
            ++versions_[static_cast<std::uint64_t>(texture->TexID)];
            texture->SetStatus(ImTextureStatus_OK);
        }
        const auto id = static_cast<std::uint64_t>(texture->TexID);
        if (!versions_.contains(id)) continue;
        frame_.textures.push_back({.id = id,
                                   .version = versions_[id],
                                   .width = texture->Width,
                                   .height = texture->Height,
                                   .rgba = {static_cast<const unsigned char*>(texture->GetPixels()),
                                            static_cast<std::size_t>(texture->GetSizeInBytes())}});
    }
}

#else
FrameRecorder::~FrameRecorder() = default;

// One texture, the atlas of the fonts.
void FrameRecorder::record_textures(ImDrawData&) {
    if (!frame_.textures.empty() && fonts_version_ == fonts_version()) return;
    fonts_version_ = fonts_version();
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    frame_.textures.assign(1,
                           {.id = 1,
                            .version = ++versions_[1],
                            .width = width,
                            .height = height,
                            .rgba = {pixels, static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4}});
}
#endif

void FrameRecorder::add_triangles(const ImDrawCmd& command, const ClipPixels& clip, ListDrawing& out) const {
    std::uint32_t texture = 0;
#if LOCKSTEP_IMGUI_DYNAMIC_FONTS
    const auto id = static_cast<std::uint64_t>(command.GetTexID());
    const auto at = std::ranges::find(frame_.textures, id, &TextureDrawing::id);
    if (at == frame_.textures.end()) return;
    texture = static_cast<std::uint32_t>(at - frame_.textures.begin());
#endif
    out.commands.push_back({.kind = DrawKind::Triangles,
                            .clip = clip,
                            .texture = texture,
                            .first_index = command.IdxOffset,
                            .indices = command.ElemCount,
                            .first_vertex = command.VtxOffset});
}

void FrameRecorder::add_callback(const ImDrawCmd& command, const ClipPixels& clip, ListDrawing& out) {
    DrawCommand drawn{.kind = DrawKind::Fill, .clip = clip};
    if (command.UserCallback == &fill_marker) {
        drawn.color = fill_color(command);
        out.commands.push_back(drawn);
    } else if (command.UserCallback == &scene_marker) {
        drawn.kind = DrawKind::Scene;
        drawn.scene = static_cast<std::uint32_t>(frame_.scenes.size());
        frame_.scenes.push_back(static_cast<const SceneDrawing*>(command.UserCallbackData));
        out.commands.push_back(drawn);
    }
}

void FrameRecorder::record_list(const ImDrawData& data, const ImDrawList& list) {
    ListDrawing& out = frame_.lists.emplace_back();
    out.name = list._OwnerName == nullptr ? std::string_view() : std::string_view(list._OwnerName);
    out.vertices = {list.VtxBuffer.Data, static_cast<std::size_t>(list.VtxBuffer.Size)};
    out.indices = {list.IdxBuffer.Data, static_cast<std::size_t>(list.IdxBuffer.Size)};
    out.commands.reserve(static_cast<std::size_t>(list.CmdBuffer.Size));
    for (const ImDrawCmd& command : list.CmdBuffer) {
        const ImVec4 box{command.ClipRect.x - data.DisplayPos.x, command.ClipRect.y - data.DisplayPos.y,
                         command.ClipRect.z - data.DisplayPos.x, command.ClipRect.w - data.DisplayPos.y};
        const bool triangles = command.UserCallback == nullptr;
        const ClipPixels clip = triangles ? find_triangle_clip(frame_, box) : find_exact_clip(frame_, box);
        if (is_empty(clip)) continue;
        if (!triangles)
            add_callback(command, clip, out);
        else if (command.ElemCount > 0)
            add_triangles(command, clip, out);
    }
}

const FrameDrawing& FrameRecorder::record(ImDrawData& data, ImU32 background) {
    frame_.size = data.DisplaySize;
    frame_.scale = data.FramebufferScale;
    frame_.background = background;
    frame_.scenes.clear();
    frame_.lists.clear();
    record_textures(data);
    for (int i = 0; i < data.CmdListsCount; ++i) record_list(data, *data.CmdLists[i]);
    return frame_;
}

}  // namespace ui
