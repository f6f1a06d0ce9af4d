#include "ui/shell/sample_maker.hpp"

#include "core/base/platform/files.hpp"
#include "core/sample/sample_run.hpp"

namespace ui {
namespace {

namespace fs = std::filesystem;

// A sample that is complete is opened again with its index files; truth.json is written last.
core::Result<fs::path> write_sample(const fs::path& folder, const core::JobContext& context) {
    std::error_code error;
    if (fs::exists(folder / "truth.json", error)) return folder;
    const core::Result<core::SampleSummary> written = core::write_sample_run(folder, core::SampleOptions{}, context);
    if (!written) return written.error();
    return folder;
}

}  // namespace

class SampleMaker::TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code error;
        path_ = core::create_private_folder(fs::temp_directory_path(error), "lockstep-sample-");
    }
    ~TemporaryFolder() {
        std::error_code error;
        if (!path_.empty()) fs::remove_all(path_, error);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }  // empty: could not be created

private:
    fs::path path_;
};

void SampleMaker::start(core::JobPool& pool) {
    if (job_) return;
    if (kept_.empty() && !temporary_) temporary_ = std::make_shared<const TemporaryFolder>();
    const auto write = [kept = kept_, temporary = temporary_](const core::JobContext& context) {
        if (!kept.empty()) return write_sample(kept, context);
        if (!temporary->path().empty()) return write_sample(temporary->path() / "sample", context);
        return core::Result<fs::path>(core::Error{core::ErrorCode::Io, "no temporary folder can be created"});
    };
    job_ = core::Job<fs::path>::start(pool, write);
}

std::string SampleMaker::poll(std::vector<Intent>& intents) {
    const core::Result<fs::path>* done = job_ ? job_.poll() : nullptr;
    if (!done) return {};
    std::string problem;
    if (*done)
        intents.emplace_back(OpenPaths{{**done}});
    else
        problem = "The sample could not be written: " + done->error().message;
    job_ = {};
    return problem;
}

}  // namespace ui
