#pragma once
// Rows of a FlameTree: name, total as a bar that contains its own part, share, self, calls. A click on a row opens or
// closes it. Draws finished numbers.

#include "ui/model/panels/flame_tree_model.hpp"

#include <imgui.h>

namespace ui {

void draw_flame_tree(FlameTree&, ImVec2 size);

}  // namespace ui
