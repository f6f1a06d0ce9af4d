#include "core/query/selection.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <regex>

using namespace core;
using core::testing::find_named;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

SelectionPtr select(const Run& run, std::string_view text) {
    const Result<Filter> filter = parse_filter(text);
    REQUIRE_MESSAGE(filter, (filter ? "" : filter.error().message));
    Result<SelectionPtr> selection = Selection::build(run, 0, *filter, {});
    REQUIRE(selection);
    return *selection;
}

// Names of the GPU events that pass, by start, space-separated.
std::string chosen(const RankTracePtr& trace, std::string_view text) {
    std::string names;
    const RunPtr run = run_of({trace});
    const SelectionPtr selection = select(*run, text);
    for (const EventId e : selection->gpu_events())
        names += (names.empty() ? "" : " ") + std::string(trace->name_text(e));
    return names;
}

RankRange window(const RankTracePtr& trace, std::string_view text) { return select(*run_of({trace}), text)->window(); }
RankRange range_of(std::int64_t begin, std::int64_t end) { return {rank_time(begin), rank_time(end)}; }

// Two steps and the start of a third; kernels run after the step that launched them.
RankTracePtr three_steps() {
    return TraceFixture()
        .step(100, 100, 1)
        .step(200, 100, 2)
        .step(300, 50, 3)
        .launch(110, 5, 1)
        .launch(210, 5, 2)
        .launch(310, 5, 3)
        .launch(50, 5, 4)
        .kernel(250, 20, "k1", 7, 1)
        .kernel(320, 20, "k2", 7, 2)
        .kernel(400, 20, "k3", 8, 3)
        .kernel(60, 10, "early", 7, 4)
        .kernel(5, 10, "orphan", 7, 99)
        .kernel(220, 10, "bare", 9)
        .build();
}

}  // namespace

TEST_CASE("without terms everything passes and nothing is copied") {
    const RankTracePtr trace = three_steps();
    const RunPtr run = run_of({trace});
    const SelectionPtr all = select(*run, "rank:5 time:1ms..2ms");
    CHECK(all->gpu_events().data() == trace->gpu_events.data());
    CHECK(&all->partition() == &run->rank(0).index->partition());
    CHECK(&all->gpu_tree() == &run->rank(0).index->gpu_tree());
    CHECK(all->window() == range_of(5, 420));
    CHECK(all->steps().size() == 3);
    CHECK(all->passes(EventId{0}));
}

TEST_CASE("a GPU event is in the step of its launch, without a launch in none") {
    const RankTracePtr trace = three_steps();
    CHECK(chosen(trace, "step:1") == "k1");
    CHECK(chosen(trace, "step:2") == "bare k2");
    CHECK(chosen(trace, "step:1-2") == "bare k1 k2");
    CHECK(chosen(trace, "-step:2") == "early k1 k3");
    CHECK(chosen(trace, "step:7").empty());
    CHECK(chosen(trace, "step:all") == "orphan early bare k1 k2 k3");
}

TEST_CASE("step:complete selects events launched before the last step began") {
    const RankTracePtr trace = three_steps();
    CHECK(chosen(trace, "step:complete") == "early bare k1 k2");
    CHECK(chosen(trace, "-step:complete") == "k3");
    CHECK(select(*run_of({trace}), "step:complete")->steps().size() == 2);
    const RankTracePtr one =
        TraceFixture().step(0, 10, 1).kernel(5, 10, "orphan", 7, 99).kernel(50, 1, "late", 7).build();
    CHECK(chosen(one, "step:complete") == "orphan late");
    CHECK(chosen(one, "-step:complete").empty());
}

TEST_CASE("only step and stream terms set the window") {
    const RankTracePtr trace = three_steps();
    CHECK(window(trace, "step:1-2") == range_of(220, 340));
    CHECK(window(trace, "step:1-2 name:k1 class:compute dur:>15ns") == range_of(220, 340));
    CHECK(window(trace, "stream:8") == range_of(400, 420));
    CHECK(window(trace, "name:nothing") == range_of(5, 420));
    CHECK(window(trace, "stream:77").empty());
}

TEST_CASE("CPU events fail terms on class, stream and group") {
    const RankTracePtr trace = TraceFixture()
                                   .cpu(0, 10, "op")
                                   .kernel(0, 10, "gemm", 7)
                                   .kernel(20, 10, "ncclKernel", 9)
                                   .arg(Arg::GroupName, "0")
                                   .arg(Arg::GroupDescription, "mesh_DP")
                                   .build();
    const RunPtr run = run_of({trace});
    const EventId op = find_named(*trace, "op");
    for (const char* text : {"class:compute", "stream:7", "group:dp"}) CHECK(!select(*run, text)->passes(op));
    for (const char* text : {"-class:compute", "-stream:7", "-group:dp", "name:o"})
        CHECK(select(*run, text)->passes(op));
    CHECK(chosen(trace, "class:communication") == "ncclKernel");
    CHECK(chosen(trace, "-class:communication") == "gemm");
    CHECK(chosen(trace, "stream:7-8") == "gemm");
}

TEST_CASE("a group term matches the group's name or part of its description") {
    const RankTracePtr trace = TraceFixture()
                                   .kernel(0, 1, "a", 7)
                                   .arg(Arg::GroupName, "1")
                                   .arg(Arg::GroupDescription, "mesh_DP")
                                   .kernel(2, 1, "b", 7)
                                   .arg(Arg::GroupName, "10")
                                   .arg(Arg::GroupDescription, "mesh_tp")
                                   .kernel(4, 1, "c", 7)
                                   .build();
    CHECK(chosen(trace, "group:1") == "a");
    CHECK(chosen(trace, "group:dp") == "a");
    CHECK(chosen(trace, "group:mesh") == "a b");
    CHECK(chosen(trace, "-group:mesh") == "c");
}

TEST_CASE("names match case-insensitively, regular expressions as written") {
    const RankTracePtr trace =
        TraceFixture().kernel(0, 1, "AllReduce", 7).kernel(2, 1, "allgather", 7).kernel(4, 1, "gemm", 7).build();
    CHECK(chosen(trace, "ALL") == "AllReduce allgather");
    CHECK(chosen(trace, "/^all/") == "allgather");
    CHECK(chosen(trace, "-all") == "gemm");
    CHECK(chosen(trace, "all /R/") == "AllReduce");
}

TEST_CASE("an invalid regular expression is an error, even if it was not parsed from text") {
    const RunPtr run = run_of({three_steps()});
    Filter filter;
    filter.terms.push_back({false, NameTerm{"(", true}});
    const Result<SelectionPtr> selection = Selection::build(*run, 0, filter, {});
    REQUIRE(!selection);
    CHECK(selection.error().message.starts_with("filter: name:/(/: missing ) in \"(\""));
}

TEST_CASE("building a selection can be cancelled") {
    const RunPtr run = run_of({three_steps()});
    std::stop_source stop;
    stop.request_stop();
    for (const char* text : {"name:k", "step:1", "class:compute"}) {
        const Result<SelectionPtr> selection =
            Selection::build(*run, 0, *parse_filter(text), {stop.get_token(), nullptr});
        REQUIRE(!selection);
        CHECK(selection.error().code == ErrorCode::Cancelled);
    }
}

TEST_CASE("time terms intersect in run time, and open ends extend to the end of the run") {
    const RunPtr run = run_of({TraceFixture().cpu(1'000, 500, "a").build()});
    CHECK(!parse_filter("name:a")->time_range(*run));
    CHECK(parse_filter("time:100..200")->time_range(*run) == RunRange{run_time(1'100), run_time(1'200)});
    CHECK(parse_filter("time:100.. time:..200")->time_range(*run) == RunRange{run_time(1'100), run_time(1'200)});
    CHECK(parse_filter("time:100..")->time_range(*run) == RunRange{run_time(1'100), run_time(1'501)});
    CHECK(parse_filter("time:..-50")->time_range(*run)->empty());
    CHECK(parse_filter("time:100..200 time:300..400")->time_range(*run)->empty());
}

TEST_CASE("rank terms accept ranks by number") {
    const Filter filter = *parse_filter("rank:0-3 -rank:2");
    CHECK(filter.accepts_rank({1, 0}));
    CHECK(filter.accepts_rank({3, 1}));
    CHECK(!filter.accepts_rank({2, 0}));
    CHECK(!filter.accepts_rank({4, 0}));
    CHECK(Filter{}.accepts_rank({7, 0}));
    CHECK(parse_filter("rank:1 time:..1ms name:x")->without_time_and_rank() == *parse_filter("name:x"));
}

namespace {

RankTracePtr random_trace(std::mt19937_64& random) {
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    static constexpr const char* kNames[] = {"gemm",        "GEMM_2",    "ncclKernel_AllReduce",
                                             "Memcpy DtoD", "aten::add", "void f<a>(b)"};
    TraceFixture fixture;
    for (std::int64_t s = 0, t = 0; s < below(5); ++s) {
        t += below(60);
        const std::int64_t length = below(120);
        fixture.step(t, length, static_cast<int>(below(4)));
        t += below(2) * length;
    }
    const std::int64_t launches = below(15);
    for (std::int64_t c = 0; c < launches; ++c) fixture.launch(below(300), below(10), c);
    for (auto n = below(20); n > 0; --n)
        fixture.cpu(below(300), below(40), kNames[below(6)], static_cast<int>(below(3)));
    for (auto n = below(25); n > 0; --n) {
        const std::int64_t correlation = below(4) == 0 ? -1 : below(static_cast<std::uint64_t>(launches) + 4);
        fixture.kernel(below(400), below(3) * below(40), kNames[below(6)], static_cast<int>(below(4)), correlation);
        if (below(4) == 0) fixture.arg(Arg::GroupName, std::to_string(below(3)));
        if (below(4) == 0) fixture.arg(Arg::GroupDescription, below(2) ? "mesh_dp" : "mesh_TP");
    }
    return fixture.build();
}

std::string random_filter(std::mt19937_64& random) {
    static constexpr const char* kWords[] = {
        "step:1",
        "step:0-2",
        "step:complete",
        "stream:0-1",
        "stream:3",
        "class:compute",
        "class:communication,memory",
        "name:gemm",
        "name:/^[a-z]+$/",
        "name:/</",
        "dur:>10ns",
        "dur:..20ns",
        "dur:0",
        "group:1",
        "group:dp",
        "name:Launch",
    };
    std::string text;
    for (auto n = random() % 4; n > 0; --n) {
        text += (text.empty() ? "" : " ") + std::string(random() % 3 == 0 ? "-" : "") +
                kWords[random() % std::size(kWords)];
    }
    return text;
}

// Naive evaluation of the terms, one event at a time.
class Naive {
public:
    Naive(const RankTrace& trace, const ClassTable& classes) : trace_(trace), classes_(classes) {}

    bool passes(EventId e, const FilterTerm& term) const {
        if (const auto* step = std::get_if<StepTerm>(&term.what)) return passes_step(e, *step, term.negated);
        return matches(e, term.what) != term.negated;
    }
    static bool chooses_window(const FilterTerm& term) {
        return std::holds_alternative<StepTerm>(term.what) || std::holds_alternative<StreamTerm>(term.what);
    }

private:
    static bool within(const std::vector<NumberRange>& ranges, std::int64_t n) {
        return std::ranges::any_of(ranges, [&](const NumberRange& r) { return n >= r.first && n <= r.last; });
    }
    static std::string lower(std::string_view text) {
        std::string result(text);
        for (char& c : result) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
        return result;
    }
    // All GPU events with a launch on its stream, or on any if there is none there.
    bool precedes_linked(EventId e) const {
        for (const bool same_stream : {true, false}) {
            std::optional<RankTime> first;
            for (const EventId other : trace_.gpu_events)
                if (trace_.parent[index_of(other)] != kNoEvent &&
                    (!same_stream || &trace_.track_of(other) == &trace_.track_of(e)))
                    first = std::min(first.value_or(RankTime::max()), trace_.start[index_of(other)]);
            if (first) return trace_.start[index_of(e)] < *first;
        }
        return false;
    }
    bool passes_step(EventId e, const StepTerm& term, bool negated) const {
        const bool gpu = trace_.has(e, kGpuEvent);
        const EventId call = gpu ? trace_.parent[index_of(e)] : kNoEvent;
        const bool nowhere = gpu && call == kNoEvent && trace_.integer(Arg::Correlation, e) && precedes_linked(e);
        bool several = false;
        for (const Step& step : trace_.steps) several = several || step.number != trace_.steps[0].number;
        if (term.complete && !several) return !negated;
        if (nowhere) return false;
        const Step* step = trace_.step_of(e);
        const RankTime at = trace_.start[index_of(call == kNoEvent ? e : call)];
        const bool in =
            term.complete ? at < trace_.steps.back().range.begin : step && within(term.numbers, step->number);
        return in != negated;
    }
    bool matches(EventId e, const decltype(FilterTerm::what)& what) const {
        const std::string name(trace_.name_text(e));
        if (const auto* t = std::get_if<StreamTerm>(&what)) {
            const std::int64_t stream = trace_.track_of(e).stream;
            return stream >= 0 && within(t->numbers, stream);
        }
        if (const auto* t = std::get_if<ClassTerm>(&what)) return (set_of(classes_.of(e)) & t->classes) != 0;
        if (const auto* t = std::get_if<NameTerm>(&what)) {
            return t->is_regex ? std::regex_search(name, std::regex(t->text))
                               : lower(name).find(lower(t->text)) != std::string::npos;
        }
        if (const auto* t = std::get_if<DurationTerm>(&what)) {
            const Duration d = trace_.duration[index_of(e)];
            return (!t->least || d >= *t->least) && (!t->most || d <= *t->most);
        }
        const std::string wanted = lower(std::get<GroupTerm>(what).text);
        const auto group = trace_.argument(Arg::GroupName, e);
        const auto description = trace_.argument(Arg::GroupDescription, e);
        return (group && lower(*group) == wanted) ||
               (description && lower(*description).find(wanted) != std::string::npos);
    }
    const RankTrace& trace_;
    const ClassTable& classes_;
};

}  // namespace

TEST_CASE("a selection agrees with evaluating every term on every event") {
    for (unsigned seed = 0; seed < 3'000; ++seed) {
        std::mt19937_64 random(seed);
        const RankTracePtr trace = random_trace(random);
        const RunPtr run = run_of({trace});
        const std::string text = random_filter(random);
        CAPTURE(seed);
        CAPTURE(text);
        const Filter filter = *parse_filter(text);
        const SelectionPtr selection = select(*run, text);
        const Naive naive(*trace, run->rank(0).index->classes());
        const auto passes = [&](EventId e) {
            return std::ranges::all_of(filter.terms, [&](const FilterTerm& term) { return naive.passes(e, term); });
        };
        for (std::uint32_t e = 0; e < trace->size(); ++e) CHECK(selection->passes(EventId{e}) == passes(EventId{e}));

        std::vector<EventId> expected;
        std::vector<EventId> work;
        RankRange span{};
        bool any = false;
        for (const EventId e : trace->gpu_events) {
            if (passes(e)) expected.push_back(e);
            const bool in_window = std::ranges::all_of(filter.terms, [&](const FilterTerm& term) {
                return !Naive::chooses_window(term) || naive.passes(e, term);
            });
            CHECK(selection->is_in_window(e) == in_window);
            if (!in_window) continue;
            work.push_back(e);
            span = any ? RankRange{span.begin, std::max(span.end, trace->end(e))} : trace->range(e);
            any = true;
        }
        CHECK(std::ranges::equal(selection->gpu_events(), expected));
        CHECK(std::ranges::equal(selection->window_events(), work));
        CHECK(selection->window() == span);
        const ClassPartition twin(*trace, run->rank(0).index->classes(), work);
        const RankRange range =
            range_of(static_cast<std::int64_t>(random() % 200), static_cast<std::int64_t>(random() % 400));
        CHECK(selection->partition().times(range) == twin.times(range));
        std::vector<EventId> overlapping;
        selection->gpu_tree().collect_overlapping({RankTime::min(), RankTime::max()}, overlapping);
        CHECK(overlapping == expected);
        overlapping.clear();
        selection->window_tree().collect_overlapping({RankTime::min(), RankTime::max()}, overlapping);
        CHECK(overlapping == work);
    }
}

TEST_CASE("words about collectives choose their members on every rank, by matches and clocks of the run") {
    // Three all-reduces of two ranks: rank 1 is 500 ns late for the first, rank 0 200 ns for the second; the third has
    // another size on rank 1. Rank 0 has one more, which no other rank has.
    const auto reduce = [](TraceFixture& rank, std::int64_t start, std::int64_t end, std::int64_t number,
                           std::int64_t elements) {
        rank.kernel(start, end - start, "ncclDevKernel_AllReduce", 9)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::GroupName, "7")
            .arg(Arg::GroupDescription, "mesh_dp")
            .arg(Arg::GroupRanks, "[0, 1]")
            .arg(Arg::InElements, elements)
            .arg(Arg::CollectiveDtype, "Float")
            .arg(Arg::Seq, number);
    };
    TraceFixture zero;
    TraceFixture one;
    reduce(zero, 1'000'000, 2'000'000, 1, 8);
    reduce(one, 1'500'000, 2'000'000, 1, 8);
    reduce(zero, 4'200'000, 5'000'000, 2, 8);
    reduce(one, 4'000'000, 5'000'000, 2, 8);
    reduce(zero, 7'000'000, 8'000'000, 3, 8);
    reduce(one, 7'000'000, 8'000'000, 3, 16);
    reduce(zero, 9'000'000, 9'500'000, 4, 8);
    zero.kernel(9'600'000, 1'000, "gemm", 7);
    const RunPtr run = run_of({zero.rank(0).build(), one.rank(1).build()});
    const auto numbers = [&](std::size_t slot, std::string_view text) {
        std::string found;
        const Result<SelectionPtr> selection = Selection::build(*run, slot, *parse_filter(text), {});
        REQUIRE(selection);
        for (const EventId e : (*selection)->gpu_events())
            if (const auto number = run->rank(slot).trace().integer(Arg::Seq, e))
                found += std::to_string(*number);
            else
                found += "x";
        return found;
    };
    CHECK(numbers(0, "collective:all_reduce") == "1234");
    CHECK(numbers(0, "-collective:all_reduce") == "x");
    CHECK(numbers(1, "collective:all_gather") == "");
    CHECK(numbers(1, "collective:#2") == numbers(0, "collective:allreduce#2"));
    CHECK(numbers(0, "wait:>100us") == "1");
    CHECK(numbers(1, "wait:>100us") == "2");
    CHECK(numbers(0, "wait:0ns") == "2");
    CHECK(numbers(0, "last:1") == "1");
    CHECK(numbers(1, "last:1") == "1");
    CHECK(numbers(1, "last:0") == "2");
    CHECK(numbers(0, "matched:doubtful") == "3");
    CHECK(numbers(1, "matched:certain") == "12");
    CHECK(numbers(0, "matched:alone") == "4");
    CHECK(numbers(0, "group:7") == "1234");
    CHECK(numbers(0, "group:\"7 (mesh_dp)\"") == "1234");
}
