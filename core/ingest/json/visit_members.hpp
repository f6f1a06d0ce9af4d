#pragma once
// Visits the members of one JSON object, without a DOM and without recursion.

#include <functional>
#include <string_view>

namespace core {

// `visit` gets each key without its quotes, and the value as written; false stops. Ends where the text isn't an object.
void visit_json_members(std::string_view object, const std::function<bool(std::string_view, std::string_view)>& visit);

}  // namespace core
