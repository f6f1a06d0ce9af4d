#pragma once
// Text whose letters are all equally wide, at scale 1.

#include "core/charts/chart_shapes.hpp"

namespace core::testing {

class PlainMetrics : public TextMetrics {
public:
    float width(ChartFace, std::string_view text) const override { return 7 * static_cast<float>(text.size()); }
    float height(ChartFace) const override { return 13; }
    float length(float at_scale_one) const override { return at_scale_one; }
    std::string fit(ChartFace, std::string_view text, float room) const override {
        return std::string(text.substr(0, static_cast<std::size_t>(room / 7)));
    }
};

}  // namespace core::testing
