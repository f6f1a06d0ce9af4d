// Every record that a partial hands to a merge comes back from its table as it was.

#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/efficiency/mfu_records.hpp"
#include "core/analysis/findings/finding_records.hpp"
#include "core/analysis/operators/operator_records.hpp"
#include "core/analysis/parallelism/backward_window.hpp"
#include "core/analysis/parallelism/stage_records.hpp"
#include "core/analysis/verdict/health_facts.hpp"
#include "core/analysis/whatif/run_window.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace core;

namespace {

class RandomMembers {
public:
    explicit RandomMembers(unsigned seed) : random_(seed) {}

    template <class T>
    void fill(T& value) {
        if constexpr (record_table::kIsOptional<T>) {
            value.reset();
            if (below(3) > 0) fill(value.emplace());
        } else if constexpr (std::same_as<T, EventId>) {
            value = below(3) == 0 ? kNoEvent : EventId{static_cast<std::uint32_t>(below(1'000'000))};
        } else if constexpr (std::same_as<T, std::string_view>) {
            constexpr std::string_view kWords[] = {"", "aten::mm", "sendrecv, \"quoted\"", "\xE2\x80\xA6"};
            value = kWords[below(4)];
        } else if constexpr (std::same_as<T, Duration>) {
            value = Duration{below(1'000'000'000) - 500'000'000};
        } else if constexpr (std::floating_point<T>) {
            value = static_cast<T>(below(1'000'000)) / 7 - 1000;
        } else if constexpr (std::same_as<T, bool>) {
            value = below(2) == 1;
        } else if constexpr (std::is_enum_v<T>) {
            value = static_cast<T>(below(3));
        } else if constexpr (std::unsigned_integral<T>) {
            value = static_cast<T>(random_());
        } else if constexpr (std::integral<T>) {
            value = below(2'000'000) - 1'000'000;
        } else {
            value = T{Duration{below(1'000'000'000) - 500'000'000}};
        }
    }

private:
    std::int64_t below(std::int64_t most) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
    }

    std::mt19937_64 random_;
};

}  // namespace

TEST_CASE_TEMPLATE("records come back from their table", Record, TimeFacts, RankHealth, MemberPlace, BackwardOfStep,
                   ChosenRank, MemberRef, PartBounds, PartEvent, MfuStep, MfuPrecision, FindingKernel, FindingRank,
                   StepOfStage, StretchOfStage, KernelOnRank, WorkOfCalls) {
    RandomMembers values(11);
    Table table(record_columns<Record>());
    std::vector<Record> written(200);
    for (Record& one : written) {
        std::apply([&](const auto&... each) { (values.fill(each.in(one)), ...); }, kFields<Record>);
        add_record(table, one);
    }
    const std::vector<Record> read = read_records<Record>(table);
    REQUIRE(read.size() == written.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
        const auto check = [&](const auto& each) {
            CAPTURE(each.name);
            CHECK(each.in(read[i]) == each.in(written[i]));
        };
        std::apply([&](const auto&... each) { (check(each), ...); }, kFields<Record>);
    }
    std::set<std::string> names;
    for (const Column& column : table.columns()) names.insert(column.name);
    CHECK(names.size() == table.columns().size());
}

TEST_CASE("a record's columns have the units of its members, unless it says others") {
    const std::vector<Column> columns = record_columns<TimeFacts>();
    REQUIRE(columns.size() == 23);
    CHECK(columns[1].unit == Unit::Rank);
    CHECK(columns[3].unit == Unit::Ns);
    CHECK(columns[18].unit == Unit::Number);
    CHECK(columns[22].unit == Unit::Event);
    CHECK(record_columns<MemberPlace>().front().unit == Unit::Count);
    CHECK(record_columns<WorkOfCalls>().front().unit == Unit::Text);
}
