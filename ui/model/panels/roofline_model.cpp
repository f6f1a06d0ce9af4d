#include "ui/model/panels/roofline_model.hpp"

#include "core/analysis/efficiency/device_peaks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ui {
namespace {

struct PointSums {
    RooflinePoint point;
    double most_time = -1;  // longest time of a rank so far: that rank's bound is used
    bool all_bytes = true;
};

std::vector<RooflinePoint> sum_rows(const core::Table& table) {
    const auto at = [&](std::string_view name) { return table.find_column(name); };
    const std::size_t time = at("time"), flop = at("flop"), bytes = at("bytes"), loss = at("loss"), floor = at("floor");
    std::map<std::string, PointSums> sums;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double own_time = table.number(row, time);
        if (table.integer(row, at("executed")) == 0 || !(own_time > 0)) continue;
        RooflinePoint key{.name = std::string(table.text(row, at("operator"))),
                          .inputs = std::string(table.text(row, at("inputs"))),
                          .precision = std::string(table.text(row, at("precision"))),
                          .bound = {},
                          .marks = {}};
        PointSums& sum = sums[key.key()];
        RooflinePoint& point = sum.point;
        if (sum.most_time < 0) {
            point = std::move(key);
            point.only_moves = table.absent(row, flop);
            point.bytes = 0;
        }
        point.calls += table.number(row, at("executed"));
        point.time += own_time;
        if (!table.absent(row, flop)) point.flop += table.number(row, flop);
        sum.all_bytes = sum.all_bytes && !table.absent(row, bytes);
        if (!table.absent(row, bytes)) *point.bytes += table.number(row, bytes);
        if (!table.absent(row, loss)) point.loss += table.number(row, loss);
        if (!table.absent(row, floor)) point.floor += table.number(row, floor);
        if (own_time <= sum.most_time) continue;
        sum.most_time = own_time;
        point.bound = std::string(table.text(row, at("bound")));
        point.marks = std::string(table.text(row, at("marks")));
    }
    std::vector<RooflinePoint> points;
    for (auto& [key, sum] : sums) {
        if (!sum.all_bytes) sum.point.bytes.reset();
        points.push_back(std::move(sum.point));
    }
    return points;
}

void add_roofs(const core::Run& run, const std::set<std::string>& precisions, RooflineSide& side) {
    std::set<std::string> seen;
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        if (run.rank(slot).trace().gpu_events.empty()) continue;
        const std::string device = core::device_name_of(run, slot, core::kNoEvent);
        if (!seen.insert(device).second) continue;
        const core::Peaks peaks = core::peaks_of(run, slot, core::kNoEvent);
        if (peaks.empty()) side.unknown_devices.push_back(device.empty() ? "(unnamed device)" : device);
        for (std::size_t p = 0; p < core::kPrecisions; ++p) {
            const std::string name(core::name_of(static_cast<core::Precision>(p)));
            if (peaks.flop_per_s[p] && precisions.contains(name))
                side.roofs.push_back({.device = device,
                                      .precision = name,
                                      .flop_per_s = *peaks.flop_per_s[p],
                                      .bytes_per_s = peaks.bytes_per_s});
        }
    }
}

void extend(double value, double& least, double& most) {
    if (!(value > 0) || !std::isfinite(value)) return;
    least = least == 0 ? value : std::min(least, value);
    most = std::max(most, value);
}

}  // namespace

double Roof::at(double intensity) const {
    return bytes_per_s ? std::min(flop_per_s, intensity * *bytes_per_s) : flop_per_s;
}

RooflineSide RooflineModel::side_of(const core::Run& run, const core::Table& table) {
    RooflineSide side;
    std::vector<RooflinePoint> all = sum_rows(table);
    std::set<std::string> precisions;
    double placed = 0, moving = 0;
    for (const RooflinePoint& point : all) {
        side.time += point.time;
        if (point.has_place()) placed += point.time;
        if (point.has_place()) precisions.insert(point.precision);
        if (point.only_moves) moving += point.time;
    }
    if (side.time > 0) {
        side.left_out = 1 - placed / side.time;
        side.no_flop = moving / side.time;
    }
    std::ranges::stable_sort(all, std::greater{}, &RooflinePoint::loss);
    for (const RooflinePoint& point : all)
        if (side.losses.size() < kMostLosses && point.loss > 0) side.losses.push_back(point);
    std::ranges::stable_sort(all, std::greater{}, &RooflinePoint::time);
    for (RooflinePoint& point : all)
        if (side.points.size() < kMostRooflinePoints && point.has_place()) side.points.push_back(std::move(point));
    add_roofs(run, precisions, side);
    return side;
}

RooflineModel RooflineModel::of(core::BySide<std::optional<RooflineSide>> sides) {
    RooflineModel model;
    model.sides = std::move(sides);
    for (const core::Side which : core::kSides) {
        if (!model.sides[which]) continue;
        for (const RooflinePoint& point : model.sides[which]->points) {
            extend(point.intensity(), model.least_x, model.most_x);
            extend(point.rate(), model.least_y, model.most_y);
        }
        for (const Roof& roof : model.sides[which]->roofs) {
            extend(roof.flop_per_s, model.least_y, model.most_y);
            if (roof.bytes_per_s) extend(roof.flop_per_s / *roof.bytes_per_s, model.least_x, model.most_x);
        }
    }
    if (!model.sides.baseline || !model.sides.candidate) return model;
    std::map<std::string, std::size_t> candidates;
    const std::vector<RooflinePoint>& to = model.sides.candidate->points;
    for (std::size_t i = 0; i < to.size(); ++i) candidates[to[i].key()] = i;
    const std::vector<RooflinePoint>& from = model.sides.baseline->points;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (const auto found = candidates.find(from[i].key()); found != candidates.end())
            model.arrows.push_back({i, found->second});
    return model;
}

}  // namespace ui
