#pragma once
// Writes the bundled sample run on the pool and opens it, for users without a trace at hand. Main thread only.

#include "core/base/jobs.hpp"
#include "ui/model/intent.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ui {

class SampleMaker {
public:
    // Folder that keeps the sample between starts; unset: a temporary one, which is removed at the end.
    void set_folder(std::filesystem::path folder) { kept_ = std::move(folder); }
    // Ignored while one is being written.
    void start(core::JobPool&);
    // Once per frame: opens the run when it is complete. Returns what went wrong, or an empty text.
    std::string poll(std::vector<Intent>& intents);
    bool busy() const { return static_cast<bool>(job_); }

private:
    class TemporaryFolder;
    std::filesystem::path kept_;
    std::shared_ptr<const TemporaryFolder> temporary_;  // made by start; the work under way owns it, too
    core::Job<std::filesystem::path> job_;
};

}  // namespace ui
