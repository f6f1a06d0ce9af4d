#include "core/base/platform/files.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace core;
using core::testing::TempFolder;

namespace {

fs::path make_text_file(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

std::string text_at(const OpenFile& file, std::uint64_t offset, std::size_t bytes) {
    std::string text(bytes, '?');
    const std::error_code error = file.read_at(offset, std::as_writable_bytes(std::span(text)));
    return error ? error.message() : text;
}

}  // namespace

TEST_CASE("a file is the same under each of its names") {
    const TempFolder folder;
    const fs::path file = make_text_file(folder.path() / "file", "text");
    const fs::path other = make_text_file(folder.path() / "other", "text");
    fs::create_hard_link(file, folder.path() / "hard");
    fs::create_symlink(file, folder.path() / "soft");
    const std::optional<FileStatus> status = find_file_status(file);
    REQUIRE(status);
    CHECK(status->is_regular());
    CHECK(status->bytes == 4);
    CHECK(status->names == 2);
    CHECK(find_file_status(folder.path() / "hard")->is_same_file(*status));
    CHECK(find_file_status(folder.path() / "soft")->is_same_file(*status));
    CHECK_FALSE(find_file_status(folder.path() / "soft", LastLink::Keep)->is_same_file(*status));
    CHECK(find_file_status(folder.path() / "soft", LastLink::Keep)->kind == FileKind::Other);
    CHECK_FALSE(find_file_status(other)->is_same_file(*status));
    CHECK(find_file_status(folder.path())->kind == FileKind::Folder);
    CHECK(find_file_status("/dev/null")->kind == FileKind::Other);
    CHECK_FALSE(find_file_status(folder.path() / "absent").has_value());
}

TEST_CASE("a new file never takes the place of another, nor goes where a link leads") {
    const TempFolder folder;
    const fs::path taken = make_text_file(folder.path() / "taken", "text");
    fs::create_symlink(folder.path() / "elsewhere", folder.path() / "link");
    std::error_code error;
    CHECK_FALSE(OpenFile(taken, OpenFor::Creating, error));
    CHECK(error == std::errc::file_exists);
    CHECK_FALSE(OpenFile(folder.path() / "link", OpenFor::Creating, error));
    CHECK(error == std::errc::file_exists);
    CHECK_FALSE(fs::exists(folder.path() / "elsewhere"));
    CHECK_FALSE(OpenFile(folder.path() / "absent" / "file", OpenFor::Creating, error));
    CHECK(error == std::errc::no_such_file_or_directory);
    OpenFile made(folder.path() / "own", OpenFor::Creating, error, NewFileAccess::OwnerOnly);
    CHECK_FALSE(error);
    CHECK(made.write("own text") == std::error_code());
    CHECK(made.status(error)->permissions == 0600);
    CHECK(made.set_permissions(0640) == std::error_code());
    CHECK(made.status(error)->permissions == 0640);
    CHECK(made.close() == std::error_code());
    CHECK_FALSE(made);
    CHECK(find_file_status(folder.path() / "own")->bytes == 8);
}

TEST_CASE("parts of a file are read and written in place") {
    const TempFolder folder;
    const fs::path path = make_text_file(folder.path() / "file", "0123456789");
    const OpenFile writer(path, OpenFor::Changing);
    const OpenFile reader(path, OpenFor::Reading);
    REQUIRE(writer);
    REQUIRE(reader);
    CHECK(writer.write_at(4, std::as_bytes(std::span("abc", 3))) == std::error_code());
    CHECK(text_at(reader, 0, 10) == "0123abc789");
    CHECK(text_at(reader, 8, 2) == "89");
    std::vector<std::byte> beyond(3);
    CHECK(reader.read_at(8, beyond) == std::errc::io_error);
    CHECK(writer.resize(6) == std::error_code());
    CHECK(text_at(reader, 0, 6) == "0123ab");
    CHECK(reader.write_at(0, beyond) == std::errc::bad_file_descriptor);
}

TEST_CASE("the time of the last change is set to the nanosecond") {
    const TempFolder folder;
    const fs::path path = make_text_file(folder.path() / "file", "text");
    fs::create_symlink(path, folder.path() / "link");
    constexpr std::int64_t kThen = 1'600'000'000'123'456'789;
    const OpenFile file(path, OpenFor::Changing);
    REQUIRE(file.set_written(kThen) == std::error_code());
    CHECK(find_file_status(path)->written_ns == kThen);
    CHECK(touch_file(folder.path() / "link") == std::error_code());
    CHECK(find_file_status(path)->written_ns == kThen);
    CHECK(touch_file(path) == std::error_code());
    CHECK(find_file_status(path)->written_ns > kThen);
    CHECK(touch_file(folder.path() / "absent") == std::errc::no_such_file_or_directory);
}

TEST_CASE("opening a pipe without a writer does not wait") {
    const TempFolder folder;
    const fs::path pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::error_code error;
    OpenFile file(pipe, OpenFor::Reading, error);
    REQUIRE(file);
    CHECK(file.status(error)->kind == FileKind::Other);
    std::string text(16, '?');
    CHECK(file.read(text, error) == 0);
    CHECK_FALSE(error);
}

TEST_CASE("names of open streams are distinguished from names of files") {
    for (const char* const name : {"/dev/stdout", "/dev/stderr", "/dev/fd/3", "/proc/self/fd/12"}) {
        INFO(name);
        CHECK(names_open_stream(name));
    }
    for (const char* const name : {"/dev/fd/x", "/dev/fd/-1", "/dev/fd/3x", "/dev/fd/", "/tmp/stdout", "stdout", ""}) {
        INFO(name);
        CHECK_FALSE(names_open_stream(name));
    }
    std::error_code error;
    CHECK_FALSE(reopen_stream("/dev/fd/1000000", error));
    CHECK(error == std::errc::bad_file_descriptor);
    CHECK_FALSE(reopen_stream("file", error));
    CHECK(error == std::errc::bad_file_descriptor);
    CHECK(reopen_stream("/dev/stderr", error));
    CHECK_FALSE(error);
}

TEST_CASE("a private folder is new each time and for its owner alone") {
    const TempFolder folder;
    const fs::path one = create_private_folder(folder.path(), "work-");
    const fs::path two = create_private_folder(folder.path(), "work-");
    CHECK(fs::is_directory(one));
    CHECK(fs::is_directory(two));
    CHECK(one != two);
    CHECK(one.filename().string().starts_with("work-"));
    CHECK(find_file_status(one)->permissions == 0700);
    CHECK(create_private_folder(folder.path() / "absent", "work-").empty());
}

TEST_CASE("a folder of this machine is not on the network, and unpredictable bits differ") {
    CHECK_FALSE(is_on_network("/proc"));
    CHECK_FALSE(is_on_network("/absent"));
    CHECK(check_writable("/absent/file") == std::errc::no_such_file_or_directory);
    CHECK(flush_folder_to_disk("/absent") == std::errc::no_such_file_or_directory);
    CHECK(unpredictable_bits() != unpredictable_bits());
}

TEST_CASE("a file below a folder is opened without following links, and nothing else is") {
    const TempFolder folder, outside;
    fs::create_directories(folder.path() / "in" / "deep");
    std::ofstream(folder.path() / "in" / "deep" / "file") << "inside";
    std::ofstream(outside.path() / "file") << "outside";
    fs::create_symlink("deep/file", folder.path() / "in" / "link");
    fs::create_directory_symlink(outside.path(), folder.path() / "out");
    fs::create_directory_symlink(folder.path(), outside.path() / "way");
    std::error_code error;
    CHECK(open_below(folder.path(), "in/deep/file", error));
    CHECK_FALSE(error);
    CHECK(open_below(outside.path() / "way", "in/deep/file", error));  // the folder itself may be a link
    CHECK(open_below(folder.path(), "in/deep", error).status(error)->kind == FileKind::Folder);
    for (const char* const refused : {"in/link", "out/file"}) {
        INFO(refused);
        CHECK_FALSE(open_below(folder.path(), refused, error));
        CHECK(error);
    }
    for (const char* const refused : {"", "/etc/passwd", "..", "../x", "in/../in/deep/file", "./in/deep/file", "in/"}) {
        INFO(refused);
        CHECK_FALSE(open_below(folder.path(), refused, error));
        CHECK(error == std::errc::invalid_argument);
    }
    CHECK_FALSE(open_below(folder.path(), "absent", error));
    CHECK(error == std::errc::no_such_file_or_directory);
}
