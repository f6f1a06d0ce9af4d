#pragma once
// A cell that is absent where its value is.

#include "core/analysis/engine/table.hpp"

#include <optional>

namespace core {

template <class T>
Cell optional_cell(const std::optional<T>& value) {
    return value ? Cell{*value} : Cell{};
}

}  // namespace core
