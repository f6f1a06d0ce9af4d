// Distributions against naive ones.

#include "ui/model/charts/distribution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using core::Cell;
using core::Table;

namespace {

Table table_of(const std::vector<std::optional<std::int64_t>>& values) {
    Table table({{"name", core::Unit::Text, core::Role::Key, core::Facet::None},
                 {"delay", core::Unit::Ns, core::Role::Measure, core::Facet::None}});
    for (const std::optional<std::int64_t>& value : values)
        table.add_row({std::string_view("x"), value ? Cell{*value} : Cell{}});
    return table;
}

}  // namespace

TEST_CASE("median and 99th percentile are of all values, bins of those above 0") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::optional<std::int64_t>> values;
        std::vector<std::int64_t> known;
        const std::size_t count = random() % 300;
        for (std::size_t i = 0; i < count; ++i) {
            if (random() % 9 == 0) {
                values.emplace_back(std::nullopt);
                continue;
            }
            known.push_back(static_cast<std::int64_t>(random() % 100'000) - 2'000);
            values.emplace_back(known.back());
        }
        const Table table = table_of(values);
        const ui::Distribution made = ui::Distribution::of(table, "delay");
        CHECK(made.values == known.size());
        CHECK(made.not_positive ==
              static_cast<std::size_t>(std::ranges::count_if(known, [](auto v) { return v <= 0; })));
        std::size_t binned = 0;
        for (const std::size_t of_bin : made.bins.counts) binned += of_bin;
        CHECK(binned + made.not_positive == known.size());
        for (std::size_t bin = 0; bin < made.bins.counts.size(); ++bin)
            CHECK(static_cast<std::size_t>(std::ranges::count(made.bin_of_row, static_cast<std::uint32_t>(bin))) ==
                  made.bins.counts[bin]);
        if (known.empty()) continue;
        std::ranges::sort(known);
        const std::size_t middle = known.size() / 2;
        if (known.size() % 2 == 1) CHECK(made.median.count() == known[middle]);
        CHECK(made.median.count() >= known[(known.size() - 1) / 2]);
        CHECK(made.median.count() <= known[middle]);
        const auto below = std::ranges::count_if(known, [&](std::int64_t v) { return v <= made.p99.count(); });
        const auto less = std::ranges::count_if(known, [&](std::int64_t v) { return v < made.p99.count(); });
        CHECK(below * 100 >= std::ssize(known) * 99);
        CHECK(less * 100 < std::ssize(known) * 99);
    }
    CHECK(ui::Distribution::of(table_of({}), "none").values == 0);
}
