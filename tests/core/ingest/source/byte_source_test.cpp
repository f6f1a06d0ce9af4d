#include "core/ingest/source/byte_source.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <zstd.h>

using namespace core;
using namespace core::testing;

namespace {

struct Outcome {
    std::string bytes;
    std::string error;
};

Outcome read_all(const std::filesystem::path& path, Inflater inflater, std::size_t step = 1000) {
    Outcome outcome;
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path, inflater);
    REQUIRE(source.has_value());
    std::string buffer(step, '\0');
    for (;;) {
        const Result<std::size_t> got = (*source)->read(buffer);
        if (!got) {
            outcome.error = got.error().message;
            CHECK_FALSE((*source)->read(buffer).has_value());
            return outcome;
        }
        if (*got == 0) return outcome;
        outcome.bytes.append(buffer, 0, *got);
    }
}

std::string noise(std::size_t size) {
    std::string text;
    for (std::uint32_t x = 1; text.size() < size; x = x * 1664525u + 1013904223u)
        text += "event " + std::to_string(x >> 20) + "\n";
    return text;
}

}  // namespace

TEST_CASE("plain and packed files give the same bytes, with either inflater") {
    const ScratchFolder folder;
    const std::string text = noise(700000);
    const auto plain = folder.write("a.bin", text);
    const auto packed = folder.write("b.bin", gzip(text));
    for (const Inflater inflater : {Inflater::Igzip, Inflater::Zlib}) {
        CHECK(read_all(plain, inflater).bytes == text);
        CHECK(read_all(packed, inflater).bytes == text);
        CHECK(read_all(packed, inflater, 1 << 20).bytes == text);
    }
}

TEST_CASE("gzip members one after another are one text, and padding behind them is ignored") {
    const ScratchFolder folder;
    const auto path = folder.write("a.gz", gzip("first ") + gzip("") + gzip("second") + std::string(100, '\0'));
    for (const Inflater inflater : {Inflater::Igzip, Inflater::Zlib}) {
        const Outcome outcome = read_all(path, inflater);
        CHECK(outcome.bytes == "first second");
        CHECK(outcome.error.empty());
    }
}

TEST_CASE("a gzip file cut anywhere keeps what came before the cut and names the byte") {
    const ScratchFolder folder;
    const std::string text = noise(60000);
    const std::string packed = gzip(text);
    for (std::size_t size = 2; size < packed.size(); size += 97) {
        const auto path = folder.write("cut.gz", std::string_view(packed).substr(0, size));
        for (const Inflater inflater : {Inflater::Igzip, Inflater::Zlib}) {
            const Outcome outcome = read_all(path, inflater);
            CAPTURE(size);
            CHECK(text.starts_with(outcome.bytes));
            CHECK(outcome.error.find("byte " + std::to_string(size)) != std::string::npos);
        }
    }
}

TEST_CASE("damaged gzip data is an error, never endless") {
    const ScratchFolder folder;
    const std::string text = noise(60000);
    const std::string packed = gzip(text);
    for (std::size_t at = 2; at < packed.size(); at += 61) {
        std::string damaged = packed;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        const auto path = folder.write("bad.gz", damaged);
        for (const Inflater inflater : {Inflater::Igzip, Inflater::Zlib}) {
            const Outcome outcome = read_all(path, inflater);
            const bool in_header = at < 10;  // time and system bytes say nothing about the data
            CHECK((in_header || !outcome.error.empty()));
        }
    }
}

TEST_CASE("gzip flags that mean nothing are refused by either inflater, in any member") {
    const ScratchFolder folder;
    const std::string sound = gzip("one");
    std::string strange = gzip("two");
    strange[3] = '\x80';
    for (const Inflater inflater : {Inflater::Igzip, Inflater::Zlib}) {
        const Outcome alone = read_all(folder.write("a.gz", strange), inflater);
        CHECK(alone.bytes.empty());
        CHECK(alone.error.find("damaged") != std::string::npos);
        const Outcome second = read_all(folder.write("b.gz", sound + strange), inflater);
        CHECK(second.bytes == "one");
        CHECK(second.error.find("damaged") != std::string::npos);
    }
}

TEST_CASE("folders, missing files and devices are refused") {
    const ScratchFolder folder;
    CHECK(open_bytes(folder.path()).error().message == "is a folder");
    CHECK(open_bytes(folder.path() / "none").error().code == ErrorCode::NotFound);
    CHECK_FALSE(open_bytes("/dev/zero").has_value());
}

namespace {

std::string zstd_frame(const std::string& text) {
    std::string out(::ZSTD_compressBound(text.size()), '\0');
    const std::size_t size = ::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
    REQUIRE(::ZSTD_isError(size) == 0);
    out.resize(size);
    return out;
}

}  // namespace

TEST_CASE("a file in zstd gives its bytes; frames follow one another, and padding behind them is ignored") {
    const ScratchFolder folder;
    const std::string text = noise(3'000'000);
    for (const std::size_t step : {std::size_t{1'000}, std::size_t{1} << 20})
        CHECK(read_all(folder.write("a.zst", zstd_frame(text)), Inflater::Igzip, step).bytes == text);
    const std::string skipped = std::string("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
    const auto frames = folder.write("b.zst", skipped + zstd_frame("first ") + zstd_frame("") + skipped +
                                                  zstd_frame("second") + std::string(9, '\0'));
    const Outcome outcome = read_all(frames, Inflater::Igzip);
    CHECK(outcome.bytes == "first second");
    CHECK(outcome.error.empty());
}

TEST_CASE("a cut or damaged zstd file gives all before the break, then one error") {
    const ScratchFolder folder;
    const std::string text = noise(3'000'000), packed = zstd_frame(text);
    const Outcome cut = read_all(folder.write("cut.zst", packed.substr(0, packed.size() / 2)), Inflater::Igzip);
    CHECK(cut.bytes.size() > 100'000);
    CHECK(text.starts_with(cut.bytes));
    CHECK(cut.error.find("the zstd data ends in the middle") != std::string::npos);
    std::string damaged = packed;
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 200; ++i) damaged[i] = '\x7F';
    const Outcome broken = read_all(folder.write("bad.zst", damaged), Inflater::Igzip);
    CHECK(broken.error.find("the zstd data is damaged") != std::string::npos);
}

TEST_CASE("a trace in zstd opens by its ending") {
    const ScratchFolder folder;
    folder.write("rank0.json.zst", zstd_frame(R"({"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "a"}]})"));
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE(run.has_value());
    CHECK((*run)->event_count() == 1);
}
