#include "app/nsys_export.hpp"

#include "core/base/platform/child_process.hpp"
#include "core/base/utf8.hpp"
#include "core/ingest/load/discover.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace app {
namespace {

namespace fs = std::filesystem;

bool is_report(const fs::path& path) { return path.extension() == ".nsys-rep"; }

fs::path export_of(const fs::path& report) { return fs::path(report).replace_extension(".sqlite"); }

// Its last words, on one line.
std::string last_words(std::string text) {
    constexpr std::size_t kMost = 300;
    for (char& c : text)
        if (c == '\n' || c == '\r') c = ' ';
    return core::shorten_utf8(text, kMost, " ...");
}

core::Result<bool> export_one(const fs::path& report, const std::stop_token& stop) {
    using namespace std::chrono_literals;
    std::error_code error;
    const std::unique_ptr<core::ChildProgram> nsys = core::ChildProgram::start(
        {"nsys", "export", "-t", "sqlite", "--include-blobs=true", "-o", export_of(report).string(), report.string()},
        error);
    if (!nsys)
        return core::Error{core::ErrorCode::NotFound, report.string() + ": --nsys-export: nsys cannot be started (" +
                                                          error.message() +
                                                          "); install Nsight Systems, or export where it is"};
    std::array<char, 4096> block{};
    while (nsys->read(block, 200ms).got != core::ChildProgram::Got::End)
        if (stop.stop_requested()) return core::cancelled_error();
    nsys->end(10s);
    if (nsys->status() == 0 && fs::exists(export_of(report), error)) return true;
    return core::Error{core::ErrorCode::Io,
                       report.string() + ": --nsys-export: nsys export failed: " + last_words(nsys->errors())};
}

}  // namespace

core::Result<std::vector<fs::path>> export_nsys_reports(std::vector<fs::path> paths,
                                                        const std::function<void(std::string_view)>& say,
                                                        const std::stop_token& stop) {
    std::vector<fs::path> reports;
    for (fs::path& path : paths) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            const core::Result<core::Discovery> found = core::discover_files(std::span(&path, 1));
            if (!found) return found.error();
            for (const fs::path& other : found->others)
                if (is_report(other)) reports.push_back(other);
        } else if (is_report(path)) {
            reports.push_back(path);
            path = export_of(path);
        }
    }
    for (const fs::path& report : reports) {
        std::error_code error;
        if (fs::exists(export_of(report), error)) continue;
        say("nsys exports " + report.string());
        if (core::Result<bool> done = export_one(report, stop); !done) return std::move(done).error();
    }
    return paths;
}

}  // namespace app
