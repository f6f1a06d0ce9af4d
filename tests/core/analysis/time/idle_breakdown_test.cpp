#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"

#include <map>

using namespace core;
using namespace core::testing;

namespace {

// Naive gaps of a stream, instant by instant.
Rows expected_gaps(const LaunchModel& model, const Chosen& chosen, int short_gap) {
    constexpr const char* kCauses[] = {"host_wait", "kernel_wait", "other"};
    Rows rows;
    for (int stream = 7; stream <= 9; ++stream) {
        std::vector<const ModelKernel*> events;
        int window_begin = kModelSpan, window_end = 0;
        for (const ModelKernel& kernel : model.kernels) {
            if (kernel.stream != stream || !chosen.places(model, kernel)) continue;
            window_begin = std::min(window_begin, kernel.start);
            window_end = std::max(window_end, kernel.end());
            events.push_back(&kernel);
        }
        if (events.empty()) continue;
        std::map<int, std::vector<std::int64_t>> gaps;  // by cause
        std::int64_t all = 0;
        for (int t = window_begin; t < window_end;) {
            const auto running = [&](int now) {
                return std::ranges::any_of(events, [&](const auto* k) { return k->start <= now && now < k->end(); });
            };
            if (running(t)) {
                ++t;
                continue;
            }
            int end = t + 1;  // next time at which an event runs, or an instant happens
            const auto begins = [&](int now) {
                return std::ranges::any_of(events, [&](const auto* k) { return k->start == now; });
            };
            while (end < window_end && !begins(end)) ++end;
            const auto next = std::ranges::find_if(events, [&](const auto* k) { return k->start == end; });
            const ModelCall* const call = next == events.end() ? nullptr : model.call_of(**next);
            const int cause = call && call->start > t ? 0 : call && end - t < short_gap ? 1 : 2;
            const int visible = std::min(end, chosen.end()) - std::max(t, chosen.begin());
            if (visible > 0) gaps[cause].push_back(visible);
            all += std::max(0, visible);
            t = end;
        }
        for (auto& [cause, lengths] : gaps) {
            std::ranges::sort(lengths);
            std::int64_t sum = 0;
            for (const std::int64_t length : lengths) sum += length;
            const std::size_t n = lengths.size();
            const std::int64_t median = (lengths[(n - 1) / 2] + lengths[n / 2] + 1) / 2;
            rows.push_back("0 " + std::to_string(stream) + " " + kCauses[cause] + " " + std::to_string(n) + " " +
                           std::to_string(sum) + " " +
                           std::to_string(static_cast<double>(sum) / static_cast<double>(all)) + " " +
                           std::to_string(median) + " " + std::to_string(lengths.back()));
        }
    }
    return rows;
}

}  // namespace

TEST_CASE("a gap's cause is the host if the launch began in it, the next kernel if it is short, else other") {
    const RunPtr run = run_of({TraceFixture()
                                   .launch(0, 1, 1)
                                   .launch(2, 1, 2)
                                   .launch(40, 5, 3)
                                   .launch(60, 5, 4)
                                   .kernel(10, 10, "first", 7, 1)
                                   .kernel(24, 6, "launched long before, soon", 7, 2)
                                   .kernel(50, 15, "launched late", 7, 3)
                                   .kernel(70, 5, "not late at all", 7, 4)
                                   .kernel(80, 5, "nobody knows", 7)
                                   .build()});
    CHECK(rows_of(answer_of(*run, "idle-breakdown", "", {{"short_gap", "5ns"}}).main()) ==
          Rows{"0 7 host_wait 1 20 0.588235 20 20", "0 7 kernel_wait 1 4 0.117647 4 4", "0 7 other 2 10 0.294118 5 5"});
}

TEST_CASE("overlapping events have no gap, and the latest end so far counts") {
    const RunPtr run = run_of({TraceFixture()
                                   .kernel(0, 50, "long", 7)
                                   .kernel(10, 5, "inside", 7)
                                   .kernel(60, 5, "next", 7)
                                   .kernel(65, 5, "touching", 7)
                                   .build()});
    CHECK(rows_of(answer_of(*run, "idle-breakdown").main()) == Rows{"0 7 other 1 10 1.000000 10 10"});
}

TEST_CASE("a rank without GPU events and a stream without gaps have no rows") {
    const RunPtr run = run_of({TraceFixture().cpu(0, 5, "op").build(), TraceFixture().kernel(0, 5, "gemm").build()});
    CHECK(answer_of(*run, "idle-breakdown").main().rows() == 0);
    CHECK(answer_of(*run, "device-idle").main().rows() == 0);
}

TEST_CASE("random traces: gaps agree with a naive count") {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 250; ++seed) {
        Dice dice(seed);
        const LaunchModel model = random_launch_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        for (int i = 0; i < 5; ++i) {
            const Chosen chosen = random_choice(model, dice);
            const int short_gap = dice.roll(1, 40);
            INFO("seed ", seed, " filter", chosen.text());
            const Rows expected = expected_gaps(model, chosen, short_gap);
            CHECK(rows_of(answer_of(*run, "idle-breakdown", chosen.text(),
                                    {{"short_gap", std::to_string(short_gap) + "ns"}})
                              .main()) == expected);
            seen += expected.size();
        }
    }
    CHECK(seen > 1000);
}
