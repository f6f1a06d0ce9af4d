#include "ui/remote/flow_control.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using ui::remote::FlowControl;

TEST_CASE("a page has at most so many frames and bytes on their way") {
    FlowControl flow;
    const FlowControl::Time now{};
    for (std::uint64_t frame = 1; frame <= FlowControl::kMostFrames; ++frame) {
        CHECK(flow.may_send());
        flow.note_sent(frame, 1'000, now);
    }
    CHECK(!flow.may_send());
    CHECK(flow.bytes_on_the_way() == 8'000);
    flow.note_drawn(2, now + 20ms);
    CHECK(flow.may_send());
    CHECK(flow.bytes_on_the_way() == 6'000);
    flow.note_drawn(99, now + 30ms);  // all that were sent
    CHECK(flow.bytes_on_the_way() == 0);
    flow.note_sent(9, FlowControl::kLeastBytes, now + 40ms);
    CHECK(!flow.may_send());
    flow.note_drawn(3, now + 50ms);  // an old one
    CHECK(!flow.may_send());
}

TEST_CASE("a fast link may have more bytes on their way, a slow one the least") {
    const auto limit_at = [](double bytes_a_second) {
        FlowControl flow;
        FlowControl::Time now{};
        for (std::uint64_t frame = 1; frame <= 50; ++frame) {
            flow.note_sent(frame, 50'000, now);
            now += std::chrono::duration_cast<FlowControl::Time::duration>(
                std::chrono::duration<double>(50'000 / bytes_a_second));
            flow.note_drawn(frame, now);
        }
        return static_cast<double>(flow.limit());
    };
    CHECK(limit_at(10e6) == doctest::Approx(1.5e6).epsilon(0.01));
    CHECK(limit_at(100e3) == FlowControl::kLeastBytes);
}
