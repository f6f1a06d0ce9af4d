#pragma once
// Bytes sent between ranks as a grid, source by destination, or contributed by each rank in each
// group. Computed from the answer of communication-matrix. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/charts/heat_scale.hpp"
#include "core/index/run.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ui {

struct MatrixMeasure {
    std::string_view id;
    std::string_view title;
    core::Unit unit;
};
// The last measure is bytes / time of the cell.
inline constexpr std::array<MatrixMeasure, 4> kMatrixMeasures{
    {{.id = "bytes", .title = "Bytes", .unit = core::Unit::Bytes},
     {.id = "time", .title = "Time", .unit = core::Unit::Ns},
     {.id = "messages", .title = "Messages", .unit = core::Unit::Count},
     {.id = "bandwidth", .title = "Bytes per second", .unit = core::Unit::BytesPerSecond}}};

struct MatrixModel {
    std::size_t measure = 0;  // index into kMatrixMeasures
    std::vector<core::RankKey> sources;
    std::vector<std::string> groups;  // if rows are groups instead of sources; columns are then their members
    std::vector<std::string> source_labels;
    std::vector<std::string> destination_labels;  // ascending, "others" last
    std::vector<std::optional<std::int32_t>> destinations;
    std::vector<double> values;  // row after row; NaN: nothing sent
    core::HeatScale scale;
    std::size_t left_out = 0;  // sources that send least, where there are too many to show
    bool empty() const { return source_labels.empty(); }
    static MatrixModel of(const core::Table&, std::size_t measure);
    static MatrixModel of_groups(const core::Table&, std::size_t measure);  // from the table "groups"
};

}  // namespace ui
