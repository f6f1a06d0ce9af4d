#include "core/analysis/engine/host_calls.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kAllocates[] = {"cudaMalloc",    "cudaHostAlloc", "cudaMallocHost", "cudaFreeHost",
                                           "hipMalloc",     "hipHostMalloc", "hipHostFree",    "cuMemAlloc",
                                           "cuMemAlloc_v2", "cuMemCreate",   "cuMemMap",       "cuMemUnmap",
                                           "cuMemRelease",  "hipMemCreate",  "hipMemMap"};
constexpr std::string_view kFrees[] = {"cudaFree", "hipFree", "cuMemFree", "cuMemFree_v2"};

}  // namespace

CallKind kind_of_call(std::string_view name) {
    const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (contains("StreamSynchronize") || contains("EventSynchronize")) return CallKind::SyncsStream;
    if (contains("DeviceSynchronize") || contains("CtxSynchronize")) return CallKind::SyncsDevice;
    if (contains("StreamWaitEvent")) return CallKind::WaitsForEvent;
    if (std::ranges::find(kFrees, name) != std::end(kFrees)) return CallKind::Frees;
    return std::ranges::find(kAllocates, name) != std::end(kAllocates) ? CallKind::Allocates : CallKind::Other;
}

}  // namespace core
