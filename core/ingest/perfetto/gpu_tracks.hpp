#pragma once
// GPU work among track events by their categories, as every profiler has some of its own. Names of tracks and processes
// are those of core/store/assemble/device_names.

#include "core/store/assemble/device_names.hpp"

#include <string_view>

namespace core {

// Categories that PyTorch gives to anything but GPU work, on rows of the GPU too.
bool is_host_category(std::string_view category);
// Whether the category says GPU work, whatever the track.
bool is_gpu_category(std::string_view category);
// kernel, gpu_memcpy or gpu_memset.
std::string_view gpu_category_of(std::string_view category, std::string_view name);
// Category of an event that isn't GPU work: calls of the runtime, annotations, or as it was.
std::string_view host_category_of(std::string_view category, std::string_view name, bool is_thread);

}  // namespace core
