// Six analyses against naive versions that visit every nanosecond of small random traces.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"
#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

constexpr int kSpan = 300;  // every event is in [0, kSpan)
constexpr int kSpanRounds = 150;

struct SpanKernel {
    int start, duration, stream, launched_in;  // index of the step; -1: nowhere
    KernelClass kernel_class;
    std::string name;
    int end() const { return start + duration; }
};
struct StepRange {
    int number, begin, end;
};
struct SpanModel {
    std::vector<SpanKernel> kernels;
    std::vector<StepRange> steps;

    // Index of the step that it belongs to; -1: none.
    int step_of(const SpanKernel& kernel) const {
        if (kernel.launched_in >= 0 || precedes_launched(kernel)) return kernel.launched_in;
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (steps[i].begin <= kernel.start && kernel.start < steps[i].end) return static_cast<int>(i);
        return -1;
    }

private:
    // All launched kernels of its stream, or of any if there is none on its own.
    bool precedes_launched(const SpanKernel& kernel) const {
        for (const bool same_stream : {true, false}) {
            int first = kSpan;
            for (const SpanKernel& other : kernels)
                if (other.launched_in >= 0 && (!same_stream || other.stream == kernel.stream))
                    first = std::min(first, other.start);
            if (first != kSpan) return kernel.start < first;
        }
        return false;
    }
};

SpanModel random_model(Dice& dice) {
    SpanModel model;
    for (int begin = dice.roll(0, 40), number = dice.roll(0, 5); begin < kSpan - 20 && dice.roll(0, 4) > 0; ++number) {
        const int end = std::min(kSpan, begin + dice.roll(10, 90));
        model.steps.push_back({number, begin, end});
        begin = end + (dice.roll(0, 1) ? dice.roll(0, 20) : 0);
    }
    const std::string names[3][2] = {{"gemm", "relu"}, {"ncclAllReduce", "ncclSend"}, {"Memcpy DtoH", "Memset"}};
    const int count = dice.roll(0, 25);
    for (int i = 0; i < count; ++i) {
        const int kernel_class = dice.roll(0, 2);
        const int start = dice.roll(0, kSpan - 60);
        const int step =
            model.steps.empty() || dice.roll(0, 5) == 0 ? -1 : dice.roll(0, static_cast<int>(model.steps.size()) - 1);
        model.kernels.push_back({start, dice.roll(0, 4) ? dice.roll(1, 60) : 0, dice.roll(7, 9), step,
                                 static_cast<KernelClass>(kernel_class), names[kernel_class][dice.roll(0, 1)]});
    }
    return model;
}

// A kernel of a step has a launch call inside that step; the others have a correlation without a launch.
RankTracePtr build_trace(const SpanModel& model) {
    TraceFixture fixture;
    fixture.cpu(0, kSpan, "everything");  // makes run time equal rank time
    int correlation = 1;
    for (const StepRange& step : model.steps) fixture.step(step.begin, step.end - step.begin, step.number);
    for (const SpanKernel& kernel : model.kernels) {
        if (kernel.launched_in >= 0)
            fixture.launch(model.steps[static_cast<std::size_t>(kernel.launched_in)].begin, 0, correlation);
        const char* const category = kernel.kernel_class != KernelClass::Memory ? "kernel"
                                     : kernel.name == "Memset"                  ? "gpu_memset"
                                                                                : "gpu_memcpy";
        fixture.kernel(kernel.start, kernel.duration, kernel.name, kernel.stream, correlation++, category);
    }
    return fixture.build();
}

// Naive evaluation of this test's filters.
struct ChosenSpans {
    std::optional<int> step, stream;
    std::optional<KernelClass> kernel_class;
    std::optional<std::pair<int, int>> time;

    std::string text() const {
        std::string words;
        if (step) words += " step:" + std::to_string(*step);
        if (stream) words += " stream:" + std::to_string(*stream);
        if (kernel_class) words += " class:" + std::string(name_of(*kernel_class));
        if (time) words += " time:" + std::to_string(time->first) + "ns.." + std::to_string(time->second) + "ns";
        return words;
    }
    int begin() const { return time ? time->first : 0; }
    int end() const { return time ? time->second : kSpan; }
    bool places(const SpanModel& model, const SpanKernel& kernel) const {
        const int in = model.step_of(kernel);
        const int number = in < 0 ? -1 : model.steps[static_cast<std::size_t>(in)].number;
        return (!step || number == *step) && (!stream || kernel.stream == *stream);
    }
    bool takes(const SpanKernel& kernel) const { return !kernel_class || kernel.kernel_class == *kernel_class; }
};

ChosenSpans random_choice(const SpanModel& model, Dice& dice) {
    ChosenSpans chosen;
    if (!model.steps.empty() && dice.roll(0, 3) == 0) {
        chosen.step =
            model.steps[static_cast<std::size_t>(dice.roll(0, static_cast<int>(model.steps.size()) - 1))].number;
    }
    if (dice.roll(0, 3) == 0) chosen.stream = dice.roll(7, 9);
    if (dice.roll(0, 3) == 0) chosen.kernel_class = static_cast<KernelClass>(dice.roll(0, 2));
    if (dice.roll(0, 2) == 0) {
        const int begin = dice.roll(0, kSpan - 1);
        chosen.time = {begin, dice.roll(begin + 1, kSpan)};
    }
    return chosen;
}

// Classes active in each nanosecond, as bits.
using Instants = std::array<unsigned, kSpan>;
template <class Passes>
Instants instants_of(const SpanModel& model, const Passes& passes) {
    Instants active{};
    for (const SpanKernel& kernel : model.kernels) {
        if (!passes(kernel)) continue;
        for (int t = kernel.start; t < kernel.end(); ++t)
            active[static_cast<std::size_t>(t)] |= set_of(kernel.kernel_class);
    }
    return active;
}

struct SpansTwin {
    const SpanModel& model;
    const ChosenSpans& chosen;
    bool any = false;        // some GPU event passes step and stream terms
    int begin = 0, end = 0;  // the window
    Instants active{};

    SpansTwin(const SpanModel& m, const ChosenSpans& c) : model(m), chosen(c) {
        int first = kSpan, last = 0;
        for (const SpanKernel& kernel : model.kernels) {
            if (!chosen.places(model, kernel)) continue;
            any = true;
            first = std::min(first, kernel.start);
            last = std::max(last, kernel.end());
        }
        begin = std::max(first, chosen.begin());
        end = std::max(begin, std::min(last, chosen.end()));
        // Ignores classes: shares are of all work.
        active = instants_of(model, [&](const SpanKernel& k) { return chosen.places(model, k); });
    }
    template <class Holds>
    std::int64_t count(int from, int to, const Instants& instants, const Holds& holds) const {
        std::int64_t sum = 0;
        for (int t = from; t < to; ++t) sum += holds(instants[static_cast<std::size_t>(t)]) ? 1 : 0;
        return sum;
    }
    std::string parts(int from, int to, const Instants& instants) const {
        return std::to_string(count(from, to, instants, [](unsigned a) { return (a & 1u) != 0; })) + " " +
               std::to_string(count(from, to, instants, [](unsigned a) { return (a & 3u) == 2u; })) + " " +
               std::to_string(count(from, to, instants, [](unsigned a) { return a == 4u; })) + " " +
               std::to_string(count(from, to, instants, [](unsigned a) { return a == 0; }));
    }
};

std::string text_of(double value) { return std::to_string(value); }

Rows expected_breakdown(const SpansTwin& twin) {
    if (!twin.any) return {"0 - - - - -"};
    return {"0 " + std::to_string(twin.end - twin.begin) + " " + twin.parts(twin.begin, twin.end, twin.active)};
}

Rows expected_types(const SpansTwin& twin) {
    Rows rows;
    for (unsigned i = 1; twin.any && i <= 8; ++i) {
        const unsigned set = i % 8;
        const std::int64_t time = twin.count(twin.begin, twin.end, twin.active, [&](unsigned a) { return a == set; });
        if (time == 0) continue;
        rows.push_back("0 " + std::string(name_of_set(static_cast<ClassSet>(set))) + " " + std::to_string(time) + " " +
                       text_of(static_cast<double>(time) / (twin.end - twin.begin)));
    }
    return rows;
}

Rows expected_overlap(const SpansTwin& twin) {
    if (!twin.any) return {"0 - - - - -"};
    const auto time = [&](auto holds) { return twin.count(twin.begin, twin.end, twin.active, holds); };
    const std::int64_t compute = time([](unsigned a) { return (a & 1u) != 0; });
    const std::int64_t communication = time([](unsigned a) { return (a & 2u) != 0; });
    const std::int64_t both = time([](unsigned a) { return (a & 3u) == 3u; });
    const std::int64_t either = time([](unsigned a) { return (a & 3u) != 0; });
    const std::int64_t shorter = std::min(compute, communication);
    const double efficiency =
        1 - static_cast<double>(either - std::max(compute, communication)) / static_cast<double>(shorter);
    return {"0 " + std::to_string(communication) + " " + std::to_string(both) + " " +
            std::to_string(communication - both) + " " +
            (communication ? text_of(static_cast<double>(both) / static_cast<double>(communication)) : "-") + " " +
            (shorter ? text_of(efficiency) : "-")};
}

Rows expected_steps(const SpansTwin& twin) {
    Rows rows;
    const Instants all = instants_of(
        twin.model, [&](const SpanKernel& k) { return !twin.chosen.stream || k.stream == *twin.chosen.stream; });
    std::optional<int> end_before;
    for (const StepRange& step : twin.model.steps) {
        std::string gap = "-";
        if (end_before) {
            const int from = std::max(*end_before, twin.chosen.begin());
            gap = std::to_string(std::max(0, std::min(step.begin, twin.chosen.end()) - from));
        }
        end_before = step.end;
        if (twin.chosen.step && step.number != *twin.chosen.step) continue;
        const int begin = std::max(step.begin, twin.chosen.begin());
        const int end = std::min(step.end, twin.chosen.end());
        if (begin >= end) continue;
        rows.push_back("0 " + std::to_string(step.number) + " " + std::to_string(begin) + " " +
                       std::to_string(end - begin) + " " +
                       (twin.model.kernels.empty() ? "- - - -" : twin.parts(begin, end, all)) + " - " + gap);
    }
    return rows;
}

struct Samples {
    std::vector<std::int64_t> values;
    std::int64_t total() const {
        std::int64_t sum = 0;
        for (const std::int64_t value : values) sum += value;
        return sum;
    }
    std::int64_t mean() const { return (2 * total() + std::ssize(values)) / (2 * std::ssize(values)); }
    std::int64_t deviation() const {
        const double n = static_cast<double>(values.size());
        if (values.size() < 2) return 0;
        double squares = 0;
        for (const std::int64_t value : values)
            squares += std::pow(static_cast<double>(value) - static_cast<double>(total()) / n, 2);
        return static_cast<std::int64_t>(std::floor(std::sqrt(squares / (n - 1)) + 0.5));
    }
};

using ByKernel = std::map<std::pair<std::string, std::string>, Samples>;  // class, name

ByKernel samples_of(const SpanModel& model, const ChosenSpans& chosen) {
    ByKernel kernels;
    for (const SpanKernel& kernel : model.kernels) {
        if (!chosen.places(model, kernel) || !chosen.takes(kernel)) continue;
        const int begin = std::max(kernel.start, chosen.begin());
        const int end = std::min(kernel.end(), chosen.end());
        const bool moment_inside =
            kernel.duration == 0 && chosen.begin() <= kernel.start && kernel.start < chosen.end();
        if (begin >= end && !moment_inside) continue;
        kernels[{std::string(name_of(kernel.kernel_class)), kernel.name}].values.push_back(std::max(0, end - begin));
    }
    return kernels;
}

Rows expected_kernels(const SpanModel& model, const ChosenSpans& chosen) {
    const ByKernel kernels = samples_of(model, chosen);
    std::int64_t sum = 0;
    ChosenSpans all_classes = chosen;
    all_classes.kernel_class.reset();
    for (const auto& [key, samples] : samples_of(model, all_classes)) sum += samples.total();
    Rows rows;
    for (const auto& [key, samples] : kernels) {
        const auto [least, most] = std::ranges::minmax(samples.values);
        rows.push_back("0 " + key.first + " " + key.second + " " + std::to_string(samples.values.size()) + " " +
                       std::to_string(samples.total()) + " " + std::to_string(samples.mean()) + " " +
                       std::to_string(least) + " " + std::to_string(most) + " " + std::to_string(samples.deviation()) +
                       " " + (sum ? text_of(static_cast<double>(samples.total()) / static_cast<double>(sum)) : "-"));
    }
    return rows;
}

Rows expected_imbalance(const std::vector<ByKernel>& ranks) {
    std::map<std::pair<std::string, std::string>, std::vector<const Samples*>> kernels;
    for (const ByKernel& rank : ranks) {
        for (const auto& [key, samples] : rank) kernels[key].push_back(&samples);
    }
    Rows rows;
    for (const auto& [key, samples] : kernels) {
        std::int64_t least = INT64_MAX, most = 0, common = 1;
        for (const Samples* rank : samples) common = std::lcm(common, std::ssize(rank->values));
        std::int64_t sum = 0;  // sum of exact means, in units of 1 / `common`
        double exact_sum = 0, exact_most = 0;
        for (const Samples* rank : samples) {
            const double exact = static_cast<double>(rank->total()) / static_cast<double>(rank->values.size());
            sum += rank->total() * (common / std::ssize(rank->values));
            least = std::min(least, rank->mean());
            most = std::max(most, rank->mean());
            exact_sum += exact;
            exact_most = std::max(exact_most, exact);
        }
        const std::int64_t n = std::ssize(samples);
        const std::int64_t parts = n * common;
        rows.push_back(key.first + " " + key.second + " " + std::to_string(n) + " " +
                       std::to_string((2 * sum + parts) / (2 * parts)) + " " + std::to_string(least) + " " +
                       std::to_string(most) + " " +
                       (n > 1 && exact_sum > 0 ? text_of(exact_most / (exact_sum / static_cast<double>(n)) - 1) : "-"));
    }
    return rows;
}

}  // namespace

TEST_CASE("random traces: breakdown, kernel types, overlap, steps and kernels agree with naive counts") {
    std::size_t kernels_seen = 0;
    for (unsigned seed = 0; seed < kSpanRounds; ++seed) {
        Dice dice(seed);
        const SpanModel model = random_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        for (int i = 0; i < 6; ++i) {
            const ChosenSpans chosen = random_choice(model, dice);
            const std::string filter = chosen.text();
            INFO("seed ", seed, " filter", filter);
            const SpansTwin twin(model, chosen);
            CHECK(rows_of(answer_of(*run, "temporal-breakdown", filter).main(), 6) == expected_breakdown(twin));
            CHECK(rows_of(answer_of(*run, "kernel-types", filter).main()) == expected_types(twin));
            CHECK(rows_of(answer_of(*run, "overlap", filter).main(), 6) == expected_overlap(twin));
            CHECK(rows_of(answer_of(*run, "steps", filter).main(), 10) == expected_steps(twin));
            const Rows kernels = expected_kernels(model, chosen);
            CHECK(sorted(rows_of(answer_of(*run, "kernels", filter).main())) == sorted(kernels));
            kernels_seen += kernels.size();
        }
    }
    CHECK(kernels_seen > 500);
}

TEST_CASE("random ranks: kernel imbalance agrees with a naive count") {
    for (unsigned seed = 0; seed < kSpanRounds; ++seed) {
        Dice dice(seed);
        std::vector<SpanModel> models;
        std::vector<RankTracePtr> traces;
        const int ranks = dice.roll(1, 5);
        for (int rank = 0; rank < ranks; ++rank) {
            models.push_back(random_model(dice));
            traces.push_back(build_trace(models.back()));
        }
        const RunPtr run = run_of(traces);
        ChosenSpans chosen = random_choice(models[0], dice);
        INFO("seed ", seed, " filter", chosen.text());
        std::vector<ByKernel> kernels;
        for (const SpanModel& model : models) kernels.push_back(samples_of(model, chosen));
        CHECK(sorted(rows_of(answer_of(*run, "kernel-imbalance", chosen.text()).main())) ==
              sorted(expected_imbalance(kernels)));
    }
}

TEST_CASE("disjoint time windows add up to the window they form") {
    for (unsigned seed = 0; seed < kSpanRounds; ++seed) {
        Dice dice(seed);
        const SpanModel model = random_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        const int cut = dice.roll(1, kSpan - 1);
        INFO("seed ", seed, " cut ", cut);
        const std::string cut_text = std::to_string(cut) + "ns";
        const Table whole = answer_of(*run, "temporal-breakdown").main();
        const Table head = answer_of(*run, "temporal-breakdown", "time:0ns.." + cut_text).main();
        const Table tail =
            answer_of(*run, "temporal-breakdown", "time:" + cut_text + ".." + std::to_string(kSpan) + "ns").main();
        for (std::size_t c = 1; c < whole.columns().size(); ++c)
            CHECK(whole.integer(0, c) == head.integer(0, c) + tail.integer(0, c));
    }
}
