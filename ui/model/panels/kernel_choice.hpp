#pragma once
// Kernels to choose from, longest total first, searched by part of their names. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/diff/align/side.hpp"
#include "ui/model/deferred.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

// Distinct full names from answers of `kernels`, sorted by their time in all of them. The search ignores case; at most
// that many.
std::vector<std::string> find_kernels(std::span<const core::Table* const> kernels, std::string_view text,
                                      std::size_t most);

class KernelChoice {
public:
    static constexpr std::size_t kMost = 50;
    // Searches the answers; the previous names stay until the new ones are found. Main thread.
    const std::vector<std::string>& ask(core::JobPool&, const core::BySide<core::AnswerPtr>& kernels,
                                        const std::string& text);
    bool busy() const { return found_.busy(); }

private:
    struct Key {
        core::BySide<core::AnswerPtr> kernels;
        std::string text;
        bool operator==(const Key&) const = default;
    };
    Deferred<Key, std::vector<std::string>> found_;
    std::shared_ptr<const std::vector<std::string>> shown_;
};

}  // namespace ui
