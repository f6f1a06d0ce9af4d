#pragma once
// A table as it can be copied: which of its rows and columns, in which order. Cheap to hold: it shares what it names.

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
