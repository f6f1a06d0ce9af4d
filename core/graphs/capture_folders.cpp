#include "core/graphs/capture_folders.hpp"

#include <utility>

namespace core {
namespace {

std::vector<std::filesystem::path>& known_folders() {
    static std::vector<std::filesystem::path> folders;
    return folders;
}

}  // namespace

void set_capture_folders(std::vector<std::filesystem::path> folders) { known_folders() = std::move(folders); }

std::span<const std::filesystem::path> capture_folders() { return known_folders(); }

}  // namespace core
