#include "core/analysis/engine/data_loading.hpp"

namespace core {

bool is_data_loading(std::string_view name) {
    return name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#") ||
           name == "## data_load ##";
}

}  // namespace core
