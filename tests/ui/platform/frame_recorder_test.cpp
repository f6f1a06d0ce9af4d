#include "ui/platform/frame_recorder.hpp"

#include "tests/ui/driver/headless.hpp"
#include "ui/style/fill.hpp"
#include "ui/timeline/scene/rect_renderer.hpp"

#include <doctest/doctest.h>

#include <functional>

namespace {

using namespace ui;

constexpr ImU32 kRed = IM_COL32(255, 0, 0, 255);
constexpr ImU32 kBackground = IM_COL32(1, 2, 3, 255);

class Recorded {
public:
    const FrameDrawing& draw(const std::function<void(ImDrawList*)>& content) {
        ImGui::NewFrame();
        content(ImGui::GetForegroundDrawList());
        ImGui::Render();
        return recorder_.record(*ImGui::GetDrawData(), kBackground);
    }

private:
    ui::testing::Headless headless_{{200, 100}};
    FrameRecorder recorder_;
};

std::vector<DrawCommand> commands_of(const FrameDrawing& frame) {
    std::vector<DrawCommand> all;
    for (const ListDrawing& list : frame.lists) all.insert(all.end(), list.commands.begin(), list.commands.end());
    return all;
}

RectRenderer& add_rect(RectRenderer& renderer) {
    const RectInstance rect{.left = 1, .right = 5, .top = 2, .bottom = 6, .color = kRed};
    renderer.set_rects({&rect, 1});
    return renderer;
}

}  // namespace

TEST_CASE("a frame holds triangles, fills and scenes in the order in which they were drawn, without GL") {
    Recorded recorded;
    RectRenderer renderer;
    const FrameDrawing& frame = recorded.draw([&](ImDrawList* list) {
        list->AddRectFilled({0, 0}, {10, 10}, kRed);
        fill(list, {20.2f, 30}, {40, 50}, kRed);
        add_rect(renderer).queue(list, {7, 8});
    });
    const std::vector<DrawCommand> commands = commands_of(frame);
    REQUIRE(commands.size() == 3);
    CHECK(frame.background == kBackground);
    CHECK(commands[0].kind == DrawKind::Triangles);
    CHECK(commands[0].indices == 6);
    CHECK(commands[0].clip == ClipPixels{.left = 0, .top = 0, .right = 200, .bottom = 100});
    CHECK(commands[1].kind == DrawKind::Fill);
    CHECK(commands[1].color == kRed);
    CHECK(commands[1].clip == ClipPixels{.left = 20, .top = 30, .right = 40, .bottom = 50});
    REQUIRE(commands[2].kind == DrawKind::Scene);
    const SceneDrawing& scene = *frame.scenes[commands[2].scene];
    CHECK(scene.rects.size() == 1);
    CHECK(scene.origin.x == 7);
    CHECK(scene.origin.y == 8);
}

TEST_CASE("commands outside the window and callbacks of others are not recorded") {
    Recorded recorded;
    const FrameDrawing& frame = recorded.draw([&](ImDrawList* list) {
        fill(list, {300, 30}, {400, 50}, kRed);
        list->AddCallback([](const ImDrawList*, const ImDrawCmd*) {}, nullptr);
    });
    CHECK(commands_of(frame).empty());
}

TEST_CASE("a scene has a new version when its data is replaced, and only then") {
    Recorded recorded;
    RectRenderer renderer;
    add_rect(renderer);
    const auto version = [&] {
        return recorded.draw([&](ImDrawList* list) { renderer.queue(list, {}); }).scenes.at(0)->rects_version;
    };
    const std::uint64_t first = version();
    CHECK(version() == first);
    add_rect(renderer);
    CHECK(version() != first);
}

TEST_CASE("the texture of the fonts has a new version after they are built again") {
    Recorded recorded;
    const auto version = [&] {
        const FrameDrawing& frame = recorded.draw([](ImDrawList* list) { list->AddText({}, kRed, "text"); });
        REQUIRE(frame.textures.size() >= 1);
        const TextureDrawing& texture = frame.textures.front();
        CHECK(texture.rgba.size() == static_cast<std::size_t>(texture.width * texture.height * 4));
        return std::pair(texture.id, texture.version);
    };
    const auto first = version();
    CHECK(version() == first);
    build_fonts(2);
    CHECK(version() != first);
}
