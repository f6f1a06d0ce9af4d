#pragma once
// Who works on which file, where several processes on several machines share a folder and nothing else. A claim is a
// small file beside the result, made by link(2), which is atomic on NFS as well; no locks. A process that died is told
// by its process number on the same machine, else by a claim that was not renewed for `timeout`, both times by the file
// server's clock. Taking over is safe against the former owner: at worst both do the same work. Any thread.

#include "core/base/result.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace core {

inline constexpr std::string_view kClaimEnding = ".claim";
inline constexpr std::string_view kFailureEnding = ".failed";

class Claims {
public:
    explicit Claims(std::chrono::milliseconds timeout);
    ~Claims();  // gives back what is held
    Claims(const Claims&) = delete;
    Claims& operator=(const Claims&) = delete;

    struct Answer {
        bool mine = false;
        std::string owner{};  // "node7, process 4711", if another has it
        std::optional<std::string> failure{};  // another process tried since this one began, and failed
    };
    // For the result of this name, which need not exist. Fails if the folder cannot be written to.
    Result<Answer> claim(const std::filesystem::path& result);
    // The work is done, or was given up.
    void release(const std::filesystem::path& result);
    // The work failed, and would again: processes that run now take that as the answer, later ones try again.
    void fail(const std::filesystem::path& result, std::string_view why);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace core
