#include "core/base/output_file.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace fs = std::filesystem;
using namespace core;
using core::testing::TempFolder;

namespace {

std::string output_text(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void put_text(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
}

std::string refusal(const fs::path& path, const OutputOptions& options = {}) {
    const Result<bool> checked = check_output(path, options);
    const Result<OutputFile> created = OutputFile::create(path, options);
    REQUIRE_FALSE(checked);
    REQUIRE_FALSE(created);
    CHECK(checked.error().message == created.error().message);
    CHECK(checked.error().message.starts_with(path.string()));
    return checked.error().message;
}

InputFiles inputs_named(const fs::path& path) {
    return InputFiles([path] { return std::vector<fs::path>{path}; });
}

// Limits the file size, which affects a writer like a full disk.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit small = before_;
        small.rlim_cur = bytes;
        signal_ = std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

private:
    rlimit before_{};
    void (*signal_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("output: an input of the run is refused under every name it has") {
    const TempFolder folder;
    const fs::path trace = folder.path() / "a.json";
    put_text(trace, "trace");
    fs::create_symlink(trace, folder.path() / "link.json");
    fs::create_hard_link(trace, folder.path() / "hard.json");
    fs::create_directory_symlink(folder.path(), folder.path() / "again");
    const OutputOptions options{.inputs = inputs_named(trace)};
    for (const fs::path& name : {trace, folder.path() / "link.json", folder.path() / "hard.json",
                                 folder.path() / "again" / "a.json", folder.path() / "." / "a.json"}) {
        CAPTURE(name);
        CHECK(refusal(name, options).ends_with("is an input of this run: choose another name"));
    }
    CHECK(output_text(trace) == "trace");
    CHECK(write_whole_file(folder.path() / "b.json", "b", options));
    CHECK(write_whole_file(folder.path() / "b.json", "B", options));
    CHECK(output_text(folder.path() / "b.json") == "B");
}

TEST_CASE("output: folders, index files and names in folders that do not exist are refused") {
    const TempFolder folder;
    CHECK(refusal(folder.path()).ends_with("is a folder: name a file in it"));
    CHECK(refusal(folder.path() / "").ends_with("is a folder: name a file in it"));
    CHECK(refusal(folder.path() / "no" / "a.csv").find("does not exist") != std::string::npos);
    CHECK_FALSE(OutputFile::create("").has_value());
    const fs::path index = folder.path() / "a.json.lockstep-index";
    CHECK(refusal(index).find("index file") != std::string::npos);
    put_text(index, "index");
    fs::create_symlink(index, folder.path() / "link.csv");
    CHECK(refusal(folder.path() / "link.csv").find("index file") != std::string::npos);
    CHECK(output_text(index) == "index");
    put_text(folder.path() / "file", "x");
    CHECK(refusal(folder.path() / "file" / "a.csv").find("is not a folder") != std::string::npos);
}

TEST_CASE("output: neighbours keep their content, links are replaced and not followed") {
    const TempFolder folder;
    const fs::path out = folder.path() / "out.csv";
    const fs::path part = folder.path() / "out.csv.part";
    const fs::path target = folder.path() / "target";
    put_text(part, "mine");
    put_text(target, "linked");
    fs::create_symlink(target, out);
    REQUIRE(write_whole_file(out, "new"));
    CHECK(output_text(out) == "new");
    CHECK_FALSE(fs::is_symlink(out));
    CHECK(output_text(part) == "mine");
    CHECK(output_text(target) == "linked");
    CHECK(names_in(folder.path()) == std::set<std::string>{"out.csv", "out.csv.part", "target"});
}

TEST_CASE("output: the permissions of a replaced file stay") {
    const TempFolder folder;
    const fs::path out = folder.path() / "secret.csv";
    put_text(out, "old");
    fs::permissions(out, fs::perms::owner_read | fs::perms::owner_write);
    REQUIRE(write_whole_file(out, "new"));
    CHECK(fs::status(out).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    if (geteuid() == 0) return;  // root may write everywhere
    fs::permissions(out, fs::perms::owner_read);
    CHECK(refusal(out).find("cannot replace") != std::string::npos);
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    const Result<OutputFile> file = OutputFile::create(folder.path() / "new.csv");
    fs::permissions(folder.path(), fs::perms::owner_all);
    CHECK_FALSE(file);
}

TEST_CASE("output: nothing is left where it is not committed or does not fit on the disk") {
    const TempFolder folder;
    const fs::path out = folder.path() / "out.json";
    put_text(out, "old");
    {
        Result<OutputFile> file = OutputFile::create(out);
        REQUIRE(file);
        file->write("half");
    }
    CHECK(output_text(out) == "old");
    {
        const SmallDisk disk(4096);
        const Result<std::uint64_t> written = write_whole_file(out, std::string(100'000, 'x'));
        REQUIRE_FALSE(written);
        CHECK(written.error().message.find("out.json: cannot write") != std::string::npos);
        const Result<std::uint64_t> packed = write_whole_file(out, std::string(50'000'000, 'x'), {.gzip = true});
        CHECK_FALSE(packed);
    }
    CHECK(output_text(out) == "old");
    CHECK(names_in(folder.path()) == std::set<std::string>{"out.json"});
}

TEST_CASE("output: files that are not committed go when the process ends at once") {
    const TempFolder folder;
    Result<OutputFile> file = OutputFile::create(folder.path() / "out.json");
    REQUIRE(file);
    CHECK(names_in(folder.path()).size() == 1);
    remove_uncommitted_files();
    CHECK(names_in(folder.path()).empty());
    CHECK_FALSE(file->commit());
}

TEST_CASE("output: devices and pipes are written in place; a full one is an error, a reader that left is none") {
    CHECK(write_whole_file("/dev/null", "x"));
    CHECK_FALSE(write_whole_file("/dev/full", "x"));
    CHECK(fs::is_character_file("/dev/full"));
    const TempFolder folder;
    const fs::path fifo = folder.path() / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    std::string got;
    std::thread reader([&] { got = output_text(fifo); });
    CHECK(write_whole_file(fifo, "through the pipe"));
    reader.join();
    CHECK(got == "through the pipe");
    CHECK(fs::is_fifo(fifo));
    void (*const before)(int) = std::signal(SIGPIPE, SIG_IGN);
    std::thread leaver([&] { ::close(::open(fifo.c_str(), O_RDONLY)); });
    CHECK(write_whole_file(fifo, std::string(std::size_t{1} << 20, 'x')));
    leaver.join();
    std::signal(SIGPIPE, before);
}

TEST_CASE("output: writers of one name do not mix") {
    const TempFolder folder;
    const fs::path out = folder.path() / "out.txt";
    for (int round = 0; round < 50; ++round) {
        std::vector<std::thread> writers;
        for (const char letter : {'a', 'b'})
            writers.emplace_back([&, letter] {
                const Result<std::uint64_t> written =
                    write_whole_file(out, std::string(200'000, letter), {.sync = false});
                CHECK(written.has_value());
            });
        for (std::thread& writer : writers) writer.join();
        const std::string text = output_text(out);
        REQUIRE(text.size() == 200'000);
        REQUIRE(text.find_first_not_of(text[0]) == std::string::npos);
    }
    CHECK(names_in(folder.path()) == std::set<std::string>{"out.txt"});
}

TEST_CASE("output: a name of a descriptor writes on where the descriptor is") {
    const TempFolder folder;
    const int descriptor = ::open((folder.path() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    REQUIRE(descriptor >= 0);
    REQUIRE(::write(descriptor, "before ", 7) == 7);
    CHECK(write_whole_file("/dev/fd/" + std::to_string(descriptor), "after"));
    ::close(descriptor);
    CHECK(output_text(folder.path() / "log") == "before after");
    CHECK_FALSE(write_whole_file("/dev/fd/987", "x"));
}
