#pragma once
// Marks that a loader of data leaves on the thread that waits for it: PyTorch's own, and those of training loops.

#include <string_view>

namespace core {

bool is_data_loading(std::string_view name);

}  // namespace core
