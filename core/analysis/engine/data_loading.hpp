#pragma once
// Names of data loading on the thread that waits for it: PyTorch's and those of training loops.

#include <string_view>

namespace core {

bool is_data_loading(std::string_view name);

}  // namespace core
