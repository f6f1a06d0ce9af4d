// Analyses that link events to names, annotations and operators, against naive versions that visit
// random events one by one.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"
#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <map>
#include <optional>

using namespace core;
using namespace core::testing;

namespace {

enum class Placed { Operator, CpuNote, GpuNote, Kernel };

struct PlacedEvent {
    Placed kind;
    int row;  // thread or stream
    std::int64_t begin, end;
    std::string name;
    std::int64_t launch = -1;  // start of its call on the thread launch_row
    int launch_row = 0;
    bool holds(int thread, std::int64_t moment) const { return row == thread && begin <= moment && moment < end; }
};

struct PlacedModel {
    std::vector<PlacedEvent> events;
    std::int64_t from = 0, to = 2'000;  // the filter's time range

    std::vector<const PlacedEvent*> of(Placed kind) const {
        std::vector<const PlacedEvent*> found;
        for (const PlacedEvent& event : events) {
            if (event.kind == kind) found.push_back(&event);
        }
        return found;
    }
    std::int64_t seen(const PlacedEvent& event) const {
        return std::max<std::int64_t>(0, std::min(event.end, to) - std::max(event.begin, from));
    }
    std::string filter() const {
        return from == 0 ? "" : "time:" + std::to_string(from) + "ns.." + std::to_string(to) + "ns";
    }
};

// Nested operators and annotations with distinct edges.
void place_calls(PlacedModel& model, Dice& dice, int thread, std::int64_t begin, std::int64_t end, int depth) {
    constexpr const char* kNames[] = {"aten::a", "aten::b", "note c"};
    while (end - begin > 20 && dice.roll(0, 4) > 0) {
        const std::int64_t from = begin + dice.roll(1, 5);
        const std::int64_t to = std::min<std::int64_t>(end - 1, from + dice.roll(6, 300));
        const int name = dice.roll(0, 2);
        model.events.push_back({name == 2 ? Placed::CpuNote : Placed::Operator, thread, from, to, kNames[name]});
        if (depth < 4) place_calls(model, dice, thread, from, to, depth + 1);
        begin = to + 1;
    }
}

PlacedModel random_placed(Dice& dice) {
    PlacedModel model;
    for (const int thread : {100, 101}) place_calls(model, dice, thread, 1, 900, 0);
    for (int i = dice.roll(0, 6); i > 0; --i) {
        const std::int64_t begin = dice.roll(1, 900);
        model.events.push_back({Placed::GpuNote, dice.roll(7, 8), begin, begin + dice.roll(1, 400),
                                dice.roll(0, 1) ? "forward" : "backward"});
    }
    for (int i = dice.roll(0, 15); i > 0; --i) {
        const std::int64_t begin = dice.roll(1, 1'000);
        PlacedEvent kernel{Placed::Kernel, dice.roll(7, 8), begin, begin + dice.roll(1, 60),
                           dice.roll(0, 1) ? "gemm" : "relu"};
        if (dice.roll(0, 4) > 0) {
            kernel.launch = dice.roll(1, 899);
            kernel.launch_row = dice.roll(100, 101);
        }
        model.events.push_back(kernel);
    }
    if (dice.roll(0, 1)) {
        model.from = dice.roll(1, 600);
        model.to = model.from + dice.roll(1, 500);
    }
    return model;
}

RankTracePtr trace_of(const PlacedModel& model) {
    TraceFixture fixture;
    fixture.event(0, 2'000, "everything", "cpu_marker", {"100", "1"});  // makes run time equal rank time
    std::int64_t correlation = 0;
    for (const PlacedEvent& event : model.events) {
        const std::string row = std::to_string(event.row);
        const std::int64_t length = event.end - event.begin;
        ++correlation;
        switch (event.kind) {
            case Placed::Operator:
                fixture.cpu(event.begin, length, event.name, event.row);
                break;
            case Placed::CpuNote:
                fixture.event(event.begin, length, event.name, "user_annotation", {"100", row});
                break;
            case Placed::GpuNote:
                fixture.event(event.begin, length, event.name, "gpu_user_annotation", {"0", row});
                break;
            case Placed::Kernel:
                fixture.kernel(event.begin, length, event.name, event.row, event.launch < 0 ? -1 : correlation);
                if (event.launch < 0) break;
                fixture
                    .event(event.launch, 0, "cudaLaunchKernel", "cuda_runtime",
                           {"100", std::to_string(event.launch_row)})
                    .arg(Arg::Correlation, correlation);
        }
    }
    return fixture.build();
}

// The shortest event for which `takes` is true, the latest among equally short ones.
template <class Takes>
std::string shortest(const std::vector<const PlacedEvent*>& events, std::string_view none, const Takes& takes) {
    const PlacedEvent* best = nullptr;
    for (const PlacedEvent* event : events) {
        if (!takes(*event)) continue;
        const std::int64_t length = event->end - event->begin;
        if (best == nullptr || length < best->end - best->begin ||
            (length == best->end - best->begin && event->begin > best->begin)) {
            best = event;
        }
    }
    return best == nullptr ? std::string(none) : best->name;
}

struct CountAndTotal {
    std::int64_t count = 0, total = 0;
};
using Tallies = std::map<std::string, CountAndTotal>;

void tally(Tallies& tallies, const std::string& key, std::int64_t ns) {
    ++tallies[key].count;
    tallies[key].total += ns;
}

Rows rows_of_tallies(const Tallies& tallies) {
    Rows rows;
    for (const auto& [key, one] : tallies)
        rows.push_back(key + " " + std::to_string(one.count) + " " + std::to_string(one.total));
    return sorted(std::move(rows));
}

// Text columns of an answer with count and total.
Rows counts_of(const Run& run, std::string_view id, const std::string& filter, const GivenParams& params = {}) {
    const Table table = answer_of(run, id, filter, params).main();
    const std::size_t count = table.find_column("count"), total = table.find_column("total");
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string text;
        for (std::size_t c = 0; c < table.columns().size(); ++c) {
            if (table.columns()[c].unit == Unit::Text) text += std::string(table.text(row, c)) + " ";
        }
        rows.push_back(text + std::to_string(table.integer(row, count)) + " " +
                       std::to_string(table.integer(row, total)));
    }
    return sorted(std::move(rows));
}

Tallies names_of(const PlacedModel& model) {
    Tallies found;
    for (const PlacedEvent& event : model.events) {
        const bool is_gpu = event.kind == Placed::Kernel || event.kind == Placed::GpuNote;
        if (model.seen(event) > 0) tally(found, (is_gpu ? "gpu " : "cpu ") + event.name, model.seen(event));
        const bool is_launched = event.launch >= model.from && event.launch < model.to;
        if (event.kind == Placed::Kernel && event.launch >= 0 && is_launched) tally(found, "cpu cudaLaunchKernel", 0);
    }
    tally(found, "cpu everything", model.to - model.from);
    return found;
}

Tallies notes_of(const PlacedModel& model, Placed kind) {
    Tallies found;
    for (const PlacedEvent* note : model.of(kind)) {
        if (model.seen(*note) > 0) tally(found, note->name, model.seen(*note));
    }
    return found;
}

// Kernels by the shortest event of a kind for which `holds` is true: (of, kernel) -> bool.
template <class Holds>
Tallies kernels_by(const PlacedModel& model, Placed kind, const std::string& before, std::string_view none,
                   const Holds& holds) {
    Tallies found;
    for (const PlacedEvent* kernel : model.of(Placed::Kernel)) {
        if (model.seen(*kernel) == 0) continue;
        const std::string of =
            shortest(model.of(kind), none, [&](const PlacedEvent& one) { return holds(one, *kernel); });
        tally(found, before + of + " " + kernel->name, model.seen(*kernel));
    }
    return found;
}

Tallies kernels_by_note(const PlacedModel& model) {
    return kernels_by(model, Placed::GpuNote, "", "(unannotated)",
                      [](const PlacedEvent& note, const PlacedEvent& kernel) {
                          return note.row == kernel.row && note.begin < kernel.end && kernel.begin < note.end;
                      });
}

Tallies kernels_by_call(const PlacedModel& model) {
    return kernels_by(model, Placed::Operator, "compute ", "(unattributed)",
                      [](const PlacedEvent& call, const PlacedEvent& kernel) {
                          return kernel.launch >= 0 && call.holds(kernel.launch_row, kernel.launch);
                      });
}

// "name duration kernels time span" of every visible call and every call with a visible kernel.
Rows calls_of(const PlacedModel& model) {
    Rows rows;
    for (const PlacedEvent* call : model.of(Placed::Operator)) {
        std::int64_t kernels = 0, time = 0, first = INT64_MAX, last = 0;
        for (const PlacedEvent* kernel : model.of(Placed::Kernel)) {
            if (kernel->launch < 0 || !call->holds(kernel->launch_row, kernel->launch) || model.seen(*kernel) == 0)
                continue;
            ++kernels;
            time += model.seen(*kernel);
            first = std::min(first, std::max(kernel->begin, model.from));
            last = std::max(last, std::min(kernel->end, model.to));
        }
        const bool is_seen = model.seen(*call) > 0;
        if (!is_seen && kernels == 0) continue;
        rows.push_back(call->name + " " + (is_seen ? std::to_string(model.seen(*call)) : "-") + " " +
                       std::to_string(kernels) + " " + std::to_string(time) + " " +
                       (kernels > 0 ? std::to_string(last - first) : "-"));
    }
    return sorted(std::move(rows));
}

Rows calls_of(const Run& run, const std::string& filter) {
    const Table table = answer_of(run, "operator-calls", filter).main();
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string text(table.text(row, table.find_column("operator")));
        for (const std::string_view column : {"duration", "kernels", "kernel_time", "kernel_span"}) {
            const std::size_t c = table.find_column(column);
            text += table.absent(row, c) ? " -" : " " + std::to_string(table.integer(row, c));
        }
        rows.push_back(text);
    }
    return sorted(std::move(rows));
}

}  // namespace

TEST_CASE("random traces: names, annotations, operators and their kernels agree with naive versions") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        INFO("seed ", seed);
        Dice dice(seed);
        const PlacedModel model = random_placed(dice);
        const RunPtr run = run_of({trace_of(model)});
        const std::string filter = model.filter();
        INFO(filter);
        CHECK(counts_of(*run, "names", filter) == rows_of_tallies(names_of(model)));
        CHECK(counts_of(*run, "annotations", filter) == rows_of_tallies(notes_of(model, Placed::GpuNote)));
        CHECK(counts_of(*run, "annotations", filter, {{"source", "cpu"}}) ==
              rows_of_tallies(notes_of(model, Placed::CpuNote)));
        CHECK(counts_of(*run, "kernels-by-annotation", filter) == rows_of_tallies(kernels_by_note(model)));
        CHECK(counts_of(*run, "kernels-by-operator", filter) == rows_of_tallies(kernels_by_call(model)));
        CHECK(calls_of(*run, filter) == calls_of(model));
    }
}
