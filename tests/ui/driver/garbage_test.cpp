// Any file may be dropped on the window: the error names it, nothing hangs, and the open run stays.

#include "tests/ui/driver/sample_window.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::sample_folder;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<fs::path>;

struct Garbage {
    std::string what;
    Paths paths;
    std::string named;  // in the error
};

fs::path write_file(const fs::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
}

fs::path make_pipe(const fs::path& file) {
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    return file;
}

fs::path make_socket(const fs::path& file) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(file.string().size() < sizeof address.sun_path);
    file.string().copy(address.sun_path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(socket);
    return file;
}

fs::path make_link(const fs::path& link, const fs::path& to) {
    fs::create_symlink(to, link);
    return link;
}

Paths thousands(const fs::path& folder, bool exist) {
    fs::create_directory(folder);
    Paths paths;
    for (int i = 0; i < 3'000; ++i) {
        paths.push_back(folder / ("p" + std::to_string(i) + ".json"));
        if (exist) write_file(paths.back(), "x");
    }
    return paths;
}

std::vector<Garbage> all_garbage(const fs::path& folder) {
    std::string binary(100'000, '\0');
    for (std::size_t i = 0; i < binary.size(); ++i) binary[i] = static_cast<char>(i * 7919 >> 3);
    fs::create_directory(folder / "empty");
    fs::create_directory(folder / "texts");
    write_file(folder / "texts/notes.txt", "nothing here");
    make_pipe(folder / "texts/rank0.json");
    fs::create_directory(folder / "folder.lockstep");
    const fs::path unreadable_name = folder / "esc\x1b]0;x\a\xFF\xFE\xC2\x9B.json";
    return {
        {"a path that is not there", {folder / "nowhere"}, "nowhere"},
        {"an empty path", {fs::path()}, ""},
        {"an empty folder", {folder / "empty"}, "empty"},
        {"a folder without traces", {folder / "texts"}, "texts"},
        {"an empty file", {write_file(folder / "nothing.json", "")}, "nothing.json"},
        {"a binary file", {write_file(folder / "binary.json", binary)}, "binary.json"},
        {"a file that begins like gzip",
         {write_file(folder / "gzip.json.gz", "\x1f\x8b\x08" + binary)},
         "gzip.json.gz"},
        {"brackets", {write_file(folder / "deep.json", std::string(200'000, '['))}, "deep.json"},
        {"a pipe", {make_pipe(folder / "pipe.json")}, "pipe.json"},
        {"a socket", {make_socket(folder / "socket.json")}, "socket.json"},
        {"a device", {make_link(folder / "zero.json", "/dev/zero")}, "zero.json"},
        {"a link to itself", {make_link(folder / "loop.json", folder / "loop.json")}, "loop.json"},
        {"a session that is none", {write_file(folder / "binary.lockstep", binary)}, "binary.lockstep"},
        {"a pipe named like a session", {make_pipe(folder / "pipe.lockstep")}, "pipe.lockstep"},
        {"a device named like a session", {make_link(folder / "zero.lockstep", "/dev/zero")}, "zero.lockstep"},
        {"a folder named like a session", {folder / "folder.lockstep"}, "folder.lockstep"},
        {"a name that is not text", {write_file(unreadable_name, binary)}, ".json"},
        {"a name of 250 letters", {write_file(folder / std::string(250, 'n'), binary)}, "nnnn"},
        {"thousands of paths that are not there", thousands(folder / "absent", false), "absent"},
        {"thousands of files that are none", thousands(folder / "present", true), "p0.json"},
    };
}

// The message in the window is readable.
std::string said_by(ui::Driver& driver) {
    std::string said = driver.window().notice().is_error ? driver.window().notice().words : std::string();
    for (const core::Side side : core::kSides)
        if (const core::RunLoad* load = driver.session().load(side)) said += " " + load->error();
    return said;
}

void drop(ui::Driver& driver, const Paths& paths) {
    driver.window().post(ui::DropPaths{paths});
    did(driver.wait_idle(std::chrono::seconds(60)));
}

void check_describable(ui::Driver& driver) {
    const std::string state = driver.state(true).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
    CHECK(state.size() > 2);
}

}  // namespace

TEST_CASE_FIXTURE(DrivenWindow, "garbage dropped onto an empty window is named in an error, and nothing hangs") {
    const core::testing::TempFolder folder;
    for (const Garbage& garbage : all_garbage(folder.path())) {
        INFO(garbage.what);
        drop(*driver, garbage.paths);
        const std::string said = said_by(*driver);
        INFO(said);
        CHECK_FALSE(driver->session().run());
        CHECK(said.size() > 10);
        CHECK(said.size() < 20'000);
        CHECK(said.find(garbage.named) != std::string::npos);
        check_describable(*driver);
        driver->window().post(ui::CloseNotice{});
    }
    drop(*driver, {sample_folder()});
    REQUIRE(driver->session().run());  // and then a run opens
    CHECK(driver->session().run()->ranks().size() == 8);
}

TEST_CASE_FIXTURE(ui::testing::SampleWindow,
                  "garbage compared with an open run, or opened instead, leaves a way back") {
    const core::testing::TempFolder folder;
    for (const Garbage& garbage : all_garbage(folder.path())) {
        const bool is_session = garbage.paths.front().extension() == ".lockstep";
        for (const char* const button : {"drop/compare", "drop/replace", "drop/cancel"}) {
            INFO(garbage.what << ", " << button);
            drop(*driver, garbage.paths);
            if (!is_session) did(driver->click(ui::Target(std::string(button))));
            did(driver->wait_idle(std::chrono::seconds(60)));
            const bool opens = is_session || std::string_view(button) != "drop/cancel";
            const std::string said = said_by(*driver);
            INFO(said);
            if (opens) CHECK(said.find(garbage.named) != std::string::npos);
            check_describable(*driver);
            driver->window().post(ui::CloseNotice{});
            driver->window().post(ui::CloseRun{core::Side::Candidate});
            if (!driver->session().run()) driver->window().post(ui::Undo{});
            did(driver->wait_idle());
            if (!driver->session().run()) open(sample_folder());
            REQUIRE(driver->session().run());
            CHECK(driver->session().run()->ranks().size() == 8);
        }
    }
}
