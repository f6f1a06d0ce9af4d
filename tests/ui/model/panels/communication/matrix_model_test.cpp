#include "ui/model/panels/communication/matrix_model.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

using core::Cell;
using core::Facet;
using core::Role;
using core::Unit;

core::Table traffic() {
    core::Table table({{"source", Unit::Rank, Role::Key, Facet::Rank, ""},
                       {"destination", Unit::Text, Role::Key, Facet::None, ""},
                       {"bytes", Unit::Bytes},
                       {"messages", Unit::Count},
                       {"time", Unit::Ns}});
    const auto add = [&](std::int32_t from, std::string_view to, std::int64_t bytes, std::int64_t time) {
        table.add_row({core::RankKey{from, 0}.packed(), to, bytes, std::int64_t{1}, time});
    };
    add(1, "others", 5, 0);
    add(1, "10", 3'000, 1'000);
    add(0, "2", 100, 50);
    return table;
}

}  // namespace

TEST_CASE("destinations ascend with others last; cells without data are unknown") {
    const ui::MatrixModel model = ui::MatrixModel::of(traffic(), 0);
    CHECK(model.source_labels == std::vector<std::string>{"0", "1"});
    CHECK(model.destination_labels == std::vector<std::string>{"2", "10", "others"});
    CHECK(model.values[0] == 100);
    CHECK(std::isnan(model.values[1]));
    CHECK(model.values[4] == 3'000);
    CHECK(model.values[5] == 5);
}

TEST_CASE("by groups, rows are groups and columns their members") {
    core::Table table({{"group", Unit::Text, Role::Key},
                       {"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                       {"bytes", Unit::Bytes},
                       {"messages", Unit::Count},
                       {"time", Unit::Ns}});
    const auto add = [&](std::string_view group, std::int32_t rank, std::int64_t bytes) {
        table.add_row({group, core::RankKey{rank, 0}.packed(), bytes, std::int64_t{1}, std::int64_t{1'000}});
    };
    add("tp [0-1]", 1, 64);
    add("dp", 0, 128);
    add("tp [0-1]", 0, 32);
    const ui::MatrixModel model = ui::MatrixModel::of_groups(table, 0);
    CHECK(model.groups == std::vector<std::string>{"dp", "tp [0-1]"});
    CHECK(model.source_labels == model.groups);
    CHECK(model.destination_labels == std::vector<std::string>{"0", "1"});
    CHECK(model.values[0] == 128);
    CHECK(std::isnan(model.values[1]));
    CHECK(model.values[2] == 32);
    CHECK(model.values[3] == 64);
    CHECK(ui::MatrixModel::of_groups(table, 3).values[3] == doctest::Approx(64e6));
    CHECK(ui::MatrixModel::of_groups(core::Table{}, 0).empty());
}

TEST_CASE("bytes per second are those of the cell, and not known without time") {
    const ui::MatrixModel model = ui::MatrixModel::of(traffic(), 3);
    CHECK(model.values[4] == doctest::Approx(3e9));
    CHECK(std::isnan(model.values[5]));
    CHECK(ui::MatrixModel::of(core::Table{}, 0).sources.empty());
}
