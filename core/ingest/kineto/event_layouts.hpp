#pragma once
// Writers produce events of a few literal shapes. A layout is one shape: fixed text with values in
// between. It is learned from a fully parsed event; later events that differ only in values are
// read by comparing, several times faster than parsing. The previous event predicts the layout to
// compare with.
//
// Learns only layouts that give the same rows as the parser. Anything unusual (escapes, non-ASCII
// bytes, long numbers, phases other than events and flows) doesn't match and goes to the parser.

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
    // The event at `text` if it has a predicted layout, else null. The text must end as
    // token_scan.hpp requires. Valid until the next call.
    const LaidOutEvent* match(const char* text);
    // Learns from an event that was just parsed and did not match; `text` is its source.
    void learn(const RawEvent& event, std::string_view text);

private:
    enum class Slot : char { End, Text, Container, Number, Integer, FlowId, Time };
    struct Segment {  // fixed text and the value after it
        std::uint32_t literal;
        std::uint32_t size;
        Slot slot;
    };
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    static constexpr std::size_t kPredicted = 4;
    static constexpr std::size_t kMostTried = 32;  // if no prediction matches
    using Predicted = std::array<std::uint32_t, kPredicted>;  // latest first
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
    std::array<std::uint32_t, kMostTried> surprises_ = all_none();  // latest first
    Predicted first_ = {kNone, kNone, kNone, kNone};
    std::uint32_t previous_ = kNone;
    LaidOutEvent event_;
};

}  // namespace core
