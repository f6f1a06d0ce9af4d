#pragma once
// What a program can ask over the protocol: the commands that read, with bounded answers. Paths are confined to the
// roots that were given; runs stay open between calls as long as their files are what they were.

#include "app/mcp/protocol.hpp"
#include "app/options.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace app::mcp {

class Tools {
public:
    // roots: existing folders or files. option_words: the command line's words for `loading`.
    Tools(const std::vector<std::filesystem::path>& roots, const Loading& loading,
          std::vector<std::string> option_words);
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
