#include "core/graphs/graph_captures.hpp"

#include "core/index/graph_replays.hpp"
#include "core/store/event_above.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace core {
namespace {

enum class CallKind : std::uint8_t { Unknown, None, Begins, Ends, Kernel, Copy, Set, AddsChild };

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

CallKind call_kind_of(std::string_view name) {
    if (has(name, "BeginCapture")) return CallKind::Begins;
    if (has(name, "EndCapture")) return CallKind::Ends;
    if (has(name, "GraphAddChild")) return CallKind::AddsChild;
    if (has(name, "Graph") || has(name, "HostFunc")) return CallKind::None;
    if (has(name, "Memcpy")) return CallKind::Copy;
    if (has(name, "Memset")) return CallKind::Set;
    return has(name, "Launch") ? CallKind::Kernel : CallKind::None;
}

// The number at the begin of a text; -1: none.
std::int64_t leading_number(std::string_view text) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} ? number : -1;
}

// "execute_context_1(512)_generation_3(3)": 515; -1 without any.
std::int64_t sum_in_brackets(std::string_view text) {
    std::int64_t sum = -1;
    for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
        const std::int64_t number = leading_number(text.substr(at + 1));
        if (number < 0 || __builtin_add_overflow(std::max<std::int64_t>(sum, 0), number, &sum)) return -1;
    }
    return sum;
}

class CaptureFinder {
public:
    CaptureFinder(const RankTrace& trace, KernelNames names, const JobContext& job)
        : trace_(trace),
          reads_names_(names == KernelNames::Read),
          job_(job),
          kinds_(trace.names.size(), CallKind::Unknown),
          texts_(trace.recent_texts()) {}

    std::vector<GraphCapture> run() && {
        if (!may_have_captures()) return {};
        collect_calls();
        pair_marks();
        std::ranges::sort(captures_, {}, [](const Open& one) { return one.capture.range.begin; });
        for (const Call& call : calls_) add_dispatch(call);
        find_sizes();
        std::vector<GraphCapture> made;
        for (Open& one : captures_)
            if (!one.capture.dispatches.empty()) made.push_back(std::move(one.capture));
        return made;
    }

private:
    struct Call {
        EventId event;
        std::uint32_t track;
        CallKind kind;
    };
    struct Open {
        std::uint32_t track;
        EventId begin;
        GraphCapture capture;
    };

    bool may_have_captures() const {
        for (std::uint32_t n = 0; n < trace_.names.size(); ++n)
            if (has(trace_.text(NameId{n}), "BeginCapture")) return true;
        return false;
    }

    CallKind kind_of(EventId e) {
        CallKind& known = kinds_[index_of(trace_.name[index_of(e)])];
        if (known == CallKind::Unknown) known = call_kind_of(trace_.name_text(e));
        return known;
    }

    // Calls of a driver within those of a runtime are parts of them.
    void collect_calls() {
        std::vector<bool> is_call;
        for (const CategoryEntry& category : trace_.categories) is_call.push_back(is_launch_category(category.kind));
        const auto is_part = [&](EventId e) {
            const EventId above = event_above(trace_, e);
            return above != kNoEvent && is_call[trace_.category[index_of(above)]];
        };
        for (const Lane& lane : trace_.lanes) {
            if (trace_.tracks[lane.track].kind != TrackKind::Thread) continue;
            for (EventId e = lane.first; e < lane.last; e = EventId{static_cast<std::uint32_t>(index_of(e) + 1)}) {
                if (index_of(e) % kEventsBetweenChecks == 0 && job_.checkpoint()) return;
                if (!is_call[trace_.category[index_of(e)]] || kind_of(e) == CallKind::None || is_part(e)) continue;
                calls_.push_back({e, lane.track, kind_of(e)});
            }
        }
        std::ranges::sort(calls_, {}, [&](const Call& call) {
            return std::pair(trace_.start[index_of(call.event)], trace_.order[index_of(call.event)]);
        });
    }

    void pair_marks() {
        std::map<std::uint32_t, EventId> open;  // by track
        for (const Call& call : calls_) {
            if (call.kind == CallKind::Begins) open.try_emplace(call.track, call.event);
            if (call.kind != CallKind::Ends) continue;
            const auto begin = open.find(call.track);
            if (begin == open.end()) continue;
            Open one{.track = call.track, .begin = begin->second, .capture = {}};
            one.capture.range = {trace_.end(begin->second), trace_.start[index_of(call.event)]};
            if (one.capture.range.begin <= one.capture.range.end) captures_.push_back(std::move(one));
            open.erase(begin);
        }
    }

    // Autograd launches on threads of its own, into the capture of another one.
    Open* find_capture(const Call& call) {
        const RankTime start = trace_.start[index_of(call.event)], end = trace_.end(call.event);
        Open* found = nullptr;
        auto at =
            std::ranges::upper_bound(captures_, start, {}, [](const Open& one) { return one.capture.range.begin; });
        constexpr int kMostAtOnce = 64;
        for (int looked = 0; at != captures_.begin() && looked < kMostAtOnce; ++looked) {
            --at;
            if (end > at->capture.range.end) continue;
            if (at->track == call.track) return &*at;
            if (!found) found = &*at;
        }
        return found;
    }

    void add_dispatch(const Call& call) {
        if (call.kind == CallKind::Begins || call.kind == CallKind::Ends) return;
        Open* const into = find_capture(call);
        if (!into) return;
        if (call.kind == CallKind::AddsChild) {
            into->capture.has_children = true;
            return;
        }
        Dispatch dispatch{.call = call.event};
        dispatch.kind = call.kind == CallKind::Copy  ? NodeKind::Copy
                        : call.kind == CallKind::Set ? NodeKind::Set
                                                     : NodeKind::Kernel;
        if (dispatch.kind == NodeKind::Kernel && reads_names_) dispatch.kernel = find_kernel(call.event);
        if (!dispatch.kernel.empty()) dispatch.kind = node_kind_of(Category::Kernel, dispatch.kernel);
        into->capture.dispatches.push_back(std::move(dispatch));
    }

    std::string find_kernel(EventId call) {
        std::string name = text_argument(call, "kernel");
        for (EventId e = event_above(trace_, call); e != kNoEvent && name.empty(); e = event_above(trace_, e)) {
            if (trace_.category_kind(e) != Category::CpuOp) continue;
            return text_argument(e, "kernel_name");
        }
        return name;
    }

    std::string text_argument(EventId e, const char* key) {
        const Result<EventText> text = trace_.event_text(e, texts_);
        if (!text || text->arguments.find(key) == std::string::npos) return {};
        const nlohmann::json arguments = nlohmann::json::parse(text->arguments, nullptr, false);
        if (!arguments.is_object()) return {};
        const auto found = arguments.find(key);
        return found != arguments.end() && found->is_string() ? found->get<std::string>() : std::string();
    }

    // The innermost range around the begin, or the shortest one on any thread, that states a size.
    void find_sizes() {
        std::vector<EventId> marks;
        for (std::uint32_t e = 0; e < trace_.size(); ++e)
            if (trace_.category_kind(EventId{e}) == Category::UserAnnotation &&
                parse_capture_mark(trace_.name_text(EventId{e})).size >= 0)
                marks.push_back(EventId{e});
        std::ranges::stable_sort(marks, {}, [&](EventId e) { return trace_.duration[index_of(e)]; });
        for (Open& one : captures_) {
            const RankTime begin = trace_.start[index_of(one.begin)];
            const auto around = std::ranges::find_if(marks, [&](EventId e) { return trace_.range(e).contains(begin); });
            if (around == marks.end()) continue;
            const SizeMark mark = parse_capture_mark(trace_.name_text(*around));
            one.capture.size = mark.size;
            one.capture.mode = mark.mode;
        }
    }

    const RankTrace& trace_;
    bool reads_names_;
    const JobContext& job_;
    std::vector<CallKind> kinds_;  // by name
    RecentTexts texts_;
    std::vector<Call> calls_;
    std::vector<Open> captures_;
};

}  // namespace

NodeKind node_kind_of(Category category, std::string_view name) {
    if (category == Category::GpuMemcpy) return NodeKind::Copy;
    if (category == Category::GpuMemset) return NodeKind::Set;
    if (has(name, "fillBuffer")) return NodeKind::Set;
    return has(name, "amd_rocclr_copyBuffer") ? NodeKind::Copy : NodeKind::Kernel;
}

std::vector<GraphCapture> find_captures(const RankTrace& trace, KernelNames names, const JobContext& job) {
    return CaptureFinder(trace, names, job).run();
}

CaptureTrace judge_capture_trace(const RankTrace& trace, const JobContext& job) {
    std::size_t dispatches = 0;
    for (const GraphCapture& capture : find_captures(trace, KernelNames::Skip, job))
        dispatches += capture.dispatches.size();
    if (dispatches == 0) return CaptureTrace::No;
    const std::size_t replayed = find_replays(trace, job).nodes.size();
    if (trace.gpu_events.size() - replayed >= dispatches) return CaptureTrace::No;
    return replayed > 0 ? CaptureTrace::WithReplays : CaptureTrace::Yes;
}

SizeMark parse_capture_mark(std::string_view name) {
    constexpr std::string_view kPrefix = "capture_";
    if (!name.starts_with(kPrefix)) return {};
    SizeMark mark{.size = leading_number(name.substr(kPrefix.size()))};
    if (name.ends_with("_FULL")) mark.mode = CaptureMode::Full;
    if (name.ends_with("_PIECEWISE")) mark.mode = CaptureMode::Piecewise;
    return mark;
}

SizeMark parse_step_mark(std::string_view name) {
    if (name.starts_with("execute_context_")) return {.size = sum_in_brackets(name)};
    for (const std::string_view prefix : {"execute_diffusion_", "execute_"})
        if (name.starts_with(prefix)) return {.size = leading_number(name.substr(prefix.size()))};
    const std::size_t bracket = name.find('[');
    const std::size_t size = name.find("bs=");
    if (bracket == std::string_view::npos || size == std::string_view::npos || size < bracket) return {};
    const std::string_view word = name.substr(0, bracket);
    if (word != "step" && word != "decode" && word != "prefill") return {};
    return {.size = leading_number(name.substr(size + 3))};
}

}  // namespace core
