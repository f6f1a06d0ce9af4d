#pragma once
// The kernels one may choose from, those that take longest first, found by a part of their names. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/diff/align/side.hpp"
#include "ui/model/deferred.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

// Whole names from answers of `kernels`, each once, by their time in all of them. The text is looked for whatever its
// case; at most so many.
std::vector<std::string> find_kernels(std::span<const core::Table* const> kernels, std::string_view text,
                                      std::size_t most);

class KernelChoice {
public:
    static constexpr std::size_t kMost = 50;
    // From the answers that are there; the last names stay until those of this question are found. Main thread.
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
