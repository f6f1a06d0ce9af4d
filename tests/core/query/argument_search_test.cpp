// Searches of arguments of events read from text.

#include "core/query/argument_search.hpp"

#include "core/query/filter_text.hpp"
#include "core/query/find_events.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/trace_fixture.hpp"

#include <nlohmann/json.hpp>

#include <random>
#include <set>

using namespace core;
using core::testing::load_text;
using core::testing::run_of;
using nlohmann::json;

namespace {

struct WrittenEvent {
    std::string name;
    json args;
    json at_end;  // of the pair's end; null: not a pair
};

// Events 100 ns apart; each start is unique and identifies the event.
RankTracePtr read_trace(int rank, const std::vector<WrittenEvent>& events) {
    json list = json::array();
    for (std::size_t i = 0; i < events.size(); ++i) {
        const WrittenEvent& event = events[i];
        const double us = 1000 + static_cast<double>(i) / 10;
        json written = {{"ph", event.at_end.is_null() ? "X" : "B"},
                        {"cat", "cpu_op"},
                        {"name", event.name},
                        {"pid", 1},
                        {"tid", 1},
                        {"ts", us}};
        if (event.at_end.is_null()) written["dur"] = 0.05;
        if (!event.args.is_null()) written["args"] = event.args;
        list.push_back(written);
        if (event.at_end.is_null()) continue;
        list.push_back({{"ph", "E"},
                        {"cat", "cpu_op"},
                        {"name", event.name},
                        {"pid", 1},
                        {"tid", 1},
                        {"ts", us + 0.05},
                        {"args", event.at_end}});
    }
    const json file = {{"distributedInfo", {{"rank", rank}, {"world_size", 2}}}, {"traceEvents", list}};
    Result<RankTracePtr> trace = load_text(file.dump());
    REQUIRE(trace);
    return *trace;
}

// Search results as "rank/number of the event".
std::multiset<std::string> find_numbers(const RunPtr& run, const FindText& text, std::string_view filter = "") {
    FindQuery query{run, text, {}, {}};
    if (!filter.empty()) query.filter = parse_filter(filter).value();
    Progress progress;
    const Result<FoundEventsPtr> found = FoundEvents::search(query, {{}, &progress});
    REQUIRE(found);
    CHECK(progress.done == progress.total);
    std::multiset<std::string> numbers;
    for (std::uint32_t slot = 0; slot < run->ranks().size(); ++slot) {
        const RankTrace& trace = run->rank(slot).trace();
        for (std::uint32_t e = 0; e < trace.size(); ++e)
            if ((*found)->contains({slot, EventId{e}}))
                numbers.insert(std::to_string(slot) + "/" +
                               std::to_string((trace.start[e] - run->rank(0).trace().window.begin).count() / 100));
    }
    CHECK(numbers.size() == (*found)->count());
    return numbers;
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// Naive implementation on the written events.
bool holds_slowly(const WrittenEvent& event, const FindText& text) {
    std::vector<std::pair<std::string, std::string>> arguments;
    for (const json* part : {&event.args, &event.at_end})
        if (part->is_object())
            for (const auto& [key, value] : part->items()) arguments.emplace_back(key, text_of(value));
    const auto matches = [](const NameTerm& term, const std::string& in) {
        return NameMatcher::make(term).value().matches(in);
    };
    bool name = matches(text.name, event.name);
    if (text.name_or_argument)
        for (const auto& [key, value] : arguments) name |= matches(text.name, key) || matches(text.name, value);
    for (const ArgumentTerm& term : text.arguments) {
        bool any = false;
        for (const auto& [key, value] : arguments) {
            const bool whole = !term.value.is_regex && !term.value.text.empty();
            if (term.key.empty())
                any |= matches(term.value, key) || matches(term.value, value);
            else if (lowered(term.key) == lowered(key))
                any |= whole ? lowered(value) == lowered(term.value.text) : matches(term.value, value);
        }
        name &= any;
    }
    return name;
}

json random_arguments(std::mt19937& random) {
    if (random() % 5 == 0) return nullptr;
    json args = json::object();
    if (random() % 2) args["Seq"] = random() % 4;
    if (random() % 3 == 0) args["stream"] = random() % 3;
    if (random() % 2) args["Process Group Name"] = random() % 2 ? "dp" : "tp \"x\"";
    if (random() % 3 == 0) args["note"] = "line\nfloat" + std::to_string(random() % 3);
    if (random() % 4 == 0) args["shape"] = {{random() % 3, 7}, json::object({{"Seq", 2}})};
    if (random() % 6 == 0) args["empty"] = "";
    return args;
}

}  // namespace

TEST_CASE("events are found by an argument's value, by text in any argument, combined with name and filter") {
    const RunPtr run = run_of({read_trace(0, {{"a", {{"Seq", 12}, {"dtype", "Float"}}, nullptr},
                                              {"b", {{"Seq", 120}, {"Process Group Name", "dp"}}, nullptr},
                                              {"a", {{"Process Group Name", "dp_cp"}}, nullptr},
                                              {"float", nullptr, nullptr}})});
    using Numbers = std::multiset<std::string>;
    CHECK(find_numbers(run, parse_find_text("arg:Seq=12")) == Numbers{"0/0"});
    CHECK(find_numbers(run, parse_find_text("arg:seq=12")) == Numbers{"0/0"});
    CHECK(find_numbers(run, parse_find_text("arg:Seq=")) == Numbers{"0/0", "0/1"});
    CHECK(find_numbers(run, parse_find_text("arg:Seq=/^12/")) == Numbers{"0/0", "0/1"});
    CHECK(find_numbers(run, parse_find_text("arg:\"Process Group Name\"=dp")) == Numbers{"0/1"});
    CHECK(find_numbers(run, parse_find_text("arg:dp")) == Numbers{"0/1", "0/2"});
    CHECK(find_numbers(run, parse_find_text("a arg:dp")) == Numbers{"0/2"});
    CHECK(find_numbers(run, parse_find_text("float", true)) == Numbers{"0/0", "0/3"});
    CHECK(find_numbers(run, parse_find_text("float")) == Numbers{"0/3"});
    CHECK(find_numbers(run, parse_find_text("arg:dp"), "time:..150ns") == Numbers{"0/1"});
    CHECK(find_numbers(run, parse_find_text("float", true), "-name:float") == Numbers{"0/0"});
}

TEST_CASE("an invalid expression in an argument term is an error, and the search can be cancelled") {
    const RunPtr run = run_of({read_trace(0, {{"a", {{"Seq", 12}}, nullptr}})});
    CHECK_FALSE(FoundEvents::search({run, parse_find_text("arg:Seq=/(/"), {}, {}}, {}));
    std::stop_source stop;
    stop.request_stop();
    const auto found = FoundEvents::search({run, parse_find_text("arg:x"), {}, {}}, {stop.get_token(), nullptr});
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::Cancelled);
}

TEST_CASE("random traces: argument search agrees with testing every event, pairs included") {
    const std::vector<FindText> texts = {
        parse_find_text("arg:Seq=2"),
        parse_find_text("arg:SEQ=2"),
        parse_find_text("arg:stream=0 arg:Seq="),
        parse_find_text("arg:\"process group name\"=DP"),
        parse_find_text("arg:\"Process Group Name\"=dp"),
        parse_find_text("e1 arg:/^line\\nfloat[01]$/"),
        parse_find_text("float2", true),
        parse_find_text("e2 arg:float", true),
        parse_find_text("/^(7|dp)$/", true),
        parse_find_text("arg:\"tp \""),
        FindText{{}, {{"Process Group Name", {"tp \"x\"", false}}}, false},
        FindText{{"e1", false}, {{"stream", {"2", false}}, {"Seq", {"1", false}}}, false},
        parse_find_text("arg:shape=/\\[1,7\\]/"),
    };
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        std::mt19937 random(seed);
        std::vector<std::vector<WrittenEvent>> written(2);
        for (std::vector<WrittenEvent>& events : written)
            for (int i = 0; i < 200; ++i)
                events.push_back({"e" + std::to_string(random() % 4), random_arguments(random),
                                  random() % 4 == 0 ? random_arguments(random) : json()});
        const RunPtr run = run_of({read_trace(0, written[0]), read_trace(1, written[1])});
        for (std::size_t t = 0; t < texts.size(); ++t) {
            std::multiset<std::string> expected;
            for (std::size_t slot = 0; slot < written.size(); ++slot)
                for (std::size_t i = 0; i < written[slot].size(); ++i)
                    if (holds_slowly(written[slot][i], texts[t]))
                        expected.insert(std::to_string(slot) + "/" + std::to_string(i));
            CAPTURE(t);
            CHECK(find_numbers(run, texts[t]) == expected);
        }
    }
}
