#include "core/store/make_room.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace core;

TEST_CASE("a column reserves room for the estimate, and is not moved if that is about right") {
    std::vector<int> column(1'000);
    make_room(column, 0.1);
    CHECK(column.capacity() == 10'500);
    const int* const at = column.data();
    column.resize(5'100);  // two percent more than estimated
    make_room(column, 0.5);
    CHECK(column.data() == at);
    CHECK(column.capacity() == 10'500);
    column.resize(7'000);  // far more
    make_room(column, 0.5);
    CHECK(column.capacity() == 14'700);
    std::vector<int> none;
    make_room(none, 0.5);
    CHECK(none.capacity() == 0);
}
