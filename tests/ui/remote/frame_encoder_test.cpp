#include "ui/remote/frame_encoder.hpp"

#include "tests/ui/driver/sample_window.hpp"
#include "tests/ui/remote/frame_decoder.hpp"
#include "ui/remote/deflate_stream.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ui;
using ui::testing::as_decoded;
using ui::testing::DecodedFrame;

// An encoder and its decoder, with the stream between them.
class Connection {
public:
    // Bytes of the frame on the wire; the test fails if it does not come back.
    std::size_t send(const FrameDrawing& frame) {
        const std::string message = encoder_.encode(frame);
        const std::string packed = packer_.add(message);
        const std::optional<std::string> unpacked = unpacker_.add(packed);
        REQUIRE(unpacked.has_value());
        REQUIRE(*unpacked == message);
        const std::optional<DecodedFrame> decoded = decoder_.decode(*unpacked);
        REQUIRE(decoded.has_value());
        CHECK((*decoded == as_decoded(frame)));
        return packed.size();
    }

private:
    remote::FrameEncoder encoder_;
    remote::DeflateStream packer_;
    ui::testing::InflateStream unpacker_;
    ui::testing::FrameDecoder decoder_;
};

// Frames that change a little from one to the next.
class RandomFrames {
public:
    explicit RandomFrames(unsigned seed) : random_(seed) {
        for (std::uint64_t id = 1; id <= 2; ++id) scenes_.emplace_back().id = id;
        for (const char* const name : {"main", "main", "##Tooltip_00", ""}) lists_.push_back({.name = name});
        pixels_.resize(64 * 4);
    }

    const FrameDrawing& next() {
        if (chance(20)) change_texture();
        for (SceneDrawing& scene : scenes_) change_scene(scene);
        for (List& list : lists_)
            if (list.commands.empty() || chance(2)) fill_list(list);
        build();
        return frame_;
    }

private:
    struct List {
        std::string name;
        std::vector<ImDrawVert> vertices{};
        std::vector<ImDrawIdx> indices{};
        std::vector<DrawCommand> commands{};
    };

    bool chance(int in) { return number(1, in) == 1; }
    int number(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
    float place() {
        const auto at = static_cast<float>(number(-200, 4'000));
        return chance(2) ? at : at + static_cast<float>(number(0, 1'000'000)) / 1e6f;
    }
    ImU32 color() { return chance(4) ? static_cast<ImU32>(random_()) : 0xFF202020u + static_cast<ImU32>(number(0, 3)); }

    void change_texture() {
        for (unsigned char& byte : pixels_) byte = chance(2) ? 255 : static_cast<unsigned char>(number(0, 255));
        if (chance(2))
            for (std::size_t i = 0; i < pixels_.size(); ++i)
                if (i % 4 != 3) pixels_[i] = 255;
        ++texture_version_;
    }

    void change_scene(SceneDrawing& scene) {
        scene.origin = {place(), place()};
        scene.over = chance(2);
        scene.waiting = color();
        for (ImU32& one : scene.colors) one = color();
        if (chance(3)) change_rects(scene);
        if (chance(2)) change_strips(scene);
    }

    void change_rects(SceneDrawing& scene) {
        ++scene.rects_version;
        scene.rects.resize(static_cast<std::size_t>(number(0, 20)));
        for (RectInstance& rect : scene.rects) {
            rect.left = short_number();
            rect.right = short_number();
            rect.top = short_number();
            rect.bottom = short_number();
            rect.color = color();
        }
    }
    std::int16_t short_number() {
        return static_cast<std::int16_t>(chance(5) ? number(INT16_MIN, INT16_MAX) : number(0, 99));
    }

    // New pixels, or those of before moved sideways, or rows moved up or down, or fewer or more rows.
    void change_strips(SceneDrawing& scene) {
        ++scene.strips_version;
        if (scene.strip_width == 0 || chance(6)) {
            scene.strip_width = number(1, 60);
            scene.strips.assign(static_cast<std::size_t>(scene.strip_width * number(1, 12)), 0);
            for (std::uint32_t& pixel : scene.strips) pixel = color();
        }
        const auto width = static_cast<std::size_t>(scene.strip_width);
        if (chance(2)) {
            const int by = number(-70, 70);
            for (std::size_t row = 0; row < scene.strips.size() / width; ++row)
                move_row(&scene.strips[row * width], width, by);
        }
        if (chance(3))
            std::rotate(scene.strips.begin(), scene.strips.begin() + static_cast<std::ptrdiff_t>(width),
                        scene.strips.end());
        if (chance(3)) scene.strips.insert(scene.strips.end(), width, color());
        if (chance(3))
            scene.strips[static_cast<std::size_t>(number(0, static_cast<int>(scene.strips.size()) - 1))] = color();
        scene.quad_counts = {static_cast<std::size_t>(number(0, 5)), static_cast<std::size_t>(number(0, 5))};
        scene.quads.assign(scene.quad_counts[0] + scene.quad_counts[1], {});
        for (StripQuad& quad : scene.quads)
            quad = {.left = short_number(),
                    .right = short_number(),
                    .top = short_number(),
                    .bottom = short_number(),
                    .row = number(0, 11)};
    }

    void move_row(std::uint32_t* row, std::size_t width, int by) {
        const std::vector<std::uint32_t> before(row, row + width);
        for (std::size_t x = 0; x < width; ++x) {
            const int from = static_cast<int>(x) - by;
            row[x] = from >= 0 && from < static_cast<int>(width) ? before[static_cast<std::size_t>(from)] : color();
        }
    }

    void fill_list(List& list) {
        list.vertices.clear();
        list.indices.clear();
        list.commands.clear();
        for (int left = number(1, 5); left > 0; --left) {
            DrawCommand command{.kind = static_cast<DrawKind>(number(0, 2)),
                                .clip = {number(-9, 99), number(-9, 99), number(100, 999), number(100, 999)}};
            command.color = command.kind == DrawKind::Fill ? color() : 0;
            command.scene = command.kind == DrawKind::Scene ? static_cast<std::uint32_t>(number(0, 1)) : 0;
            if (command.kind == DrawKind::Triangles) add_triangles(list, command);
            list.commands.push_back(command);
        }
    }

    void add_triangles(List& list, DrawCommand& command) {
        command.first_index = static_cast<std::uint32_t>(list.indices.size());
        command.first_vertex = chance(2) ? static_cast<std::uint32_t>(list.vertices.size()) : 0;
        for (int left = number(1, 30); left > 0; --left) chance(4) ? add_loose(list, command) : add_quad(list, command);
        command.indices = static_cast<std::uint32_t>(list.indices.size()) - command.first_index;
    }

    void add_quad(List& list, const DrawCommand& command) {
        const auto first = static_cast<ImDrawIdx>(list.vertices.size() - command.first_vertex);
        const float x = place(), y = place(), w = static_cast<float>(number(1, 9)),
                    h = static_cast<float>(number(1, 9));
        const ImVec2 from{static_cast<float>(number(0, 63)) / 64, static_cast<float>(number(0, 63)) / 64};
        const float size = chance(2) ? 0.0f : 1.0f / 64;
        const ImU32 painted = color();
        const auto add = [&](float dx, float dy) {
            list.vertices.push_back(
                {{x + w * dx, y + h * dy}, {from.x + size * dx, from.y + size * dy}, chance(50) ? color() : painted});
        };
        add(0, 0), add(1, 0), add(1, 1), add(0, 1);
        for (const int index : {0, 1, 2, 0, 2, 3}) list.indices.push_back(static_cast<ImDrawIdx>(first + index));
    }

    // A triangle that shares some of its corners with what is there.
    void add_loose(List& list, const DrawCommand& command) {
        for (int k = 0; k < 3; ++k) {
            const auto there = static_cast<int>(list.vertices.size() - command.first_vertex);
            if (there > 0 && chance(2)) {
                list.indices.push_back(static_cast<ImDrawIdx>(number(0, there - 1)));
                continue;
            }
            list.indices.push_back(static_cast<ImDrawIdx>(there));
            list.vertices.push_back({{place(), place()}, {static_cast<float>(number(0, 128)) / 128, 0.5f}, color()});
        }
    }

    void build() {
        frame_.size = {static_cast<float>(number(64, 4'000)), 1'000};
        frame_.background = color();
        frame_.textures.assign(1, {.id = 1, .version = texture_version_, .width = 8, .height = 8, .rgba = pixels_});
        frame_.scenes.clear();
        for (const SceneDrawing& scene : scenes_) frame_.scenes.push_back(&scene);
        frame_.lists.clear();
        for (const List& list : lists_)
            if (!chance(8))
                frame_.lists.push_back(
                    {.name = list.name, .vertices = list.vertices, .indices = list.indices, .commands = list.commands});
    }

    std::mt19937 random_;
    std::vector<unsigned char> pixels_;
    std::uint64_t texture_version_ = 1;
    std::vector<SceneDrawing> scenes_;
    std::deque<List> lists_;
    FrameDrawing frame_;
};

}  // namespace

TEST_CASE("frames that change at random come back equal, at 1/64 px") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Connection connection;
        RandomFrames frames(seed);
        for (int i = 0; i < 200; ++i) {
            CAPTURE(i);
            connection.send(frames.next());
        }
    }
}

TEST_CASE("an unchanged frame costs less than 150 bytes before it is packed") {
    remote::FrameEncoder encoder;
    RandomFrames frames(3);
    const FrameDrawing& frame = frames.next();
    CHECK(encoder.encode(frame).size() > 500);
    CHECK(encoder.encode(frame).size() < 150);
}

TEST_CASE("strips moved by a pan are sent as their new columns") {
    constexpr int kWidth = 1'000;
    constexpr int kRows = 40;
    std::mt19937 random(5);
    std::vector<std::uint32_t> wide(static_cast<std::size_t>((kWidth + 20) * kRows));
    for (std::uint32_t& pixel : wide) pixel = static_cast<std::uint32_t>(random());
    const auto cut = [&](int from) {
        std::vector<std::uint32_t> pixels;
        for (int row = 0; row < kRows; ++row)
            for (int x = 0; x < kWidth; ++x)
                pixels.push_back(wide[static_cast<std::size_t>(row * (kWidth + 20) + from + x)]);
        return pixels;
    };
    remote::StripEncoder encoder;
    remote::WireWriter first, moved;
    encoder.encode(kWidth, cut(0), first);
    encoder.encode(kWidth, cut(7), moved);
    CHECK(first.bytes().size() > 4 * kWidth * kRows);
    CHECK(moved.bytes().size() < 7 * kRows * 6 + 500);
    ui::testing::StripDecoder decoder;
    remote::WireReader in(first.bytes());
    REQUIRE(decoder.decode(kWidth, in));
    remote::WireReader again(moved.bytes());
    REQUIRE(decoder.decode(kWidth, again));
    CHECK(decoder.pixels() == cut(7));
}

TEST_CASE("frames of the window come back equal: pan, zoom, pointer, typing, panels, a new size of letters") {
    ui::testing::DrivenWindow window;
    window.open(ui::testing::sample_folder());
    Driver& driver = *window.driver;
    Connection connection;
    const auto send = [&] { return connection.send(driver.window().frame_drawing()); };
    const auto frame = [&] {
        driver.frame();
        return send();
    };
    const std::size_t join = send();
    CHECK(join < 150'000);
    for (int i = 0; i < 5; ++i) {
        TimeView view = driver.window().view().time;
        view.pan(4);
        driver.window().post(MoveView{.time = view, .whole = driver.window().view().whole});
        frame();
    }
    for (int i = 0; i < 5; ++i) {
        TimeView view = driver.window().view().time;
        view.zoom(1.2, 300);
        driver.window().post(MoveView{.time = view, .whole = driver.window().view().whole});
        frame();
    }
    for (int i = 0; i < 20; ++i) {
        driver.input().mouse_x = 20.0f + 60.0f * static_cast<float>(i);
        driver.input().mouse_y = 30.0f + 30.0f * static_cast<float>(i);
        frame();
    }
    ui::testing::did(driver.click("top/filter"));
    driver.type("rank:0-3");
    for (const char* const panel : {"kernels", "communication", "overview", "steps"}) {
        driver.window().post(ShowPanel{panel});
        for (int i = 0; i < 3; ++i) frame();
    }
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        driver.window().post(SetTheme{theme});
        for (int i = 0; i < 3; ++i) frame();
    }
    ui::testing::did(driver.resize(900, 600));
    frame();
}
