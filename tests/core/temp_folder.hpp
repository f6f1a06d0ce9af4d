#pragma once
// A folder for one test, removed afterwards.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace core::testing {

class TempFolder {
public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace core::testing
