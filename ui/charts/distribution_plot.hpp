#pragma once
// Several distributions below each other, each a histogram with its median and 99th percentile marked. A click on a bar
// chooses it, a second click clears the choice. Draws finished numbers and returns the click.

#include "ui/model/charts/distribution.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace ui {

struct DistributionChart {
    const Distribution* distribution = nullptr;
    std::string title;  // "Launch delay"
    ImU32 bar = 0;
    std::optional<std::size_t> chosen = {};  // its bin
    std::string_view click = "Click: keep these rows in the table";
};

struct DistributionHit {
    std::size_t chart = 0;
    std::size_t bin = 0;
};

std::optional<DistributionHit> draw_distributions(std::span<const DistributionChart>, ImVec2 size);

}  // namespace ui
