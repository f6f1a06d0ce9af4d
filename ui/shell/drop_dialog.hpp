#pragma once
// Something was dropped while a run is open: is it to be compared with that run, or to be opened instead?

#include "ui/model/panel.hpp"

#include <filesystem>
#include <vector>

namespace ui {

class DropDialog {
public:
    // dropped: not empty when it is to ask now.
    void draw(Frame&, std::vector<std::filesystem::path> dropped);

private:
    std::vector<std::filesystem::path> paths_;
};

}  // namespace ui
