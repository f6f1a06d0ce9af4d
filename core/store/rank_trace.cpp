#include "core/store/rank_trace.hpp"

#include "core/store/sections.hpp"

#include <algorithm>
#include <cctype>

namespace core {
namespace {

struct CategoryName {
    std::string_view text;  // lower case
    Category kind;
};

// Current writers first, then names of 2021, then other devices.
constexpr CategoryName kCategories[] = {
    {"cpu_op", Category::CpuOp},
    {"user_annotation", Category::UserAnnotation},
    {"python_function", Category::PythonFunction},
    {"kernel", Category::Kernel},
    {"gpu_memcpy", Category::GpuMemcpy},
    {"gpu_memset", Category::GpuMemset},
    {"gpu_user_annotation", Category::GpuUserAnnotation},
    {"cuda_sync", Category::CudaSync},
    {"overhead", Category::Overhead},
    {"cpu_instant_event", Category::CpuInstant},
    {"trace", Category::ProfilerTrace},
    {"cuda_profiler_range", Category::ProfilerRange},
    {"operator", Category::CpuOp},
    {"runtime", Category::Runtime},
    {"memcpy", Category::GpuMemcpy},
    {"memset", Category::GpuMemset},
    {"python", Category::PythonFunction},
    {"concurrent_kernel", Category::Kernel},
    {"mtia_ccp_events", Category::GpuOther},
    {"graph_host_node", Category::GpuOther},
    {"graph_event_node", Category::GpuOther},
    {"hpu_op", Category::GpuOther},
    {"gpu_op", Category::GpuOther},
    {kAddedCategory, Category::Added},
};

bool equal_folded(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, [](char a, char b) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(a))) == b;
    });
}

bool ends_with_folded(std::string_view text, std::string_view lower) {
    return text.size() >= lower.size() && equal_folded(text.substr(text.size() - lower.size()), lower);
}

}  // namespace

Category category_of(std::string_view text) {
    const auto* it =
        std::ranges::find_if(kCategories, [&](const CategoryName& c) { return equal_folded(text, c.text); });
    if (it != std::end(kCategories)) return it->kind;
    // cuda_runtime, hip_runtime, xpu_driver, …: any device name.
    if (ends_with_folded(text, "_runtime")) return Category::Runtime;
    return ends_with_folded(text, "_driver") ? Category::Driver : Category::Other;
}

bool is_gpu_category(Category c) {
    return c == Category::Kernel || c == Category::GpuMemcpy || c == Category::GpuMemset || c == Category::GpuOther;
}

bool is_launch_category(Category c) { return c == Category::Runtime || c == Category::Driver; }

RankTrace::RankTrace(Blob blob, RankInfo rank_info, Diagnostics found)
    : info(std::move(rank_info)), diagnostics(std::move(found)), blob_(std::move(blob)) {
    start = blob_.section<RankTime>(section::kStart);
    duration = blob_.section<Duration>(section::kDuration);
    name = blob_.section<NameId>(section::kName);
    category = blob_.section<std::uint16_t>(section::kCategory);
    flags = blob_.section<std::uint8_t>(section::kFlags);
    parent = blob_.section<EventId>(section::kParent);
    order = blob_.section<std::uint32_t>(section::kOrder);
    processes = blob_.section<Process>(section::kProcesses);
    tracks = blob_.section<Track>(section::kTracks);
    lanes = blob_.section<Lane>(section::kLanes);
    categories = blob_.section<CategoryEntry>(section::kCategories);
    steps = blob_.section<Step>(section::kSteps);
    gpu_events = blob_.section<EventId>(section::kGpuEvents);
    flows = blob_.section<Flow>(section::kFlows);
    counters = blob_.section<CounterTrack>(section::kCounters);
    counter_times = blob_.section<RankTime>(section::kCounterTimes);
    counter_values = blob_.section<double>(section::kCounterValues);
    launch_calls = blob_.section<EventId>(section::kLaunchCalls);
    launch_first = blob_.section<std::uint32_t>(section::kLaunchFirst);
    launch_gpu = blob_.section<EventId>(section::kLaunchGpu);
    first_linked_ = blob_.section<RankTime>(section::kFirstLinked);
    names = StringTable(blob_.section<std::uint64_t>(section::kNameOffsets), blob_.section<char>(section::kNameBytes));
    text_blocks_ = blob_.section<TextBlock>(section::kTextBlocks);
    text_packed_ = blob_.section<std::uint8_t>(section::kTextPacked);

    for (const Step& step : steps) {
        steps_end_by_.push_back(steps_end_by_.empty() ? step.range.end
                                                      : std::max(steps_end_by_.back(), step.range.end));
    }
    for (const Lane& lane : lanes) {
        if (lane.first == lane.last) continue;
        const EventId last{static_cast<std::uint32_t>(index_of(lane.last) - 1)};
        const RankRange r{start[index_of(lane.first)], end(last)};
        window = window == RankRange{} ? r : RankRange{std::min(window.begin, r.begin), std::max(window.end, r.end)};
    }
}

std::size_t RankTrace::find_lane(EventId e) const {
    const auto it = std::ranges::upper_bound(lanes, e, {}, &Lane::first);
    return static_cast<std::size_t>(it - lanes.begin()) - 1;
}

std::span<const EventId> RankTrace::launched_by(EventId call) const {
    const auto it = std::ranges::lower_bound(launch_calls, call);
    if (it == launch_calls.end() || *it != call) return {};
    const auto k = static_cast<std::size_t>(it - launch_calls.begin());
    const std::size_t first = launch_first[k], last = launch_first[k + 1];
    if (first > last || last > launch_gpu.size()) return {};  // a mapping may turn to zeros between two reads
    return launch_gpu.subspan(first, last - first);
}

const Step* RankTrace::find_step(RankTime t) const {
    auto it = std::ranges::upper_bound(steps, t, {}, [](const Step& s) { return s.range.begin; });
    while (it != steps.begin()) {
        --it;
        if (it->range.contains(t)) return &*it;
        if (steps_end_by_[static_cast<std::size_t>(it - steps.begin())] <= t) return nullptr;
    }
    return nullptr;
}

const Step* RankTrace::step_of(EventId e) const {
    if (!has(e, kGpuEvent)) return find_step(start[index_of(e)]);
    const EventId call = parent[index_of(e)];
    if (call != kNoEvent) return find_step(start[index_of(call)]);
    if (was_launched_before(e)) return nullptr;
    return find_step(start[index_of(e)]);
}

// Ranks of a summary have no such times: what they keep the correlation of is in no step.
bool RankTrace::was_launched_before(EventId e) const {
    if (!integer(Arg::Correlation, e)) return false;
    return first_linked_.empty() || start[index_of(e)] < first_linked_[lanes[find_lane(e)].track];
}

SparseColumn<std::int64_t> RankTrace::integers(Arg arg) const {
    assert(type_of(arg) == ArgType::Integer);
    return {blob_.section<EventId>(section::arg_events(arg)), blob_.section<std::int64_t>(section::arg_values(arg))};
}

SparseColumn<NameId> RankTrace::texts(Arg arg) const {
    assert(type_of(arg) == ArgType::Text);
    return {blob_.section<EventId>(section::arg_events(arg)), blob_.section<NameId>(section::arg_values(arg))};
}

std::optional<std::int64_t> RankTrace::integer(Arg arg, EventId e) const {
    const std::int64_t* value = integers(arg).find(e);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::string_view> RankTrace::argument(Arg arg, EventId e) const {
    const NameId* value = texts(arg).find(e);
    return value ? std::optional(text(*value)) : std::nullopt;
}

template <class Find>
Result<EventText> RankTrace::find_text(EventId e, const Find& find) const {
    Result<EventText> found = find(order[index_of(e)]);
    const SparseColumn<std::uint32_t> ends{blob_.section<EventId>(section::kEndOrderEvents),
                                           blob_.section<std::uint32_t>(section::kEndOrders)};
    const std::uint32_t* end_order = ends.find(e);
    if (!found || !end_order) return found;
    // For a begin/end pair, the event also has the end's arguments.
    if (Result<EventText> at_end = find(*end_order)) {
        if (found->arguments.empty())
            found->arguments = at_end->arguments;
        else if (!at_end->arguments.empty())
            found->extra += at_end->arguments;
    }
    return found;
}

Result<EventText> RankTrace::event_text(EventId e) const {
    return find_text(e, [&](std::uint32_t at) { return find_event_text(text_blocks_, text_packed_, at); });
}

Result<EventText> RankTrace::event_text(EventId e, RecentTexts& recent) const {
    return find_text(e, [&](std::uint32_t at) { return recent.find(at); });
}

}  // namespace core
