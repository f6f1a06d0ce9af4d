// Any text as a filter: a parsed filter prints as text that parses to the same filter, and can be applied to a run;
// completion offers something at every position.

#include "core/query/filter_completion.hpp"
#include "core/query/filter_text.hpp"
#include "core/query/selection.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace core;

const Run& small_run() {
    static const RunPtr run = [] {
        testing::TraceFixture fixture;
        fixture.rank(1).step(0, 50, 1).step(50, 50, 2);
        for (int i = 0; i < 4; ++i) {
            fixture.cpu(25 * i, 20, "aten::mm").launch(25 * i + 1, 2, i + 1);
            fixture.kernel(25 * i + 5, 15, i % 2 == 0 ? "ncclDevKernel_AllReduce" : "gemm", 7 + i % 2, i + 1);
        }
        fixture.info().groups = {{"0", "data parallel", "nccl", 2, {0, 1}}};
        return testing::run_of({fixture.build()});
    }();
    return *run;
}

const FilterVocabulary& small_vocabulary() {
    static const FilterVocabulary words = collect_vocabulary(small_run(), {});
    return words;
}

void complete_everywhere(std::string_view text) {
    const std::size_t step = 1 + text.size() / 16;
    for (std::size_t cursor = 0; cursor <= text.size(); cursor += step) {
        const Completions found = complete_filter(text, cursor, small_vocabulary());
        if (found.begin > found.end || found.end > text.size()) fuzz::fail("a completion outside the text");
    }
}

void ask(const Filter& filter) {
    (void)filter.accepts_rank(small_run().rank(0).key);
    (void)filter.time_range(small_run());
    const auto selection = Selection::build(small_run(), 0, filter.without_time_and_rank(), {});
    if (selection && (*selection)->gpu_events().size() > 4) fuzz::fail("more events pass than there are");
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() { return {}; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    complete_everywhere(text);
    const Result<Filter> filter = parse_filter(text);
    if (!filter) {
        if (filter.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    const std::string printed = format_filter(*filter);
    const Result<Filter> again = parse_filter(printed);
    if (!again) fuzz::fail("what was printed cannot be read: " + printed + ": " + again.error().message);
    if (*again != *filter) fuzz::fail("what was printed is another filter: " + printed);
    if (format_filter(*again) != printed) fuzz::fail("the same filter prints in two ways: " + printed);
    ask(*filter);
    return 0;
}
