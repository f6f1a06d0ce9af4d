// Panels, diagnostics and analyses differ by members of their rows, not by ids in the code that shows them.

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/diagnostics.hpp"
#include "tests/places.hpp"
#include "ui/model/panel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

namespace {

namespace fs = std::filesystem;

struct AllowedId {
    std::string_view file;
    std::string_view id;
};
constexpr AllowedId kAllowed[] = {
    {"app/compare/diff_command.cpp", "temporal-breakdown"},  // the default of an option
    {"app/mcp/tools.cpp", "temporal-breakdown"},            // likewise
    {"ui/model/intents/reducer.cpp", "what-if"},            // its parameters are what the intent is about
};

bool is_id(std::string_view text) {
    return ui::find_panel(text) || core::find_diagnostic_kind(text) || core::find_analysis(text);
}

// Ids in string literals of a line. A word such as "steps" is a column or a key as well, so it counts where it is
// compared; an id with a hyphen counts everywhere.
std::vector<std::string> collect_ids(std::string_view line) {
    std::vector<std::string> ids;
    if (const std::size_t comment = line.find("// "); comment != std::string_view::npos) line = line.substr(0, comment);
    std::size_t at = 0;
    while ((at = line.find('"', at)) != std::string_view::npos) {
        const std::size_t end = line.find('"', at + 1);
        if (end == std::string_view::npos) break;
        const std::string_view text = line.substr(at + 1, end - at - 1);
        const std::string_view before = line.substr(0, at);
        const std::string_view after = line.substr(end + 1);
        const bool compared =
            before.ends_with("== ") || before.ends_with("!= ") || after.starts_with(" ==") || after.starts_with(" !=");
        if ((compared || text.find('-') != std::string_view::npos) && is_id(text)) ids.emplace_back(text);
        at = end + 1;
    }
    return ids;
}

}  // namespace

TEST_CASE("ids in code are found where they decide something") {
    using Ids = std::vector<std::string>;
    CHECK(collect_ids(R"(    if (panel.id == "sql") open();)") == Ids{"sql"});
    CHECK(collect_ids(R"(    if ("steps" != id) open();)") == Ids{"steps"});
    CHECK(collect_ids(R"(    kIds[] = {"kernel-durations", "file-truncated", "temporal-breakdown"};)") ==
          Ids{"kernel-durations", "file-truncated", "temporal-breakdown"});
    CHECK(collect_ids(R"(    one["steps"] = count;  // "sql" == id)") == Ids{});
    CHECK(collect_ids(R"(    if (id == "no-such-id") open();)") == Ids{});
}

TEST_CASE("the shell, the intents and the commands name no panel, diagnostic or analysis") {
    const fs::path root = core::testing::source_folder();
    std::size_t files = 0;
    std::vector<bool> used(std::size(kAllowed));
    for (const char* const folder : {"ui/shell", "ui/model/intents", "app"}) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string file = fs::relative(entry.path(), root).generic_string();
            if (!file.ends_with(".cpp") && !file.ends_with(".hpp")) continue;
            ++files;
            INFO(file);
            std::ifstream in(entry.path());
            for (std::string line; std::getline(in, line);) {
                INFO(line);
                for (const std::string& id : collect_ids(line)) {
                    const auto* const allowed = std::ranges::find_if(
                        kAllowed, [&](const AllowedId& one) { return one.file == file && one.id == id; });
                    const bool is_allowed = allowed != std::end(kAllowed);
                    if (is_allowed) used[static_cast<std::size_t>(allowed - kAllowed)] = true;
                    CHECK_MESSAGE(is_allowed, id << ": ask a member of its row instead");
                }
            }
        }
    }
    CHECK(files > 50);
    for (std::size_t i = 0; i < used.size(); ++i)
        CHECK_MESSAGE(used[i], kAllowed[i].file << " no longer names " << kAllowed[i].id);
}
