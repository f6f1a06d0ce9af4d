#pragma once
// Names of data loading on the thread that waits for it: PyTorch's and those of training loops.

#include <string_view>

namespace core {

bool is_data_loading(std::string_view name);
// The same and any name that mentions a data loader, as marks of training loops do.
bool loads_data(std::string_view name);

}  // namespace core
