#include "core/query/filter_text.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace core;

namespace {

Filter parsed(std::string_view text) {
    const Result<Filter> filter = parse_filter(text);
    REQUIRE_MESSAGE(filter, (filter ? "" : filter.error().message));
    return *filter;
}
FilterTerm term(std::string_view text) {
    const Filter filter = parsed(text);
    REQUIRE(filter.terms.size() == 1);
    return filter.terms[0];
}
std::string error_of(std::string_view text) {
    const Result<Filter> filter = parse_filter(text);
    REQUIRE(!filter);
    CHECK(filter.error().code == ErrorCode::BadInput);
    return filter.error().message;
}
std::string printed(std::string_view text) { return format_filter(parsed(text)); }
NameTerm name(std::string text, bool is_regex = false) { return NameTerm{std::move(text), is_regex}; }
FilterTerm positive(decltype(FilterTerm::what) what) { return {false, std::move(what)}; }
Duration ns(std::int64_t count) { return Duration{count}; }

}  // namespace

TEST_CASE("the manual's example parses into its terms and prints unchanged") {
    const std::string text =
        "rank:0-3,8 step:2-4 stream:7 class:communication name:allreduce name:/^nccl.*Send/ time:+1.5ms..+2ms "
        "dur:>10us group:dp";
    const Filter filter = parsed(text);
    REQUIRE(filter.terms.size() == 9);
    CHECK(filter.terms[0] == positive(RankTerm{{{0, 3}, {8, 8}}}));
    CHECK(filter.terms[1] == positive(StepTerm{false, {{2, 4}}}));
    CHECK(filter.terms[2] == positive(StreamTerm{{{7, 7}}}));
    CHECK(filter.terms[3] == positive(ClassTerm{set_of(KernelClass::Communication)}));
    CHECK(filter.terms[4] == positive(name("allreduce")));
    CHECK(filter.terms[5] == positive(name("^nccl.*Send", true)));
    CHECK(filter.terms[6] == positive(TimeTerm{ns(1'500'000), ns(2'000'000)}));
    CHECK(filter.terms[7] == positive(DurationTerm{ns(10'001), std::nullopt}));
    CHECK(filter.terms[8] == positive(GroupTerm{"dp"}));
    CHECK(format_filter(filter) == text);
}

TEST_CASE("words about collectives name operations, places, waits, last ranks and confidence") {
    const Filter filter =
        parsed("collective:allreduce,_allgather_base#3-5,9 -wait:>1ms last:0-3 matched:doubtful,certain");
    REQUIRE(filter.terms.size() == 4);
    CHECK(filter.terms[0] == positive(CollectiveTerm{{Operation::AllReduce, Operation::AllGather}, {{3, 5}, {9, 9}}}));
    CHECK(filter.terms[1] == FilterTerm{true, WaitTerm{DurationTerm{ns(1'000'001), std::nullopt}}});
    CHECK(filter.terms[2] == positive(LastTerm{RankTerm{{{0, 3}}}}));
    CHECK(filter.terms[3] == positive(MatchedTerm{0b0101}));
    CHECK(format_filter(filter) ==
          "collective:all_reduce,all_gather#3-5,9 -wait:>1ms last:0-3 matched:certain,doubtful");
    CHECK(parse_filter("collective:sum").error().message.find("all_reduce, all_gather") != std::string::npos);
    CHECK(parse_filter("matched:maybe").error().message.find("certain, probable, doubtful or alone") !=
          std::string::npos);
    CHECK_FALSE(parse_filter("wait:soon"));
    CHECK_FALSE(parse_filter("last:x"));
    CHECK_FALSE(parse_filter("collective:all_reduce#"));
    CHECK(filter.needs_matches());
    CHECK_FALSE(parsed("rank:3 dur:>1ms").needs_matches());
}

TEST_CASE("an empty text and step:all have no terms") {
    CHECK(parsed("").empty());
    CHECK(parsed(" \t\n ").empty());
    CHECK(parsed("step:all").empty());
    CHECK(format_filter(Filter{}).empty());
}

TEST_CASE("a bare word is a name, also with colons unless it begins with a field") {
    CHECK(term("gemm") == positive(name("gemm")));
    CHECK(term("at::native::reduce<float>") == positive(name("at::native::reduce<float>")));
    CHECK(term("step::run") == positive(name("step::run")));
    CHECK(term("nccl:all_reduce") == positive(name("nccl:all_reduce")));
    CHECK(term("12:30") == positive(name("12:30")));
    CHECK(term("ProfilerStep#3") == positive(name("ProfilerStep#3")));
    CHECK(term("/a|b/") == positive(name("a|b", true)));
}

TEST_CASE("quotes protect spaces, colons and minus signs; backslashes protect quotes") {
    CHECK(term("\"a bare word with spaces\"") == positive(name("a bare word with spaces")));
    CHECK(term("name:\"-x y\"") == positive(name("-x y")));
    CHECK(term("\"stp:3\"") == positive(name("stp:3")));
    CHECK(term(R"(name:"say \"hi\" c:\\dir \n")") == positive(name(R"(say "hi" c:\dir \n)")));
    CHECK(term("name:a\"b") == positive(name("a\"b")));
    CHECK(term("name:\"\"") == positive(name("")));
    CHECK(term("group:\"data parallel\"") == positive(GroupTerm{"data parallel"}));
}

TEST_CASE("a regular expression may contain spaces and escaped slashes") {
    CHECK(term("name:/a b/") == positive(name("a b", true)));
    CHECK(term(R"(name:/a\/b\.c/)") == positive(name(R"(a/b\.c)", true)));
    CHECK(printed(R"(name:/a\/b\.c/)") == R"(name:/a\/b\.c/)");
}

TEST_CASE("a minus negates the word after it") {
    const FilterTerm negated = term("-name:memcpy");
    CHECK(negated.negated);
    CHECK(negated.what == positive(name("memcpy")).what);
    CHECK(term("-\"a b\"").negated);
    CHECK(term("-/x/").what == positive(name("x", true)).what);
    CHECK(term("-step:complete").negated);
    CHECK(printed("-class:memory,compute") == "-class:compute,memory");
}

TEST_CASE("times have signs, units and open ends") {
    CHECK(term("time:1.5s..2s") == positive(TimeTerm{ns(1'500'000'000), ns(2'000'000'000)}));
    CHECK(term("time:..2ms") == positive(TimeTerm{std::nullopt, ns(2'000'000)}));
    CHECK(term("time:-3us..") == positive(TimeTerm{ns(-3'000), std::nullopt}));
    CHECK(term("time:5..9") == positive(TimeTerm{ns(5), ns(9)}));
    CHECK(printed("time:1500us..0.002s") == "time:+1.5ms..+2ms");
    CHECK(printed("time:-3us..") == "time:-3us..");
}

TEST_CASE("durations are closed ranges, bounds, or one value") {
    CHECK(term("dur:1us..2ms") == positive(DurationTerm{ns(1'000), ns(2'000'000)}));
    CHECK(term("dur:<5ms") == positive(DurationTerm{std::nullopt, ns(4'999'999)}));
    CHECK(term("dur:<=5ms") == positive(DurationTerm{std::nullopt, ns(5'000'000)}));
    CHECK(term("dur:>=10us") == positive(DurationTerm{ns(10'000), std::nullopt}));
    CHECK(term("dur:0") == positive(DurationTerm{ns(0), ns(0)}));
    for (const char* text : {"dur:>10us", "dur:>=10us", "dur:<5ms", "dur:<=5ms", "dur:1us..2ms", "dur:3us"}) {
        CHECK(printed(text) == text);
    }
}

TEST_CASE("parse_duration is exact and accepts every unit") {
    const std::pair<const char*, std::int64_t> known[] = {
        {"3", 3},
        {"250ns", 250},
        {"10us", 10'000},
        {"1.5ms", 1'500'000},
        {"+2s", 2'000'000'000},
        {"-0.25us", -250},
        {"0.000000001s", 1},
        {"1.5\xc2\xb5s", 1'500},
        {"1.5\xce\xbcs", 1'500},
        {"1.5min", 90'000'000'000},
        {".5us", 500},
        {"5.us", 5'000},
        {"1.0000", 1},
        {"9223372036.854775807s", std::numeric_limits<std::int64_t>::max()},
        {"-9223372036.854775808s", std::numeric_limits<std::int64_t>::min()},
    };
    for (const auto& [text, count] : known) {
        CAPTURE(text);
        const Result<Duration> d = parse_duration(text);
        REQUIRE(d);
        CHECK(d->count() == count);
    }
    for (const char* text : {"", "ms", "1.5", "1 ms", "1.2.3ms", "1e3us", "1MS", "0.05ns", "1.0001us", ".", "--1ms",
                             "9223372036.854775808s", "99999999999999999999s", "\xc2"}) {
        CAPTURE(text);
        CHECK(!parse_duration(text));
    }
}

TEST_CASE("a misspelt field is refused with the intended one") {
    CHECK(error_of("stp:3") == "filter: \"stp:3\": no such word; try step:");
    CHECK(error_of("gemm steam:7") == "filter: \"steam:7\": no such word; try stream:");
    CHECK(error_of("Rank:1") == "filter: \"Rank:1\": no such word; try rank:");
    CHECK(error_of("-duration:>1ms") == "filter: \"-duration:>1ms\": no such word; try dur:");
    CHECK(error_of("rnak:1").ends_with("try rank:"));
}

TEST_CASE("errors name the word and what was expected") {
    CHECK(error_of("class:comm") == "filter: \"class:comm\": the classes are compute, communication and memory");
    CHECK(error_of("name:x rank:a stream:7").starts_with("filter: \"rank:a\": expected numbers"));
    CHECK(error_of("rank:").ends_with("a value is missing after the colon"));
    CHECK(error_of("rank:3-1").ends_with("reversed"));
    CHECK(error_of("rank:1,").find("expected numbers") != std::string::npos);
    CHECK(error_of("rank:99999999999999999999").ends_with("too large"));
    CHECK(error_of("step:last").ends_with("or complete, or all"));
    CHECK(error_of("time:1ms").find("expected a range") != std::string::npos);
    CHECK(error_of("time:2ms..1ms").ends_with("reversed"));
    CHECK(error_of("time:..").ends_with("at least one side"));
    CHECK(error_of("-time:1ms..2ms").find("cannot be negated") != std::string::npos);
    CHECK(error_of("dur:10parsecs").find("not a duration") != std::string::npos);
    CHECK(error_of("dur:<0").ends_with("below zero"));
    CHECK(error_of("name:\"open").find("closing \"") != std::string::npos);
    CHECK(error_of("/usr/lib").find("quote a name that starts with /") != std::string::npos);
    CHECK(error_of("/usr").find("quote a name that starts with /") != std::string::npos);
    CHECK(error_of("name:/(/").find("missing ) in \"(\"") != std::string::npos);
    CHECK(error_of("\"a\"b").find("expected a space") != std::string::npos);
    CHECK(error_of("-").find("negates the word") != std::string::npos);
    CHECK(error_of("a - b").find("negates the word") != std::string::npos);
    CHECK(error_of("--x").find("one - is enough") != std::string::npos);
    CHECK(error_of("name: x").find("missing") != std::string::npos);
}

namespace {

class RandomFilter {
public:
    explicit RandomFilter(unsigned seed) : random_(seed) {}

    Filter make() {
        Filter filter;
        for (auto n = below(6); n > 0; --n) filter.terms.push_back(make_term());
        return filter;
    }

private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    std::int64_t integer() { return static_cast<std::int64_t>(random_()) >> below(64); }
    std::int64_t length() { return static_cast<std::int64_t>((random_() >> 1) >> below(63)); }

    std::vector<NumberRange> numbers() {
        std::vector<NumberRange> ranges;
        for (auto n = 1 + below(3); n > 0; --n) {
            const std::int64_t a = integer();
            const std::int64_t b = below(2) ? a : integer();
            ranges.push_back({std::min(a, b), std::max(a, b)});
        }
        return ranges;
    }
    std::string text() {
        static constexpr std::string_view kPieces[] = {
            " ",    "\"", "\\",   "/",  "-",  ":", "::",       "name:",
            "stp:", "a",  "nccl", "\t", "..", ",", "\xc2\xb5", "kernel<float>",
            "#"};
        std::string result;
        for (auto n = below(6); n > 0; --n) result += kPieces[below(std::size(kPieces))];
        return result;
    }
    std::string regex() {
        static constexpr std::string_view kPieces[] = {"a",       "b*",     ".", "/",    "\\.", "\\\\",
                                                       "[a-z/ ]", "(x|y )", "^", "\\d+", " "};
        std::string result;
        for (auto n = below(6); n > 0; --n) result += kPieces[below(std::size(kPieces))];
        return result;
    }
    FilterTerm make_term() {
        FilterTerm term{below(2) == 1, {}};
        std::optional<Duration> low;
        std::optional<Duration> high;
        switch (below(12)) {
            case 0:
                term.what = RankTerm{numbers()};
                break;
            case 1:
                term.what = below(2) ? StepTerm{true, {}} : StepTerm{false, numbers()};
                break;
            case 2:
                term.what = StreamTerm{numbers()};
                break;
            case 3:
                term.what = ClassTerm{static_cast<ClassSet>(1 + below(7))};
                break;
            case 4:
                term.what = below(2) ? NameTerm{text(), false} : NameTerm{regex(), true};
                break;
            case 5:
                term.negated = false;
                bounds(low, high, [&] { return integer(); });
                term.what = TimeTerm{low, high};
                break;
            case 6:
                bounds(low, high, [&] { return length(); });
                term.what = DurationTerm{low, high};
                break;
            case 7:
                term.what = MatchedTerm{static_cast<std::uint8_t>(1 + below(15))};
                break;
            case 8:
                term.what = LastTerm{RankTerm{numbers()}};
                break;
            case 9:
                bounds(low, high, [&] { return length(); });
                term.what = WaitTerm{DurationTerm{low, high}};
                break;
            case 10:
                term.what = CollectiveTerm{{static_cast<Operation>(below(kOperations))}, numbers()};
                break;
            default:
                term.what = GroupTerm{text()};
                break;
        }
        return term;
    }
    template <class Make>
    void bounds(std::optional<Duration>& low, std::optional<Duration>& high, Make make) {
        const std::int64_t a = make();
        const std::int64_t b = make();
        const auto which = below(3);
        if (which != 1) low = Duration{std::min(a, b)};
        if (which != 2) high = Duration{std::max(a, b)};
    }
    std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("every filter prints as text that parses to the same filter") {
    for (unsigned seed = 0; seed < 20'000; ++seed) {
        const Filter filter = RandomFilter(seed).make();
        const std::string text = format_filter(filter);
        CAPTURE(text);
        const Result<Filter> again = parse_filter(text);
        REQUIRE_MESSAGE(again, (again ? "" : again.error().message));
        CHECK(*again == filter);
    }
}

TEST_CASE("no text crashes the parser, and every accepted text prints and parses again") {
    static constexpr std::string_view kPieces[] = {
        "-",  "\"", "/",  "\\",    ":",     " ",        "name:", "dur:",   ">",       "<", "=", "time:",
        "..", "1",  "ms", "rank:", "step:", "complete", ",",     "class:", "compute", "x", "(", "["};
    for (unsigned seed = 0; seed < 20'000; ++seed) {
        std::mt19937_64 random(seed);
        std::string text;
        for (auto n = random() % 12; n > 0; --n) text += kPieces[random() % std::size(kPieces)];
        CAPTURE(text);
        const Result<Filter> filter = parse_filter(text);
        if (!filter) continue;
        const Result<Filter> again = parse_filter(format_filter(*filter));
        REQUIRE(again);
        CHECK(*again == *filter);
    }
}

TEST_CASE("captures of a rank are words of their own") {
    const Filter one = parsed("rank:0\u00B7b");
    CHECK(one.accepts_rank({0, 1}));
    CHECK_FALSE(one.accepts_rank({0, 0}));
    CHECK_FALSE(one.accepts_rank({1, 1}));
    CHECK(printed("rank:0.b") == "rank:0\u00B7b");
    CHECK(printed("capture:b,a,b") == "capture:a,b");
    const Filter second = parsed("capture:b");
    CHECK(second.accepts_rank({7, 1}));
    CHECK_FALSE(second.accepts_rank({7, 0}));
    CHECK(error_of("capture:3").find("expected captures such as b or a,b") != std::string::npos);
    CHECK(error_of("rank:0\u00B7").find("such as 0\u00B7b") != std::string::npos);
}

TEST_CASE("a filter is refused unread when it is too long, and when it has too many words") {
    std::string words = "name:a";
    for (std::size_t i = 1; i < kMostFilterWords; ++i) words += " -name:b" + std::to_string(i);
    REQUIRE(parse_filter(words));
    CHECK(parse_filter(words)->terms.size() == kMostFilterWords);
    CHECK(parse_filter(words + " step:all").has_value());  // no term, so no cost
    const Result<Filter> one_more = parse_filter(words + " rank:0");
    REQUIRE_FALSE(one_more);
    CHECK(one_more.error().message.find("more than 256 words") != std::string::npos);

    const std::string longest = "name:" + std::string(kMostFilterBytes - 5, 'x');
    CHECK(parse_filter(longest).has_value());
    const Result<Filter> too_long = parse_filter(std::string(std::size_t{1} << 20, '"'));
    REQUIRE_FALSE(too_long);
    CHECK(too_long.error().message == "filter: 1048576 bytes; at most 65536 are read");
}

TEST_CASE("a set of numbers contains the numbers of its ranges, which are sorted and merged") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<NumberRange> ranges;
        for (unsigned i = random() % 8; i > 0; --i) {
            const std::int64_t first = static_cast<std::int64_t>(random() % 40) - 20;
            ranges.push_back({first, first + static_cast<std::int64_t>(random() % 6)});
        }
        const NumberSet set(ranges);
        for (std::int64_t n = -25; n <= 30; ++n) CHECK(set.contains(n) == contains_number(ranges, n));
    }
    CHECK(NumberSet(std::vector<NumberRange>(1000, {3, 5})).ranges() == 1);
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    CHECK(NumberSet(std::vector<NumberRange>{{-kFar - 1, kFar}, {0, 0}}).contains(kFar));
}
