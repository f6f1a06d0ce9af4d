#pragma once
// Steps of traces without ProfilerStep#N: ranges of one name, apart from its digits, that repeat without overlapping.
// Either the name is given, or the ranges that launch most of the GPU time are taken. Internal to core/store.

#include "core/store/event_columns.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct StepMarks {
    std::string pattern;               // "step #": the common name, with # for each number; empty: no steps
    std::vector<EventId> events;       // by start
    std::vector<std::int64_t> numbers; // of the names, where each has one and they rise; else from 0
};

// "epoch 3 step 17" → "epoch # step #".
std::string step_pattern(std::string_view name);

struct StepSource {
    const StringPool& names;
    std::span<const CategoryEntry> categories;
    const EventColumns& columns;
    std::span<const EventId> gpu_events;
};

// Ranges with this name, or this name with other digits, in the order of their starts.
StepMarks find_step_marks(const StepSource& source, std::string_view name);

// The annotations of one pattern that launch the most GPU time, if that is at least half of all: two ranges at least,
// none overlapping another. Of equal ones the pattern with more ranges, then the longer. O(events).
StepMarks choose_step_marks(const StepSource& source);

}  // namespace core
