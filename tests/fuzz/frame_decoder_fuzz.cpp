// Any bytes as messages of frames, each after its length: refused, or a frame whose parts exist.

#include "tests/fuzz/fuzz.hpp"
#include "tests/ui/remote/frame_decoder.hpp"

namespace {

void check_frame(const ui::testing::DecodedFrame& frame) {
    for (const auto& list : frame.lists) {
        for (const ui::testing::DecodedCommand& command : list) {
            if (command.corners.size() % 3 != 0) fuzz::fail("a part of a triangle");
            if (command.kind == ui::DrawKind::Scene && command.scene >= frame.scenes.size())
                fuzz::fail("a scene that is not there");
            if (command.kind == ui::DrawKind::Triangles && command.texture >= frame.textures.size())
                fuzz::fail("a texture that is not there");
        }
    }
    for (const ui::testing::DecodedScene& scene : frame.scenes)
        if (scene.quad_counts[0] + scene.quad_counts[1] != scene.quads.size()) fuzz::fail("a quad of no kind");
}

std::string with_length(const std::string& message) {
    ui::remote::WireWriter out;
    out.add_text(message);
    return out.take();
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    const std::vector<unsigned char> pixels(4 * 4 * 4, 255);
    const ImDrawVert corners[] = {{{1, 1}, {0, 0}, 7}, {{9, 1}, {1, 0}, 7}, {{9, 9}, {1, 1}, 7}, {{1, 9}, {0, 1}, 7}};
    const ImDrawIdx indices[] = {0, 1, 2, 0, 2, 3, 1, 2, 3};
    ui::SceneDrawing scene;
    scene.id = 5;
    scene.strip_width = 8;
    scene.strips = {1, 1, 2, 2, 3, 3, 4, 4, 9, 9, 9, 9, 9, 9, 9, 9};
    scene.quad_counts = {1, 1};
    scene.quads = {{0, 8, 0, 9, 0}, {0, 8, 10, 19, 1}};
    scene.rects = {{1, 2, 3, 4, 0xFF00FF00u}};
    ui::FrameDrawing frame;
    frame.size = {640, 480};
    frame.textures = {{.id = 1, .version = 1, .width = 4, .height = 4, .rgba = pixels}};
    frame.scenes = {&scene};
    frame.lists = {{.name = "main",
                    .vertices = corners,
                    .indices = indices,
                    .commands = {{.kind = ui::DrawKind::Triangles, .clip = {0, 0, 9, 9}, .indices = 9},
                                 {.kind = ui::DrawKind::Fill, .clip = {0, 0, 9, 9}, .color = 0xFF123456u},
                                 {.kind = ui::DrawKind::Scene, .clip = {0, 0, 9, 9}}}}};
    ui::remote::FrameEncoder encoder;
    const std::string first = encoder.encode(frame);
    std::rotate(scene.strips.begin(), scene.strips.begin() + 1, scene.strips.end());
    ++scene.strips_version;
    return {with_length(first), with_length(first) + with_length(encoder.encode(frame))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ui::testing::FrameDecoder decoder;
    ui::remote::WireReader messages(fuzz::as_text(data, size));
    while (!messages.at_end()) {
        const auto frame = decoder.decode(messages.take_text(size));
        if (!frame) return 0;
        check_frame(*frame);
    }
    return 0;
}
