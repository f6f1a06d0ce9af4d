#pragma once
// Applies the intents that write files or text, or that need both sides. Between frames, main thread only.

#include "ui/model/intent_value.hpp"
#include "ui/shell/apply_intents.hpp"

namespace ui {

void apply_to_window(const IntentTargets&, const WindowIntent&);

}  // namespace ui
