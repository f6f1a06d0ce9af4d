#pragma once
// The tools offered over the protocol: the read-only commands, with bounded answers. Paths are
// confined to the given roots; runs stay open between calls while their files are unchanged.

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

// Instructions for the model that reads them: which questions to ask first.
std::string_view instructions();

}  // namespace app::mcp
