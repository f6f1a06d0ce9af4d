#pragma once
// A trace with calls of other traces behind its own events, which keep their ids: for walking call trees that reach
// into other recordings. Times and lanes of the added calls mean nothing there.

#include "core/base/jobs.hpp"
#include "core/store/rank_trace.hpp"

#include <string>
#include <vector>

namespace core {

class TraceJoin {
public:
    explicit TraceJoin(const RankTrace& own);

    // Adds the events of threads that overlap one of the ranges, which are sorted and disjoint. Returns the new id of
    // each event of `source`, kNoEvent for the rest. Sequence numbers are moved apart from those of other parts.
    std::vector<EventId> add(const RankTrace& source, std::span<const RankRange> ranges, bool with_shapes);
    // Adds an event without a parent.
    EventId add(std::string_view name, std::string_view category);
    void set_parent(EventId own, EventId parent) { parents_.emplace_back(own, parent); }

    bool empty() const { return parents_.empty(); }
    // Null if cancelled, or with too many events.
    RankTracePtr build(const JobContext&) &&;

private:
    struct Text {  // argument texts of a source
        const RankTrace* source;
        std::uint32_t order_shift;
    };
    template <class T>
    struct Added {
        std::vector<EventId> events;
        std::vector<T> values;
    };
    std::uint16_t category_of_text(std::string_view text);
    std::uint32_t order_shift_of(const RankTrace& source);
    EventId next_id() const;

    const RankTrace& own_;
    StringPool names_;
    std::vector<CategoryEntry> categories_;
    std::vector<RankTime> start_;
    std::vector<Duration> duration_;
    std::vector<NameId> name_;
    std::vector<std::uint16_t> category_;
    std::vector<std::uint8_t> flags_;
    std::vector<EventId> parent_;
    std::vector<std::uint32_t> order_;
    std::vector<std::pair<EventId, EventId>> parents_;  // of own events
    Added<std::int64_t> sequence_;
    Added<NameId> dims_, types_;
    std::vector<Text> texts_;
    std::uint64_t next_order_ = 0;
    std::int64_t parts_ = 0;
};

}  // namespace core
