#pragma once
// Reserves room in columns whose final size is estimated.

#include <cstddef>

namespace core {

// Reserves the estimated final size when `share` (between 0 and 1, exclusive) is present. A column that is
// about large enough is not moved, as growing copies it.
template <class Column>
void make_room(Column& column, double share) {
    const double all = static_cast<double>(column.size()) / share;
    if (all * 1.02 > static_cast<double>(column.capacity())) column.reserve(static_cast<std::size_t>(all * 1.05));
}

}  // namespace core
