#pragma once
// Room in columns whose final size is a guess.

#include <cstddef>

namespace core {

// For all that will be there when `share` (above 0, below 1) of it is. A column that has about that much stays where it
// is: to grow is to copy it.
template <class Column>
void make_room(Column& column, double share) {
    const double all = static_cast<double>(column.size()) / share;
    if (all * 1.02 > static_cast<double>(column.capacity())) column.reserve(static_cast<std::size_t>(all * 1.05));
}

}  // namespace core
