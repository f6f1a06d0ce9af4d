#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"

#include <map>

using namespace core;
using namespace core::testing;

namespace {

// Runs of instants at which no event of the chosen steps and streams runs, instant by instant; an event without length
// ends a gap, too.
Rows expected_device_gaps(const LaunchModel& model, const Chosen& chosen, int short_gap) {
    std::vector<const ModelKernel*> events;
    int window_begin = kModelSpan, window_end = 0;
    for (const ModelKernel& kernel : model.kernels) {
        if (!chosen.places(model, kernel)) continue;
        window_begin = std::min(window_begin, kernel.start);
        window_end = std::max(window_end, kernel.end());
        events.push_back(&kernel);  // whatever classes are chosen
    }
    struct Found {
        int visible, begin;
        std::string words;
    };
    std::vector<Found> found;
    for (int begin = window_begin; begin < window_end;) {
        const auto runs = [&](int t) {
            return std::ranges::any_of(events, [&](const auto* k) { return k->start <= t && t < k->end(); });
        };
        if (runs(begin)) {
            ++begin;
            continue;
        }
        int end = begin + 1;
        const auto next_at = [&](int t) {
            return std::ranges::find_if(events, [&](const auto* k) { return k->start == t; });
        };
        while (end < window_end && next_at(end) == events.end()) ++end;
        const auto next = next_at(end);
        const ModelCall* const call = next == events.end() ? nullptr : model.call_of(**next);
        const char* const cause = call && call->start > begin       ? "host_wait"
                                  : call && end - begin < short_gap ? "kernel_wait"
                                                                    : "other";
        const int from = std::max(begin, chosen.begin()), to = std::min(end, chosen.end());
        const std::string after = next == events.end() ? "-" : (*next)->name;
        if (from < to)
            found.push_back(
                {to - from, from, std::to_string(from) + " " + std::to_string(to - from) + " " + cause + " " + after});
        begin = end;
    }
    std::ranges::stable_sort(found, std::greater{}, &Found::visible);
    Rows rows;
    for (const Found& gap : found) rows.push_back(gap.words);
    return rows;
}

Rows rows_of_gaps(const Table& table) {
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::size_t after = table.find_column("kernel_after");
        rows.push_back(std::to_string(table.integer(row, table.find_column("begin"))) + " " +
                       std::to_string(table.integer(row, table.find_column("length"))) + " " +
                       std::string(table.text(row, table.find_column("cause"))) + " " +
                       (table.absent(row, after) ? "-" : std::string(table.text(row, after))));
    }
    return rows;
}

}  // namespace

TEST_CASE("a gap has its cause, what the host did, and the kernels before and after, longest first") {
    const RunPtr run = run_of({TraceFixture()
                                   .cpu(0, 3, "aten::mm")
                                   .launch(1, 1, 1)
                                   .cpu(20, 60, "aten::item")
                                   .event(25, 40, "cudaStreamSynchronize", "cuda_runtime", {})
                                   .cpu(85, 10, "aten::mul")
                                   .launch(90, 2, 2)
                                   .launch(101, 1, 3)
                                   .launch(102, 1, 4)
                                   .kernel(5, 15, "a", 7, 1)
                                   .kernel(10, 20, "b", 8)
                                   .kernel(100, 10, "c", 7, 2)
                                   .kernel(112, 10, "d", 7, 3)
                                   .kernel(150, 10, "e", 7, 4)
                                   .build()});
    CHECK(rows_of(answer_of(*run, "idle-gaps", "", {{"short_gap", "20ns"}}).main(), 10) ==
          Rows{"0 1 - 30 70 host_wait cudaStreamSynchronize b c -", "0 2 - 122 28 other (nothing) d e -",
               "0 3 - 110 2 kernel_wait (nothing) c d -"});
    CHECK(rows_of(answer_of(*run, "idle-gaps", "stream:7", {{"of", "streams"}, {"most", "1"}}).main(), 9) ==
          Rows{"0 1 7 20 80 host_wait cudaStreamSynchronize a c"});
}

TEST_CASE("gaps of several ranks stand by length, and shorter ones than the listed are counted") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 10, "a").kernel(30, 10, "b").kernel(45, 10, "c").build(),
                               TraceFixture().kernel(0, 10, "a").kernel(60, 10, "b").kernel(71, 10, "c").build()});
    CHECK(rows_of(answer_of(*run, "idle-gaps").main(), 5) ==
          Rows{"1 1 - 10 50", "0 1 - 10 20", "0 2 - 40 5", "1 2 - 70 1"});
    const Answer longest = answer_of(*run, "idle-gaps", "", {{"most", "1"}});
    CHECK(rows_of(longest.main(), 5) == Rows{"1 1 - 10 50", "0 1 - 10 20"});
    REQUIRE(longest.excluded.size() == 1);
    CHECK(longest.excluded.front().count == 2);
}

TEST_CASE("a gap ends at the next work of any class, whatever classes are chosen") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 10, "a").kernel(30, 10, "Memcpy", 7, -1, "gpu_memcpy").build()});
    const Rows rows = rows_of(answer_of(*run, "idle-gaps", "class:compute").main(), 9);
    REQUIRE(rows.size() == 1);
    CHECK(rows.front().ends_with(" a Memcpy"));
}

TEST_CASE("random traces: gaps agree with a naive search, and add up to the idle time of each cause") {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        Dice dice(seed);
        const LaunchModel model = random_launch_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        for (int i = 0; i < 5; ++i) {
            const Chosen chosen = random_choice(model, dice);
            const int short_gap = dice.roll(1, 40);
            const GivenParams given{{"short_gap", std::to_string(short_gap) + "ns"}};
            INFO("seed ", seed, " filter", chosen.text());
            const Table gaps = answer_of(*run, "idle-gaps", chosen.text(), given).main();
            CHECK(rows_of_gaps(gaps) == expected_device_gaps(model, chosen, short_gap));
            seen += gaps.rows();
            for (const std::string of : {"gpu", "streams"}) {
                const Table listed = answer_of(*run, "idle-gaps", chosen.text(), {given.front(), {"of", of}}).main();
                const Table summed =
                    answer_of(*run, of == "gpu" ? "device-idle" : "idle-breakdown", chosen.text(), given).main();
                const auto sums = [](const Table& table, std::string_view column) {
                    std::map<std::string, std::int64_t> times;
                    for (std::size_t row = 0; row < table.rows(); ++row)
                        times[std::string(table.text(row, table.find_column("cause")))] +=
                            table.integer(row, table.find_column(column));
                    return times;
                };
                CHECK(sums(listed, "length") == sums(summed, "time"));
            }
        }
    }
    CHECK(seen > 1000);
}
