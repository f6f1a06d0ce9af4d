#pragma once
// The staged arguments as columns by event. Internal to core/store.

#include "core/store/blob.hpp"
#include "core/store/event_positions.hpp"
#include "core/store/staged_events.hpp"

#include <span>

namespace core {

class ArgumentColumns {
public:
    ArgumentColumns(Staged& staged, std::span<const EventId> event_of_row, std::size_t event_count,
                    const JobContext& job)
        : staged_(staged), event_of_row_(event_of_row), event_count_(event_count), job_(job) {}

    // Three steps: count events per argument, reserve room, move the values out of the staged columns.
    // Different arguments may be counted and filled on different threads. Results are unusable once the job is
    // cancelled.
    void count(Arg);
    void reserve(BlobBuilder& blob) const;
    void fill(BlobBuilder& blob, Arg);

private:
    struct Column {
        EventPositions events{0};
        std::size_t size = 0;
    };
    template <class Body>
    void visit(Arg arg, const Body& body) const;
    template <class Value>
    void fill_column(BlobBuilder& blob, Arg arg, StagedArgument<Value>& staged);

    Staged& staged_;
    std::span<const EventId> event_of_row_;
    std::size_t event_count_;
    const JobContext& job_;
    std::array<Column, kArgCount> columns_;
};

}  // namespace core
