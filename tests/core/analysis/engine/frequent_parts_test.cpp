#include "core/analysis/engine/frequent_parts.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using namespace core;

namespace {

// "abc" → items a, b, c with times 1, 2, 3, …
Sequence sequence(std::string_view letters) {
    Sequence items;
    for (const char letter : letters)
        items.push_back({static_cast<std::uint32_t>(letter), static_cast<std::int64_t>(items.size() + 1)});
    return items;
}

using Found = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;  // part → count, time

Found found_in(const std::vector<Sequence>& sequences, std::uint32_t longest) {
    Found found;
    for (const FrequentPart& part : collect_frequent_parts(sequences, longest)) {
        std::string text;
        for (std::uint32_t i = 0; i < part.length; ++i)
            text += static_cast<char>(sequences[part.sequence][part.first + i].name);
        CHECK_FALSE(found.contains(text));
        found[text] = {part.count, static_cast<std::int64_t>(part.time)};
    }
    return found;
}

Found try_all(const std::vector<std::string>& texts, std::uint32_t longest) {
    Found found;
    for (const std::string& of : texts) {
        for (std::size_t first = 0; first < of.size(); ++first) {
            for (std::size_t length = 2; length <= longest && first + length <= of.size(); ++length) {
                const std::string part = of.substr(first, length);
                if (found.contains(part)) continue;
                auto& [count, time] = found[part];
                for (const std::string& text : texts) {
                    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += length) {
                        ++count;
                        for (std::size_t i = at; i < at + length; ++i) time += static_cast<std::int64_t>(i + 1);
                    }
                }
            }
        }
    }
    std::erase_if(found, [](const auto& entry) { return entry.second.first < 2; });
    return found;
}

}  // namespace

TEST_CASE("parts that occur at least twice are found, with count and time") {
    CHECK(found_in({sequence("abcab"), sequence("ab")}, 5) == Found{{"ab", {3, 3 + 9 + 3}}});
    CHECK(found_in({sequence("abcabc")}, 5) == Found{{"ab", {2, 12}}, {"bc", {2, 16}}, {"abc", {2, 21}}});
}

TEST_CASE("occurrences of a part do not overlap or span two sequences") {
    CHECK(found_in({sequence("aaaaa")}, 3) == Found{{"aa", {2, 10}}});
    CHECK(found_in({sequence("xab"), sequence("cx"), sequence("ab"), sequence("c")}, 3) == Found{{"ab", {2, 8}}});
}

TEST_CASE("parts have at most the given length, and an empty input has none") {
    CHECK(found_in({sequence("abcabc")}, 2) == Found{{"ab", {2, 12}}, {"bc", {2, 16}}});
    CHECK(found_in({}, 5).empty());
    CHECK(found_in({sequence(""), sequence("a"), sequence("a")}, 5).empty());
}

TEST_CASE("random sequences agree with trying all parts") {
    std::mt19937 dice(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> texts(std::uniform_int_distribution<std::size_t>(0, 4)(dice));
        std::vector<Sequence> sequences;
        for (std::string& text : texts) {
            text.resize(std::uniform_int_distribution<std::size_t>(0, 20)(dice));
            for (char& letter : text) letter = static_cast<char>('a' + std::uniform_int_distribution(0, 2)(dice));
            sequences.push_back(sequence(text));
        }
        const auto longest = std::uniform_int_distribution<std::uint32_t>(2, 8)(dice);
        CHECK(found_in(sequences, longest) == try_all(texts, longest));
    }
}
