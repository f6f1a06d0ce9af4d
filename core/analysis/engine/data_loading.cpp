#include "core/analysis/engine/data_loading.hpp"

#include "core/base/ascii.hpp"

namespace core {

bool is_data_loading(std::string_view name) {
    return name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#") ||
           name == "## data_load ##";
}

bool loads_data(std::string_view name) {
    return is_data_loading(name) || contains_any_case(name, "dataloader") || contains_any_case(name, "data_load");
}

}  // namespace core
