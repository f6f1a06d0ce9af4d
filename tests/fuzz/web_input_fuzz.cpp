// Any bytes as input of a page: refused, or events within their ranges, which frames then take one by one.

#include "tests/fuzz/fuzz.hpp"
#include "tests/ui/remote/page_input.hpp"
#include "ui/platform/input_queue.hpp"
#include "ui/remote/input_decoder.hpp"

#include <cmath>

namespace {

void check_event(const ui::InputEvent& event) {
    if (!std::isfinite(event.x) || !std::isfinite(event.y)) fuzz::fail("a place that is not a number");
    if (event.kind == ui::InputKind::Wheel && (std::abs(event.x) > 100 || std::abs(event.y) > 100))
        fuzz::fail("a wheel that turns too far");
    if (event.kind == ui::InputKind::Key && (event.code < 32 || event.code > 348)) fuzz::fail("a key without a number");
    if (event.kind == ui::InputKind::Button && (event.code < 0 || event.code > 2)) fuzz::fail("a fourth button");
    if (event.kind == ui::InputKind::Text && (event.character < 0x20 || event.character > 0x10FFFF))
        fuzz::fail("a character that is none");
}

void be_taken(const ui::remote::PageInput& page) {
    ui::InputQueue queue;
    for (const ui::InputEvent& event : page.events) queue.push(event);
    ui::Input input;
    for (std::size_t left = page.events.size(); !queue.empty(); --left) {
        if (left == 0) fuzz::fail("a frame without an event");
        ui::apply_events(queue.take_frame(), input);
        if (input.keys.size() > 400) fuzz::fail("a key that is held twice");
    }
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    using ui::testing::PageMessage;
    return {PageMessage().pointer(3, 4).button(0, true).button(0, false).bytes(),
            PageMessage().wheel(0, 1, -100).wheel(1, 0, 3).wheel(2, 0, 1).bytes(),
            PageMessage().key("ControlLeft", 1).key("KeyF", 1, 2).text("a\xE2\x82\xAC").key("KeyF", 0).bytes(),
            PageMessage().size(1'920, 1'080, 2).blur().bytes()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const bool mac : {false, true}) {
        const auto page = ui::remote::decode_input(fuzz::as_text(data, size), mac);
        if (!page) continue;
        if (page->size && (page->size->width < ui::remote::kLeastSide || page->size->height > ui::remote::kMostSide))
            fuzz::fail("a canvas of no size");
        for (const ui::InputEvent& event : page->events) check_event(event);
        be_taken(*page);
    }
    return 0;
}
