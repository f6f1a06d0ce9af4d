#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <algorithm>

using namespace core;
using namespace core::testing;

namespace {

// Three calls of aten::linear: two launch gemm and add, one only gemm; each contains an aten::mm with the gemm.
TraceFixture linears() {
    TraceFixture fixture;
    fixture.step(0, 1000, 1);
    std::int64_t correlation = 0;
    for (const std::int64_t start : {0, 100, 200}) {
        fixture.cpu(start, 50, "aten::linear").cpu(start + 10, 20, "aten::mm").launch(start + 15, 5, ++correlation);
        fixture.kernel(start + 500, 30, "gemm", 7, correlation);
        if (start == 200) continue;
        fixture.launch(start + 35, 5, ++correlation);
        fixture.kernel(start + 540, 10, "add", 7, correlation);
    }
    return fixture;
}

// Without the digest.
Rows sequences_of(const Run& run, std::string_view filter = "", const GivenParams& params = {}) {
    const Table table = answer_of(run, "kernel-sequences", filter, params).main();
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string text = row_text(table, row);
        const std::string digest = std::string(table.text(row, 1)) + " ";
        CHECK(digest.size() == 17);
        rows.push_back(text.erase(text.find(digest), digest.size()));
    }
    return rows;
}
Rows sequences_of(const RankTracePtr& trace, std::string_view filter = "", const GivenParams& params = {}) {
    return sequences_of(*run_of({trace}), filter, params);
}

}  // namespace

TEST_CASE("whole sequences of the outermost operators, most frequent first") {
    CHECK(sequences_of(linears().build()) == Rows{"aten::linear 2 80 100 2 gemm|add", "aten::linear 1 30 50 1 gemm"});
    CHECK(sequences_of(linears().build(), "", {{"least", "2"}}) == Rows{"aten::linear 2 80 100 2 gemm|add"});
}

TEST_CASE("a name selects inner operators, annotations and step marks") {
    CHECK(sequences_of(linears().build(), "name:MM") == Rows{"aten::mm 3 90 60 1 gemm"});
    CHECK(sequences_of(linears().build(), "name:ProfilerStep") ==
          Rows{"ProfilerStep#1 1 110 1000 5 gemm|add|gemm|add|gemm"});
    CHECK(sequences_of(linears().build(), "name:aten") ==
          Rows{"aten::linear 2 80 100 2 gemm|add", "aten::linear 1 30 50 1 gemm"});
    CHECK(sequences_of(linears().build(), "name:nothing").empty());
}

TEST_CASE("kernels are sorted by start across streams; filters select among them") {
    TraceFixture fixture;
    fixture.cpu(0, 50, "op").launch(5, 1, 1).launch(10, 1, 2).launch(15, 1, 3);
    fixture.kernel(300, 5, "third", 7, 1).kernel(100, 5, "first", 8, 2).kernel(200, 5, "ncclSecond", 7, 3);
    const RankTracePtr trace = fixture.build();
    CHECK(sequences_of(trace) == Rows{"op 1 15 50 3 first|ncclSecond|third"});
    CHECK(sequences_of(trace, "stream:7") == Rows{"op 1 10 50 2 ncclSecond|third"});
    CHECK(sequences_of(trace, "class:compute name:op") == Rows{"op 1 10 50 2 first|third"});
}

TEST_CASE("equal sequences of all ranks share a row and a digest") {
    const RunPtr run = run_of({linears().build(), TraceFixture().cpu(0, 5, "first name").build(), linears().build()});
    CHECK(sequences_of(*run)[0] == "aten::linear 4 160 200 2 gemm|add");
}

TEST_CASE("recurring parts of a stream are found, without those that a longer part covers") {
    const RankTracePtr trace = linears().build();
    CHECK(sorted(sequences_of(trace, "", {{"of", "parts"}})) ==
          Rows{"(all) 2 80 - 2 add|gemm", "(all) 2 80 - 2 gemm|add"});
    TraceFixture thrice;
    for (std::int64_t start = 0; start < 3000; start += 1000) {
        thrice.kernel(start, 5, "mul").kernel(start + 10, 6, "add").kernel(start + 20, 7, "relu");
        thrice.kernel(start + 15, 5, "copy", 8);
    }
    const Rows found = sequences_of(thrice.build(), "", {{"of", "parts"}, {"longest", "3"}});
    REQUIRE(found.size() == 3);
    CHECK(found[0] == "(all) 3 54 - 3 mul|add|relu");
    CHECK(sorted({found[1], found[2]}) == Rows{"(all) 2 36 - 3 add|relu|mul", "(all) 2 36 - 3 relu|mul|add"});
}

TEST_CASE("a part ends at a copy or communication on its stream, and with a name at the end of the call") {
    TraceFixture fixture;
    for (std::int64_t start = 0; start < 2000; start += 1000) {
        fixture.kernel(start, 5, "mul").kernel(start + 10, 5, "ncclAllReduce").kernel(start + 20, 5, "add");
    }
    CHECK(sequences_of(fixture.build(), "", {{"of", "parts"}}) == Rows{});
    CHECK(sequences_of(linears().build(), "name:aten::linear", {{"of", "parts"}}) ==
          Rows{"aten::linear 2 80 - 2 gemm|add"});
    CHECK(sequences_of(linears().build(), "name:aten::mm", {{"of", "parts"}}) == Rows{});
}

TEST_CASE("long texts are cut between characters, digests cover the full text") {
    TraceFixture fixture;
    const std::string long_name = "k" + std::string(1998, 'x') + "\xc3\xa9";
    fixture.cpu(0, 10, "op").launch(1, 1, 1).kernel(100, 1, long_name + "1", 7, 1);
    fixture.cpu(20, 10, "op").launch(21, 1, 2).kernel(200, 1, long_name + "2", 7, 2);
    const Table table = answer_of(*run_of({fixture.build()}), "kernel-sequences").main();
    REQUIRE(table.rows() == 2);
    CHECK(table.text(0, 6) == "k" + std::string(1998, 'x') + "\xe2\x80\xa6");
    CHECK(table.text(1, 6) == table.text(0, 6));
    CHECK(table.text(1, 1) != table.text(0, 1));
}
