#include "ui/timeline/model/counter_view.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

bool contains_word(std::string_view text, std::string_view word) {
    const auto same = [](char a, char b) { return (a | 0x20) == b; };
    return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

}  // namespace

CounterView view_counter(const core::RankSlot& rank, std::size_t counter) {
    const core::RankTrace& trace = rank.trace();
    const core::CounterTrack& track = trace.counters[counter];
    CounterView view;
    view.times = trace.counter_times.subspan(track.first, track.last - track.first);
    view.values = trace.counter_values.subspan(track.first, track.last - track.first);
    view.end = view.times.empty() ? trace.window.end : std::max(trace.window.end, view.times.back());
    view.pyramid = &rank.index->counter(counter);
    view.name = trace.text(track.name);
    view.series = trace.text(track.series);
    return view;
}

std::string format_value(const CounterView& view, double value) {
    if (!view.words.empty() && value >= 0 && value < static_cast<double>(view.words.size()))
        return std::string(view.words[static_cast<std::size_t>(value)]);
    const bool bytes = view.unit ? *view.unit == core::Unit::Bytes
                                 : contains_word(view.name, "bytes") || contains_word(view.series, "bytes");
    constexpr double kMostBytes = 9e18;
    if (bytes && std::fabs(value) < kMostBytes) return core::format_bytes(std::llround(value));
    if (view.unit == core::Unit::BytesPerSecond) return core::format_bytes_per_second(value);
    return core::format_number(value);
}

}  // namespace ui
