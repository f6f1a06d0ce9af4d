#pragma once
// Captures of CUDA and HIP graphs in one trace: the calls between a BeginCapture and its EndCapture run nothing, and
// each launch, copy or set among them (a dispatch) becomes one node of the graph. O(events).

#include "core/base/jobs.hpp"
#include "core/store/rank_trace.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class NodeKind : std::uint8_t { Kernel, Copy, Set };
NodeKind node_kind_of(Category, std::string_view name);  // of a GPU event

struct Dispatch {
    EventId call;
    NodeKind kind = NodeKind::Kernel;
    std::string kernel{};  // as the call, or the compiled operator around it, says; empty: it does not
};

enum class CaptureMode : std::uint8_t { Unknown, Full, Piecewise };

struct GraphCapture {
    RankRange range;  // from the return of BeginCapture to the begin of EndCapture
    std::vector<Dispatch> dispatches;  // by start
    std::int64_t size = -1;  // tokens or requests it is for, as an annotation around it says; -1: unknown
    CaptureMode mode = CaptureMode::Unknown;
    bool has_children = false;  // other graphs were added to it, so that its order is not that of the dispatches
};

// By begin. Kernels' names are in the texts of arguments, which are unpacked for them.
enum class KernelNames : std::uint8_t { Skip, Read };
std::vector<GraphCapture> find_captures(const RankTrace&, KernelNames, const JobContext&);

// A recording of captures has fewer GPU events than dispatches, apart from nodes of replays. One with replays may also
// be a rank that captured its graphs while it was recorded.
enum class CaptureTrace : std::uint8_t { No, WithReplays, Yes };
CaptureTrace judge_capture_trace(const RankTrace&, const JobContext&);

// Sizes of graphs in the mark of a step or of a capture: "step[DECODE bs=32]", "capture_64_PIECEWISE",
// "execute_8_context_1(8)_generation_0(0)".
struct SizeMark {
    std::int64_t size = -1;  // -1: no such mark
    CaptureMode mode = CaptureMode::Unknown;
};
SizeMark parse_capture_mark(std::string_view name);
SizeMark parse_step_mark(std::string_view name);

}  // namespace core
