#pragma once
// Expectation of a script about a value of the state: {"at": "/filter", "equals": "rank:0"} with any number of
// equals VALUE · differs VALUE · near NUMBER (with tolerance NUMBER) · at_least NUMBER · at_most NUMBER
// contains VALUE (part of a text, element of an array, key of an object) · matches EXPRESSION · exists true|false
// All must hold. "at" is a JSON pointer; the error shows the actual value, or the nearest one if it is missing.

#include "core/base/result.hpp"

#include <nlohmann/json_fwd.hpp>

namespace ui {

core::Result<bool> match_state(const nlohmann::json& state, const nlohmann::json& expected);

}  // namespace ui
