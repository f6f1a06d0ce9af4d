#include "core/store/argument_columns.hpp"

#include "core/store/sections.hpp"

namespace core {

// Calls body with the argument's staged column, typed.
template <class Body>
void ArgumentColumns::visit(Arg arg, const Body& body) const {
    const auto a = static_cast<std::size_t>(arg);
    if (type_of(arg) == ArgType::Integer)
        body(staged_.integers[a]);
    else
        body(staged_.texts[a]);
}

void ArgumentColumns::count(Arg arg) {
    visit(arg, [&](const auto& staged) {
        if (staged.rows.empty()) return;
        Column& column = columns_[static_cast<std::size_t>(arg)];
        column.events = EventPositions(event_count_);
        for (std::size_t i = 0; i < staged.rows.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return;
            const std::uint32_t row = staged.rows[i];
            if (event_of_row_[row] != kNoEvent) column.events.add(event_of_row_[row]);
        }
        column.size = column.events.close();
    });
}

void ArgumentColumns::reserve(BlobBuilder& blob) const {
    for (std::size_t a = 0; a < kArgCount; ++a) {
        const std::size_t size = columns_[a].size;
        if (size == 0) continue;
        const auto arg = static_cast<Arg>(a);
        blob.reserve<EventId>(section::arg_events(arg), size);
        if (type_of(arg) == ArgType::Integer)
            blob.reserve<std::int64_t>(section::arg_values(arg), size);
        else
            blob.reserve<NameId>(section::arg_values(arg), size);
    }
}

template <class Value>
void ArgumentColumns::fill_column(BlobBuilder& blob, Arg arg, StagedArgument<Value>& staged) {
    const Column& column = columns_[static_cast<std::size_t>(arg)];
    const auto events = blob.fill<EventId>(section::arg_events(arg));
    const auto values = blob.fill<Value>(section::arg_values(arg));
    // Backwards: when a key occurs twice, or on both ends of a pair, the first occurrence wins.
    for (std::size_t i = staged.rows.size(); i-- > 0;) {
        if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return;
        const EventId event = event_of_row_[staged.rows[i]];
        if (event == kNoEvent) continue;
        const std::size_t at = column.events.position(event);
        events[at] = event;
        values[at] = staged.values[i];
    }
}

void ArgumentColumns::fill(BlobBuilder& blob, Arg arg) {
    Column& column = columns_[static_cast<std::size_t>(arg)];
    visit(arg, [&](auto& staged) {
        if (column.size > 0) fill_column(blob, arg, staged);
        release(staged.rows);
        release(staged.values);
        column = Column{};
    });
}

}  // namespace core
