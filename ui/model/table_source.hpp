#pragma once
// Rows and columns of a table in the order to copy them. Shares the table, so it is cheap to hold.

#include "core/analysis/engine/table.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace ui {

struct TableSource {
    std::shared_ptr<const core::Table> table;
    std::shared_ptr<const std::vector<std::size_t>> rows;  // null: all
    std::vector<std::size_t> columns;                      // none: all
};

}  // namespace ui
