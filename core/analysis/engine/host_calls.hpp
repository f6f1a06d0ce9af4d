#pragma once
// Which runtime and driver calls do what, by name, of CUDA and HIP alike.

#include <cstdint>
#include <string_view>

namespace core {

enum class CallKind : std::uint8_t {
    Other,
    SyncsStream,    // waits for one stream or event
    SyncsDevice,    // waits for all
    WaitsForEvent,  // makes a stream wait
    Allocates,      // or frees; of the device or of pinned host memory
    Frees,          // of the device: waits for all as well
};
CallKind kind_of_call(std::string_view name);

inline bool syncs_device(CallKind kind) { return kind == CallKind::SyncsDevice || kind == CallKind::Frees; }
inline bool allocates(CallKind kind) { return kind == CallKind::Allocates || kind == CallKind::Frees; }

}  // namespace core
