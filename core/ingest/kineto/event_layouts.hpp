#pragma once
// A writer writes its events in few literal shapes. A layout is one of them: fixed text with values between. It is
// learned from an event that was read in full; an event that is the same but for its values is then read by comparing,
// which is several times faster than parsing. Which layout to compare with is predicted from the event before.
//
// Learns only what makes the same rows either way. Whatever is out of the ordinary (escapes, bytes beyond ASCII, long
// numbers, phases that are no events or flows) is no match and left to the parser.

#include "core/ingest/kineto/event_rows.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace core {

class EventLayouts {
public:
    // The event that begins at `text`, if it has one of the predicted layouts; else null. The text must end as
    // token_scan.hpp has it. Valid until the next call.
    const LaidOutEvent* match(const char* text);
    // From an event that was just written, whose text this is, and that did not match.
    void learn(const RawEvent& event, std::string_view text);

private:
    enum class Slot : char { End, Text, Container, Number, Integer, FlowId, Time };
    struct Segment {  // fixed text and the value behind it
        std::uint32_t literal;
        std::uint32_t size;
        Slot slot;
    };
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    static constexpr std::size_t kPredicted = 4;
    static constexpr std::size_t kMostTried = 32;  // where none of the predicted ones is it
    using Predicted = std::array<std::uint32_t, kPredicted>;  // the latest first
    struct Layout {
        std::vector<Segment> segments;
        EventForm form;
        Predicted next = {kNone, kNone, kNone, kNone};
    };
    class Learner;

    static constexpr std::array<std::uint32_t, kMostTried> all_none() {
        std::array<std::uint32_t, kMostTried> none{};
        none.fill(kNone);
        return none;
    }
    const LaidOutEvent* match_surprise(const char* text);
    const LaidOutEvent* take(std::uint32_t layout, const char* text);
    void expect(std::uint32_t layout);
    bool read_values(const Layout& layout, const char* text);
    [[gnu::always_inline]] static inline const char* read_value(Slot slot, const char* p, std::int64_t& number);
    Predicted& predicted() { return previous_ == kNone ? first_ : layouts_[previous_].next; }

    std::vector<Layout> layouts_;
    std::unordered_map<std::string, std::uint32_t> by_text_;
    std::string literals_;
    std::array<std::uint32_t, kMostTried> surprises_ = all_none();  // the latest first
    Predicted first_ = {kNone, kNone, kNone, kNone};
    std::uint32_t previous_ = kNone;
    LaidOutEvent event_;
};

}  // namespace core
