#include "core/analysis/verdict/judge.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

// A step that nothing dominates.
Situation balanced() {
    Situation s;
    s.ranks = 4;
    s.compute = 0.5;
    s.exposed = 0.14;
    s.copies = 0.14;
    s.idle = 0.22;
    s.communication = 0.3;
    s.host_wait = 0.9;
    return s;
}

Judgement judge_standard(const Situation& s) { return judge(s, Limits()); }

}  // namespace

TEST_CASE("a step without a dominating part is balanced and has no runner-up") {
    const Judgement judged = judge_standard(balanced());
    CHECK(judged.name == "balanced");
    CHECK(judged.second.empty());
    CHECK(judged.share == 0.5);
}

TEST_CASE("every rule fits at its limit and not below") {
    Situation s = balanced();
    s.idle = 0.25;
    s.host_wait = 0.5;
    CHECK(judge_standard(s).name == "host-bound");
    CHECK(judge_standard(s).share == 0.25);
    s.host_wait = 0.49;
    CHECK(judge_standard(s).name == "balanced");
    s.idle = 0.5;
    CHECK(judge_standard(s).name == "idle");
    CHECK(judge_standard(s).evidence ==
          "the GPU is idle for 50.0 % of the time, only 49.0 % of it waiting for the host");
    s.host_wait = 0;
    CHECK(judge_standard(s).evidence.ends_with("and the trace does not say what it waits for"));
    s.host_wait = 0.5;
    CHECK(judge_standard(s).name == "host-bound");
    CHECK(judge_standard(s).second.empty());

    s = balanced();
    s.loading = 0.1;
    s.loading_idle = 0.5;
    CHECK(judge_standard(s).name == "data-bound");
    s.loading_idle = 0.4;
    CHECK(judge_standard(s).name == "balanced");

    s = balanced();
    s.copies = 0.15;
    CHECK(judge_standard(s).name == "copy-bound");

    s = balanced();
    s.exposed = 0.25;
    CHECK(judge_standard(s).name == "communication-bound");
    s.compute = 0.1;
    s.exposed = 0.13;
    CHECK(judge_standard(s).name == "communication-bound");  // 1.2 times compute
}

TEST_CASE("waiting for a flagged rank is a straggler's, for ranks in turn an imbalance") {
    Situation s = balanced();
    s.exposed = 0.3;
    s.waiting = 0.5;
    CHECK(judge_standard(s).name == "imbalance-bound");
    CHECK(judge_standard(s).second == "communication-bound");
    s.has_straggler = true;
    s.straggler = "rank 2";
    CHECK(judge_standard(s).name == "straggler-bound");
    CHECK(judge_standard(s).evidence.find("rank 2") != std::string::npos);
    s.waiting.reset();  // one rank: waiting cannot be told from transfer, and that is said
    CHECK(judge_standard(s).name == "communication-bound");
    CHECK(judge_standard(s).evidence.find("cannot be split") != std::string::npos);
}

TEST_CASE("a cause that a replay confirms comes before its symptoms, a late rank before the pipeline") {
    Situation s = balanced();
    s.exposed = 0.45;
    s.waiting = 0.2;
    CHECK(judge_standard(s).name == "communication-bound");
    s.pipeline_saves = 0.09;
    s.pipeline = "stage 3 computes longest";
    CHECK(judge_standard(s).name == "communication-bound");
    s.pipeline_saves = 0.12;
    CHECK(judge_standard(s).name == "pipeline-bound");
    CHECK(judge_standard(s).second == "communication-bound");
    CHECK(judge_standard(s).share == 0.12);
    CHECK(judge_standard(s).evidence == "stage 3 computes longest");
    s.has_straggler = true;
    s.straggler = "rank 2";
    s.straggler_saves = 0.11;
    CHECK(judge_standard(s).name == "straggler-bound");
    CHECK(judge_standard(s).second == "pipeline-bound");
    CHECK(judge_standard(s).evidence == "a replay with rank 2 like the rest saves 11.0 % of the time");
}

TEST_CASE("the rule that explains most of the step wins and the next is the runner-up") {
    Situation s = balanced();
    s.idle = 0.4;
    s.copies = 0.2;
    CHECK(judge_standard(s).name == "host-bound");
    CHECK(judge_standard(s).second == "copy-bound");
    s.idle = 0.27;
    s.copies = 0;
    s.exposed = 0.65;
    CHECK(judge_standard(s).name == "communication-bound");
    CHECK(judge_standard(s).second == "host-bound");
    s.exposed = 0;
    s.idle = 0.5;
    s.host_wait = 1;
    s.loading = 0.3;
    s.loading_idle = 0.9;  // 0.27 of the step against 0.23 of launches alone
    CHECK(judge_standard(s).name == "data-bound");
    CHECK(judge_standard(s).second == "host-bound");
    s.loading = 0.2;
    CHECK(judge_standard(s).name == "host-bound");
    CHECK(judge_standard(s).second == "data-bound");
}

TEST_CASE("a rank that holds up a run which mostly computes is the verdict, as it is the first card") {
    Situation s = balanced();
    s.compute = 0.85;
    s.has_straggler = true;
    s.straggler = "rank 5";
    s.straggler_saves = 0.09;
    CHECK(judge_standard(s).name.starts_with("compute-bound"));
    s.straggler_saves = 0.12;
    CHECK(judge_standard(s).name == "straggler-bound");
    CHECK(judge_standard(s).share == 0.12);
    CHECK(judge_standard(s).evidence == "a replay with rank 5 like the rest saves 12.0 % of the time");
    s.exposed = 0.4;  // its card comes first, too
    CHECK(judge_standard(s).name == "straggler-bound");
    CHECK(judge_standard(s).second == "communication-bound");
}

TEST_CASE("compute is the verdict only where nothing else fits") {
    Situation s = balanced();
    s.compute = 0.7;
    CHECK(judge_standard(s).name.starts_with("compute-bound"));
    s.exposed = 0.25;
    CHECK(judge_standard(s).name == "communication-bound");
}

TEST_CASE("compute is classified by what bounds its kernels") {
    Situation s = balanced();
    s.compute = 0.6;
    CHECK(judge_standard(s).name == "compute-bound: kernels");
    CHECK(judge_standard(s).certainty == "possible");  // FLOP or peaks are unknown
    s.launch_bound = 0.34;
    CHECK(judge_standard(s).name == "compute-bound: launch");
    s.memory_bound = 0.5;
    CHECK(judge_standard(s).name == "compute-bound: memory");
    CHECK(judge_standard(s).second == "compute-bound: launch");
    s.math = 0.5;
    s.counted = 0.94;
    CHECK(judge_standard(s).name == "compute-bound: math");
    CHECK(judge_standard(s).second == "compute-bound: memory");
    CHECK(judge_standard(s).certainty == "likely");
    s.counted = 0.95;
    CHECK(judge_standard(s).certainty == "measured");
}

TEST_CASE("the classic rule knows no idle time") {
    Situation s = balanced();
    s.compute = 0.175;
    s.communication = 0.06;
    s.idle = 0.762;
    CHECK(judge_classic(s, Limits()) == "compute");
    CHECK(judge_standard(s).name == "host-bound");
    s.communication = 0.22;
    CHECK(judge_classic(s, Limits()) == "communication");
    s.communication = 0.2;
    CHECK(judge_classic(s, Limits()) == "balanced");
}

TEST_CASE("given limits win and unknown ones are refused") {
    Limits limits;
    CHECK_FALSE(limits.add("host-bound.idle=0.2,host.warn=0.3"));
    CHECK(limits.of(Limit::HostIdle) == 0.2);
    Situation s = balanced();
    CHECK(judge(s, limits).name == "host-bound");
    CHECK(limits.add("hosts.warn=0.3"));
    CHECK(limits.add("host.warn"));
    CHECK(limits.add("host.warn=-1"));
    CHECK(limits.add("host.warn=much"));
    CHECK_FALSE(limits.add_json(R"({"copy-bound.share": 0.5})"));
    CHECK(limits.of(Limit::CopyShare) == 0.5);
    CHECK(limits.add_json(R"({"copy-bound.share": "half"})"));
    CHECK(limits.add_json("[1]"));
}

TEST_CASE("every limit has an id of its own and a source") {
    std::vector<std::string_view> ids;
    for (const LimitRow& row : limit_rows()) {
        CHECK(std::find(ids.begin(), ids.end(), row.id) == ids.end());
        ids.push_back(row.id);
        CHECK_FALSE(row.meaning.empty());
        CHECK_FALSE(row.source.empty());
    }
    CHECK(ids.size() == kLimits);
}

TEST_CASE("the situation takes each median by itself") {
    const TimeFacts facts[] = {
        {.slot = 0, .duration = 100, .compute = 80, .exposed = 10, .idle = 10, .wait = 5},
        {.slot = 1, .duration = 100, .compute = 20, .exposed = 70, .idle = 10, .wait = 70},
        {.slot = 2, .duration = 200, .compute = 100, .exposed = 60, .idle = 40},
    };
    const Situation s = summarise_ranks(facts);
    CHECK(s.compute == 0.5);
    CHECK(s.exposed == doctest::Approx(0.3));
    CHECK(s.idle == doctest::Approx(0.1));
    CHECK(*s.waiting == doctest::Approx(0.75));  // of the two that know
    CHECK_FALSE(s.loading);
    CHECK_FALSE(s.math);
}
