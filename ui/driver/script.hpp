#pragma once
// Scripts: a JSON array of steps, one verb each; read_script.hpp and HACKING.md list them.
// [{"open": "run"}, {"click": "top/filter"}, {"type": "rank:0"}, {"key": "enter"},
// {"expect": {"at": "/filter", "equals": "rank:0"}}, {"shot": "a.png"}]
// The whole script is checked before its first step runs. Steps that inspect (expect, shot, compare, state)
// first wait until nothing moves. Errors begin with the step: "step 3 (click): no item …".

#include "ui/driver/driver.hpp"
#include "ui/driver/read_script.hpp"

#include <functional>
#include <string>

namespace ui {

struct ScriptOptions {
    std::filesystem::path folder;  // base of the script's relative paths; empty: the current folder
    bool record = false;  // compare writes the expected pictures instead
    std::function<void(const std::string&)> say;  // reports skipped steps; may be empty
};

core::Result<bool> run_script(Driver&, const nlohmann::json& steps, const ScriptOptions& = {});

}  // namespace ui
