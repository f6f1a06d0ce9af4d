#include "core/base/small_json.hpp"

#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace core;

namespace {

std::string json_refusal(std::string_view text, const JsonLimits& limits = {}) {
    const Result<nlohmann::json> value = parse_small_json(text, limits);
    REQUIRE_FALSE(value);
    return value.error().message;
}

}  // namespace

TEST_CASE("small JSON: read as it is, refused with the place where it is none") {
    CHECK(parse_small_json(R"({"a": [1, "x", null]})").value() == nlohmann::json{{"a", {1, "x", nullptr}}});
    CHECK(json_refusal("{\"a\": 1,\n  \"b\": }").starts_with("line 2, column 8: not JSON: "));
    CHECK(json_refusal("").starts_with("line 1, column 1: not JSON: "));
    CHECK(json_refusal("\"\xff\"").find("not JSON") != std::string::npos);
    CHECK(json_refusal("// word\n1").find("not JSON") != std::string::npos);
    CHECK(parse_small_json("// word\n1", {.comments = true}).value() == 1);
}

TEST_CASE("small JSON: depth and size are bounded") {
    const auto nested = [](int depth) {
        return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
    };
    CHECK(parse_small_json(nested(64)).has_value());
    CHECK(json_refusal(nested(65)).find("nested more than 64 deep") != std::string::npos);
    CHECK(json_refusal(nested(1'000'000)).find("nested more than 64 deep") != std::string::npos);
    CHECK_FALSE(parse_small_json(std::string(1'000'000, '[')).has_value());
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    CHECK_FALSE(parse_small_json(objects).has_value());
    CHECK(json_refusal("[1, 2, 3]", {.bytes = 8}).find("larger than 8 B") != std::string::npos);
}

TEST_CASE("small files: only regular ones, of bounded size, named in errors") {
    const testing::TempFolder folder;
    const fs::path file = folder.path() / "a.json";
    const auto refusal = [](const fs::path& path, std::uint64_t most = kMostSmallFileBytes) {
        const Result<std::string> text = read_small_file(path, most);
        REQUIRE_FALSE(text);
        CHECK(text.error().message.starts_with(path.string() + ": "));
        return text.error();
    };
    std::ofstream(file) << "0123456789";
    CHECK(read_small_file(file).value() == "0123456789");
    CHECK(read_small_file(file, 10).has_value());
    CHECK(refusal(file, 9).message.find("larger than 9 B") != std::string::npos);
    CHECK(refusal(folder.path() / "none").code == ErrorCode::NotFound);
    CHECK(refusal(folder.path()).message.find("is a folder") != std::string::npos);
    CHECK(refusal("/dev/zero").message.find("not a regular file") != std::string::npos);
    const fs::path fifo = folder.path() / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK(refusal(fifo).message.find("not a regular file") != std::string::npos);
    const fs::path large = folder.path() / "large";
    std::ofstream(large) << "x";
    fs::resize_file(large, std::uintmax_t{1} << 40);  // sparse
    CHECK(refusal(large).message.find("larger than 64.0 MiB") != std::string::npos);
    CHECK(refusal("-").code == ErrorCode::NotFound);
    CHECK_FALSE(read_small_file("/proc/self/status").value().empty());
}
