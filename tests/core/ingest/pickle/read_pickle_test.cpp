#include "core/ingest/pickle/read_pickle.hpp"

#include "core/ingest/pickle/read_json_tree.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/ingest/pickle/pickle_writer.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;
using namespace std::string_literals;

namespace {

Result<ValueTree> unpickle(std::string bytes, const PickleLimits& limits = {}, std::size_t step = 1 << 20) {
    MemorySource source(std::move(bytes), step);
    return read_pickle(source, limits, JobContext{});
}

Result<ValueTree> read_json(std::string text, const PickleLimits& limits = {}) {
    MemorySource source(std::move(text), 7);
    return read_json_tree(source, limits, JobContext{});
}

std::string json_of(const Result<ValueTree>& tree) {
    REQUIRE_MESSAGE(tree.has_value(), (tree ? "" : tree.error().message));
    return to_json(*tree, tree->root());
}

std::string error_of(const Result<ValueTree>& tree) { return tree ? "read" : tree.error().message; }

// The meaning of a pickle of protocol 2 with this body.
std::string meaning(const std::string& body) { return json_of(unpickle("\x80\x02" + body + ".")); }
std::string refusal(const std::string& body) { return error_of(unpickle("\x80\x02" + body + ".")); }

Json random_json(std::mt19937& random, int depth) {
    switch (random() % (depth > 0 ? 8 : 6)) {
        case 0:
            return nullptr;
        case 1:
            return random() % 2 == 0;
        case 2:
            return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31);
        case 3:
            return static_cast<std::int64_t>((std::uint64_t{random()} << 32) | random());
        case 4:
            return static_cast<double>(random()) / 1024;
        case 5:
            return std::string(random() % 5, static_cast<char>('a' + random() % 26));
        case 6: {
            Json list = Json::array();
            for (auto n = random() % 5; n > 0; --n) list.push_back(random_json(random, depth - 1));
            return list;
        }
        default: {
            Json object = Json::object();
            for (auto n = random() % 5; n > 0; --n)
                object[std::string(1, static_cast<char>('a' + random() % 26))] = random_json(random, depth - 1);
            return object;
        }
    }
}

}  // namespace

TEST_CASE("each opcode of plain data has its meaning") {
    CHECK(meaning("N") == "null");
    CHECK(meaning("\x88") == "true");
    CHECK(meaning("K\xFF") == "255");
    CHECK(meaning("M\x01\x02") == "513");
    CHECK(meaning("J\xFE\xFF\xFF\xFF") == "-2");
    CHECK(meaning("\x8a\x01\xFE"s) == "-2");
    CHECK(meaning("\x8a\x00"s) == "0");
    CHECK(meaning("\x8b\x02\x00\x00\x00\x00\x01"s) == "256");
    CHECK(meaning("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"s) == "null");  // more than 64 bits
    CHECK(meaning("G\x3F\xF8\x00\x00\x00\x00\x00\x00"s) == "1.5");
    CHECK(meaning("X\x02\x00\x00\x00hi"s) == "\"hi\"");
    CHECK(meaning("\x8c\x02hi") == "\"hi\"");
    CHECK(meaning("\x8d\x02\x00\x00\x00\x00\x00\x00\x00hi"s) == "\"hi\"");
    CHECK(meaning("C\x02hi") == "null");  // bytes are no text
    CHECK(meaning("]") == "[]");
    CHECK(meaning("]K\x01"
                  "a") == "[1]");
    CHECK(meaning("](K\x01K\x02"
                  "e") == "[1, 2]");
    CHECK(meaning("(K\x01K\x02t") == "[1, 2]");
    CHECK(meaning("K\x01K\x02K\x03\x87") == "[1, 2, 3]");
    CHECK(meaning(")") == "[]");
    CHECK(meaning("}\x8c\x01kK\x05s") == "{\"k\": 5}");
    CHECK(meaning("}(\x8c\x01kK\x05\x8c\x01mNu") == "{\"k\": 5, \"m\": null}");
    CHECK(meaning("(\x8c\x01kK\x05"
                  "d") == "{\"k\": 5}");
    CHECK(meaning("\x8c\x01q\x94"
                  "0](h\x00h\x00"
                  "e"s) == "[\"q\", \"q\"]");
    CHECK(meaning("\x8c\x01qr\x07\x00\x00\x00"
                  "0j\x07\x00\x00\x00"s) == "\"q\"");
    CHECK(meaning("\x95\x05\x00\x00\x00\x00\x00\x00\x00K\x01"s) == "1");
    CHECK(meaning("K\x01(K\x02"
                  "1") == "1");
    CHECK(meaning("K\x01"
                  "2\x86") == "[1, 1]");
}

TEST_CASE("every opcode that could call anything is refused with its byte and name") {
    const std::pair<std::string, std::string> kOpcodes[] = {
        {"c", "GLOBAL"},    {"\x93", "STACK_GLOBAL"}, {"i", "INST"},
        {"o", "OBJ"},       {"\x81", "NEWOBJ"},       {"\x92", "NEWOBJ_EX"},
        {"R", "REDUCE"},    {"b", "BUILD"},           {"P", "PERSID"},
        {"Q", "BINPERSID"}, {"\x82", "EXT1"},         {"\x83", "EXT2"},
        {"\x84", "EXT4"},   {"\x97", "NEXT_BUFFER"},  {"\x98", "READONLY_BUFFER"},
    };
    for (const auto& [code, name] : kOpcodes) {
        const std::string error = refusal("K\x01K\x02" + code + "os\nsystem\n");
        CHECK_MESSAGE(error.starts_with("byte 6: opcode " + name + " could run code"), error);
    }
    CHECK(refusal("\xFE") == "byte 2: opcode 0xfe is unknown: the file is damaged, or no pickle");
}

TEST_CASE("a damaged pickle is refused at its place") {
    CHECK(error_of(unpickle("")).find("cut off") != std::string::npos);
    CHECK(error_of(unpickle("hello")).find("not a pickle of a dictionary or a list") != std::string::npos);
    CHECK(error_of(unpickle("\x80\x06N.")).find("pickle protocol 6: known are 0 to 5") != std::string::npos);
    CHECK(refusal("") == "byte 2: the pickle ends without a value");
    CHECK(refusal("a") == "byte 2: the stack is empty");
    CHECK(refusal("e") == "byte 2: no mark is open");
    CHECK(refusal("NK\x01"
                  "a") == "byte 5: items for a value that is not a container");
    CHECK(refusal("](K\x01"
                  "a") == "byte 6: the stack is empty");
    CHECK(refusal("}(K\x01u") == "byte 6: a key without a value");
    CHECK(refusal("NNs") == "byte 4: the stack is empty");
    CHECK(refusal("h\x03") == "byte 2: memo number 3 was never stored");
    CHECK(refusal("Nr\xFF\xFF\xFF\x7F") == "byte 3: memo number 2147483647 out of order");
    CHECK(refusal("X\xFF\xFF\xFF\x7F"
                  "abc")
              .find("byte 2: a text is longer than the rest of the file") == 0);
    CHECK(refusal("\x8d\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF").find("byte 2: a text of absurd length") == 0);
    CHECK(refusal(std::string(300, '(')) == "byte 258: containers nested too deeply");
}

TEST_CASE("no more values are made than are allowed") {
    const std::string many = "\x80\x02](" + std::string(5000, 'N') + "e.";
    CHECK(error_of(unpickle(many, {.most_values = 1000})).find("more values than are read (1000)") !=
          std::string::npos);
    CHECK(unpickle(many, {.most_values = 6000}).has_value());
    // Shared values cost a number each, however often they contain each other.
    std::string doubled = "\x80\x02](NNe\x94";
    for (int i = 0; i < 60; ++i) doubled += "0](h"s + static_cast<char>(i) + "h" + static_cast<char>(i) + "e\x94";
    const Result<ValueTree> tree = unpickle(doubled + ".");
    REQUIRE(tree.has_value());
    CHECK(tree->size() < 100);
    CHECK(to_json(*tree, tree->root(), 100, 5000).size() < 10'000);
}

TEST_CASE("a list that contains itself is read, and written to a bounded depth") {
    const Result<ValueTree> tree = unpickle(
        "\x80\x02]q\x00h\x00"
        "a."s);
    REQUIRE(tree.has_value());
    CHECK(tree->items(tree->root())[0] == tree->root());
    CHECK(to_json(*tree, tree->root(), 3) == "[[[[null]]]]");
}

TEST_CASE("of a key that is there twice the last one counts, as in Python") {
    const Result<ValueTree> tree = unpickle("\x80\x02}(\x8c\x01kK\x01\x8c\x01kK\x02u.");
    REQUIRE(tree.has_value());
    CHECK(tree->integer(*tree->find(tree->root(), "k")) == 2);
}

TEST_CASE("what is written as a pickle or as JSON reads as the same values, in pieces of any size") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const Json value = random_json(random, 4);
        const std::size_t step = 1 + random() % 9;
        CHECK(Json::parse(json_of(unpickle(pickled(value), {}, step))) == value);
        CHECK(Json::parse(json_of(read_json(value.dump()))) == value);
    }
}

TEST_CASE("a pickle that is cut or changed anywhere is read or refused, and never more") {
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        const std::string bytes = pickled(random_json(random, 4));
        const std::string cut = bytes.substr(0, random() % bytes.size());
        CHECK(error_of(unpickle(cut)).find("byte ") == 0);
        std::string changed = bytes;
        changed[random() % changed.size()] = static_cast<char>(random());
        const Result<ValueTree> tree = unpickle(changed);
        if (tree) static_cast<void>(to_json(*tree, tree->root()));
    }
}

TEST_CASE("JSON is bounded like a pickle") {
    CHECK(error_of(read_json(std::string(300, '['))).find("brackets nested too deeply") != std::string::npos);
    CHECK(error_of(read_json("[1,2,3,4]", {.most_values = 3})).find("more values than are read") != std::string::npos);
    CHECK(error_of(read_json("{\"a\": [1, 2")).find("the JSON ends in the middle") != std::string::npos);
    CHECK(error_of(read_json("{\"a\" 1}")).find("not JSON") != std::string::npos);
    CHECK(json_of(read_json("18446744073709551615")) == "null");
}

TEST_CASE("pickles of protocols 0 and 1 are read, which write text and have no magic number") {
    const auto read = [](std::string bytes) {
        MemorySource source(std::move(bytes));
        return read_pickle(source, PickleLimits{}, JobContext{});
    };
    // pickle.dumps({'a': [1, True, None, 2.5, 'x\ny', u'\u20ac', 12345678901L]}, 0) and the like
    const Result<ValueTree> zero =
        read("(dp0\nS'a'\np1\n(lp2\nI1\naI01\naNaF2.5\naS'x\\ny'\np3\naV\\u20ac\\u0041b\np4\naL12345678901L\nag3\nas.");
    REQUIRE_MESSAGE(zero.has_value(), (zero ? "" : zero.error().message));
    CHECK(to_json(*zero, zero->root()) ==
          "{\"a\": [1, true, null, 2.5, \"x\\ny\", \"\xE2\x82\xAC\x41\x62\", 12345678901, \"x\\ny\"]}");
    const Result<ValueTree> one = read("}q\0(X\1\0\0\0aq\1]q\2(K\1I01\neu."s);
    REQUIRE_MESSAGE(one.has_value(), (one ? "" : one.error().message));
    CHECK(to_json(*one, one->root()) == "{\"a\": [1, true]}");
    CHECK(begins_pickle("(dp0\nS'a'\n"));
    CHECK(begins_pickle(std::string_view("}q\0(", 4)));
    for (const std::string_view other : {"{\"a\": 1}", "[1, 2]", "(define", "(dp", "}", ""})
        CHECK_FALSE(begins_pickle(other));
    for (const std::string_view bad : {"(dp0\nI1x\ns.", "(dp0\nS'a\np1\n", "(dpx\n.", "(dp0\nF1.2.3\ns.",
                                       "(lp0\nV\\uzzzz\na.", "(dp0\ncos\nsystem\np1\n.", "(lp0\ng7\na.", "hello"})
        CHECK_MESSAGE(!read(std::string(bad)).has_value(), bad);
}
