#pragma once
// What a program can ask over the protocol: the commands that read, with bounded answers. Paths are confined to the
// roots that were given; runs stay open between calls as long as their files are what they were.

#include "app/mcp/protocol.hpp"
#include "app/options.hpp"

#include <filesystem>
#include <memory>
#include <vector>

namespace app::mcp {

class Tools {
public:
    // roots: existing folders or files.
    Tools(const std::vector<std::filesystem::path>& roots, const Loading& loading);
    ~Tools();
    Tools(const Tools&) = delete;
    Tools& operator=(const Tools&) = delete;
    std::span<const Tool> all() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// For the model that reads it: what to ask first.
std::string_view instructions();

}  // namespace app::mcp
