// One row per kind of finding, compared with the rows per rank.

#include "core/analysis/findings/finding_kinds.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

// Two kernels of 100 ns with a gap between them.
RankTracePtr idle_rank(int rank, std::int64_t gap) {
    TraceFixture fixture;
    fixture.rank(rank);
    return fixture.kernel(0, 100, "a").kernel(100 + gap, 100, "b").build();
}

std::string word(const Table& kinds, std::size_t row, std::string_view column) {
    const std::size_t at = kinds.find_column(column);
    return kinds.absent(row, at) ? "absent" : format_cell_exact(kinds, row, at);
}

}  // namespace

TEST_CASE("a kind found on several ranks is one sentence with the worst rank and its cost") {
    const Answer answer = answer_of(*run_of({idle_rank(0, 100), idle_rank(1, 300), idle_rank(2, 0)}), "findings");
    const Table* const kinds = answer.find("kinds");
    REQUIRE(kinds);
    REQUIRE(kinds->rows() == 1);
    CHECK(word(*kinds, 0, "finding") == "idle");
    CHECK(kinds->integer(0, kinds->find_column("ranks")) == 2);
    CHECK(kinds->integer(0, kinds->find_column("cost")) == 300);
    CHECK(kinds->number(0, kinds->find_column("cost_share")) == doctest::Approx(0.6));
    CHECK(word(*kinds, 0, "cost_per_step") == "absent");
    CHECK(word(*kinds, 0, "sentence") ==
          "2 of 3 GPUs idle, such as rank 1's: nothing runs on the GPU for 60.0 % of the window, in one "
          "gap of 300 ns.");
    CHECK(word(*kinds, 0, "explains") == "absent");
}

TEST_CASE("the sentence of a run of one rank names no rank, of all ranks it says so") {
    const auto sentence = [](const std::vector<RankTracePtr>& traces) {
        const Answer answer = answer_of(*run_of(traces), "findings");
        return word(*answer.find("kinds"), 0, "sentence");
    };
    CHECK(sentence({idle_rank(0, 100)}).starts_with("The GPU idles: "));
    CHECK(sentence({idle_rank(0, 100), idle_rank(1, 200)}).starts_with("Both GPUs idle, such as rank 1's: "));
    CHECK(sentence({idle_rank(0, 0), idle_rank(1, 200)}).starts_with("The GPU of rank 1 idles: "));
    const RankTracePtr without_gpu = TraceFixture().rank(2).cpu(0, 100, "aten::mm").build();
    CHECK(sentence({idle_rank(0, 100), idle_rank(1, 200), without_gpu})
              .starts_with("Both GPUs idle, such as rank 1's: "));
}

TEST_CASE("idle time names what the host does in the longest gap, the loader rather than a call in it") {
    TraceFixture fixture;
    fixture.launch(10, 5, 1).kernel(20, 100, "a", 7, 1);
    fixture.cpu(130, 400, "enumerate(DataLoader)#__next__").cpu(140, 380, "aten::stack");
    fixture.launch(550, 5, 2).kernel(560, 100, "b", 7, 2);
    const Answer answer = answer_of(*run_of({fixture.build()}), "findings");
    CHECK(word(*answer.find("kinds"), 0, "sentence")
              .ends_with("in one gap of 440 ns, in which the host is in enumerate(DataLoader)#__next__."));
}

TEST_CASE("the cost per step divides by the steps that the filter chooses") {
    TraceFixture fixture;
    fixture.step(0, 500, 1).step(500, 500, 2).launch(10, 5, 1).launch(510, 5, 2);
    fixture.kernel(20, 100, "a", 7, 1).kernel(520, 100, "b", 7, 2);
    const RunPtr run = run_of({fixture.build()});
    const Answer both = answer_of(*run, "findings");
    const Table* const kinds = both.find("kinds");
    REQUIRE(kinds);
    REQUIRE(kinds->rows() >= 1);
    CHECK(word(*kinds, 0, "finding") == "idle");
    CHECK(kinds->integer(0, kinds->find_column("cost")) == 400);
    CHECK(kinds->integer(0, kinds->find_column("cost_per_step")) == 200);
}

TEST_CASE("the evidence of idle time is the longest gap, not the kernel after it") {
    const Answer answer = answer_of(*run_of({idle_rank(0, 300)}), "findings");
    const Table& main = answer.main();
    REQUIRE(main.rows() == 1);
    CHECK(main.integer(0, main.find_column("begin")) == 100);
    CHECK(main.integer(0, main.find_column("length")) == 300);
}

TEST_CASE("a run without findings has no kinds") {
    const Answer answer = answer_of(*run_of({idle_rank(0, 0), idle_rank(1, 0)}), "findings");
    REQUIRE(answer.find("kinds"));
    CHECK(answer.find("kinds")->rows() == 0);
}
