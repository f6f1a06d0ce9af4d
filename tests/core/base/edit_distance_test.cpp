#include "core/base/edit_distance.hpp"

#include <doctest/doctest.h>

TEST_CASE("the edit distance counts letters changed, added and left out") {
    CHECK(core::edit_distance("kernels", "kernels") == 0);
    CHECK(core::edit_distance("kernels", "kernals") == 1);
    CHECK(core::edit_distance("kernels", "kernel") == 1);
    CHECK(core::edit_distance("", "rank") == 4);
    CHECK(core::edit_distance("serch", "search") == 1);
}
