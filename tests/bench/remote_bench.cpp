// Cost of opening a run on another machine, as JSON: bytes through the pipe and time until the window has drawn its
// first frame with the run; bytes until nothing more arrives, because visible ranks are loaded whole if a pixel is
// shorter than the summary's resolution; then bytes of one rank's index file. The other machine is this one:
// LOCKSTEP_SSH is a script that starts the server and counts its output.
//
// Usage: bench_remote_bench LOCKSTEP RUN, a folder with index files (lockstep index RUN).

#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/remote/remote_run.hpp"
#include "core/ingest/remote/ssh_line.hpp"
#include "tests/core/temp_folder.hpp"
#include "ui/driver/driver.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::puts("usage: bench_remote_bench LOCKSTEP RUN") < 0 ? 1 : 2;
    const fs::path program = fs::absolute(argv[1]), run = fs::canonical(argv[2]);
    const core::testing::TempFolder folder;
    const fs::path script = folder.path() / "ssh", counted = folder.path() / "bytes";
    std::ofstream(script) << "#!/bin/sh\nshift 2; " << quoted(program) << " \"$@\" | tee " << quoted(counted) << "\n";
    fs::permissions(script, fs::perms::owner_all);
    ::setenv("LOCKSTEP_SSH", script.c_str(), 1);
    const core::RemotePath remote{"host", run.string()};

    const Clock::time_point begin = Clock::now();
    core::Result<std::unique_ptr<ui::Driver>> driver = ui::Driver::open({.width = 1920, .height = 1080});
    if (!driver) return std::fprintf(stderr, "%s\n", driver.error().message.c_str()), 1;
    const double window = seconds_since(begin);
    (*driver)->window().post(ui::OpenPaths{{remote.host + ":" + remote.path}, core::Side::Baseline});
    const core::Session& session = (*driver)->session();
    while (!session.run() && (!session.load() || !session.load()->finished())) {
        (*driver)->frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    (*driver)->frame();
    const core::RunPtr opened = session.run();
    if (!opened) return std::fprintf(stderr, "%s\n", session.load()->error().c_str()), 1;
    const double shown = seconds_since(begin) - window;
    const std::uint64_t sent = fs::file_size(counted);
    if (const core::Result<bool> idle = (*driver)->wait_idle(); !idle)
        return std::fprintf(stderr, "%s\n", idle.error().message.c_str()), 1;
    const std::uint64_t sent_in_all = fs::file_size(counted);

    core::LoadProgress progress;
    core::Result<core::RemoteRun> again = core::open_remote_run(remote, progress, {});
    if (!again) return std::fprintf(stderr, "%s\n", again.error().message.c_str()), 1;
    const std::uint64_t before = again->connection->bytes_received();
    const Clock::time_point asked = Clock::now();
    const core::Result<fs::path> page = again->pages->fetch(opened->rank(0), {});
    if (!page) return std::fprintf(stderr, "%s\n", page.error().message.c_str()), 1;
    const double fetched = seconds_since(asked);
    std::printf(
        "{\"ranks\": %zu, \"bytes_to_first_frame\": %llu, \"seconds_to_first_frame\": %.2f,\n"
        " \"bytes_until_idle\": %llu,\n"
        " \"index_file_bytes\": %llu, \"bytes_of_one_rank\": %llu, \"seconds_of_one_rank\": %.3f}\n",
        opened->ranks().size(), static_cast<unsigned long long>(sent), shown,
        static_cast<unsigned long long>(sent_in_all), static_cast<unsigned long long>(fs::file_size(*page)),
        static_cast<unsigned long long>(again->connection->bytes_received() - before), fetched);
    return 0;
}
