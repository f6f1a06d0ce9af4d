// Files that are unusable by type or place: pipes, devices, links, permissions, index files.

#include "core/ingest/index_file/index_layout.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/ingest/source/byte_source.hpp"
#include "tests/core/ingest/index_file/index_fixture.hpp"
#include "tests/core/ingest/load/malformed_fixture.hpp"

#include <sys/stat.h>
#include <unistd.h>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

TEST_CASE("unusable: something named like a trace that isn't a file is refused by name without blocking") {
    const ScratchFolder folder;
    folder.write("good.json", good_file());
    const fs::path at = folder.path();
    fs::create_directory(at / "folder.json");
    REQUIRE(::mkfifo((at / "pipe.json").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", at / "device.json");
    fs::create_symlink("gone.json.elsewhere", at / "nowhere.json");
    fs::create_symlink("circle.json", at / "circle.json");
    fs::create_symlink(at / "folder.json", at / "link_to_folder.json");
    fs::create_symlink("good.json", at / "same.json");
    const auto outcome_of = [&](const char* name) { return find_outcome(at / name); };
    CHECK(outcome_of("folder.json") == "not a word");
    CHECK(outcome_of("link_to_folder.json") == "not a word");
    CHECK(outcome_of("same.json") == "not a word");
    const Result<RunPtr> run = open_folder(at, IndexFiles::Use);
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == 1);
    CHECK((*run)->diagnostics().count("file-unreadable") == 4);
}

TEST_CASE("unusable: what is given by name is refused by name of what it is") {
    const ScratchFolder folder;
    const fs::path at = folder.path();
    REQUIRE(::mkfifo((at / "pipe.json").c_str(), 0600) == 0);
    fs::create_symlink("gone.json", at / "nowhere.json");
    fs::create_symlink("circle.json", at / "circle.json");
    fs::create_directory(at / "empty.json");
    const auto refusal_of = [&](const fs::path& path) {
        LoadProgress progress;
        LoadOptions options;
        options.index_files = IndexFiles::Use;
        const Result<RunPtr> run = load_run(std::vector{path}, options, progress, JobContext{});
        REQUIRE_FALSE(run.has_value());
        return run.error().message;
    };
    const auto says = [&](const fs::path& path, std::string_view words) {
        const std::string message = refusal_of(path);
        CHECK_MESSAGE(message.find(words) != std::string::npos, message);
        CHECK(message.find(path.filename().string()) != std::string::npos);
    };
    says(at / "pipe.json", "is a pipe or a device, not a regular file: save its contents to a file first");
    says("/dev/zero", "is a pipe or a device, not a regular file: save its contents to a file first");
    says(at / "nowhere.json", "does not exist");
    says(at / "circle.json", "circle.json");
    says(at / "empty.json", "no file here is named like a trace");
    says(at / "none.json", "does not exist");
}

TEST_CASE("unusable: an unreadable file is reported, the rank next to it opens") {
    if (::geteuid() == 0) return;  // who may read everything
    const ScratchFolder folder;
    folder.write("good.json", good_file());
    const fs::path file = folder.write("bad.json", good_file());
    fs::permissions(file, fs::perms::none);
    check_outcome(find_outcome(file), "refused: bad.json: cannot be opened: check its permissions");
}

TEST_CASE("unusable: a file that shrinks while it is read ends there") {
    const ScratchFolder folder;
    const fs::path file = folder.write("shrinks.json", good_file());
    const Result<std::unique_ptr<ByteSource>> source = open_bytes(file);
    REQUIRE(source.has_value());
    std::string bytes(20, ' ');
    CHECK((*source)->read(bytes).has_value());
    fs::resize_file(file, 10);
    const Result<std::size_t> rest = (*source)->read(bytes);
    REQUIRE(rest.has_value());
    CHECK(*rest == 0);
}

TEST_CASE("unusable: an index file that cannot be used costs a word, never the rank") {
    const ScratchFolder folder;
    const fs::path trace = folder.write("good.json", good_file());
    REQUIRE(open_folder(folder.path(), IndexFiles::Use).has_value());
    const fs::path file = index_beside(trace);
    const std::string whole = read_bytes(file);
    REQUIRE(whole.size() > index_layout::kTableAt);
    const auto changed = [&](auto change) {
        auto header = value_at<index_layout::Header>(whole, 0);
        change(header);
        header.checksum = index_layout::checksum_of(header);
        std::string bytes = whole;
        std::memcpy(bytes.data(), &header, sizeof header);
        return bytes;
    };
    std::string flipped = whole;
    flipped[value_at<index_layout::Entry>(whole, index_layout::kTableAt).offset] ^= 4;
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"nothing", ""},
        {"a header alone", whole.substr(0, 256)},
        {"cut in the middle", whole.substr(0, whole.size() / 2)},
        {"another file", good_file()},
        {"zeros", std::string(whole.size(), '\0')},
        {"longer than it says", whole + "more"},
        {"a layout to come", changed([](auto& header) { header.layout_version += 1; })},
        {"another reading", changed([](auto& header) { header.reading_version += 1; })},
        {"another byte order", changed([](auto& header) { header.endian = 0x04030201; })},
        {"of another trace", changed([](auto& header) { header.source.bytes += 1; })},
        {"more sections than there are", changed([](auto& header) { header.sections += 100; })},
        {"one bit", flipped},
    };
    for (const auto& [name, bytes] : rows) {
        CAPTURE(name);
        fs::remove(file);
        write_bytes(file, bytes);
        const Result<RunPtr> run = open_folder(folder.path(), IndexFiles::Use);
        REQUIRE(run.has_value());
        REQUIRE((*run)->ranks().size() == 1);
        CHECK(describe((*run)->rank(0).trace()) == "opens: 1 events of 1 records");
        CHECK((*run)->diagnostics().count("index-rebuilt") == 1);
        CHECK(read_bytes(file).size() == whole.size());
    }
}

TEST_CASE("unusable: a pipe in place of an index file doesn't block") {
    const ScratchFolder folder;
    const fs::path trace = folder.write("good.json", good_file());
    REQUIRE(::mkfifo(index_beside(trace).c_str(), 0600) == 0);
    const Result<RunPtr> run = open_folder(folder.path(), IndexFiles::Use);
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == 1);
}

TEST_CASE("unusable: index files alone that cannot be used are named, the good one opens") {
    const ScratchFolder folder;
    const fs::path trace = folder.write("good.json", good_file());
    folder.write("bad.json.lockstep-index", "nothing of ours");
    REQUIRE(open_folder(folder.path(), IndexFiles::Use).has_value());
    fs::remove(trace);
    const Result<RunPtr> run = open_folder(folder.path(), IndexFiles::Use);
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == 1);
    CHECK((*run)->diagnostics().count("file-unreadable") == 1);
}
