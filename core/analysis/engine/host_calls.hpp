#pragma once
// Effects of runtime and driver calls by name, CUDA and HIP.

#include <cstdint>
#include <string_view>

namespace core {

enum class CallKind : std::uint8_t {
    Other,
    SyncsStream,    // the host waits for one stream or event
    SyncsDevice,    // the host waits for all streams
    WaitsForEvent,  // a stream waits for an event
    Allocates,      // allocates or frees device or pinned host memory
    Frees,          // frees device memory, which also waits for all streams
};
CallKind kind_of_call(std::string_view name);

inline bool syncs_device(CallKind kind) { return kind == CallKind::SyncsDevice || kind == CallKind::Frees; }
inline bool allocates(CallKind kind) { return kind == CallKind::Allocates || kind == CallKind::Frees; }

}  // namespace core
