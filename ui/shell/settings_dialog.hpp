#pragma once
// The settings: theme, size, wheel, index files, and where keys, peaks and links are set. Every change applies at once
// and is kept from one start to the next. Main thread only.

#include "ui/model/panel.hpp"

namespace ui {

class SettingsDialog {
public:
    // ask: it is to open now.
    static void draw(Frame&, bool ask);
};

}  // namespace ui
