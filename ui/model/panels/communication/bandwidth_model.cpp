#include "ui/model/panels/communication/bandwidth_model.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct BandwidthColumns {
    explicit BandwidthColumns(const core::Table& table)
        : group(table.find_column("group")),
          operation(table.find_column("operation")),
          bytes(table.find_column("bytes")),
          count(table.find_column("count")),
          transfer(table.find_column("transfer")),
          bus(table.find_column("busbw")),
          concurrent(table.find_column("concurrent")) {}
    std::size_t group, operation, bytes, count, transfer, bus, concurrent;
};

BandwidthSeries& series_of(BandwidthModel& model, std::string_view group, std::string_view operation) {
    const auto it = std::ranges::find_if(
        model.series, [&](const BandwidthSeries& one) { return one.group == group && one.operation == operation; });
    if (it != model.series.end()) return *it;
    model.series.push_back({std::string(group), std::string(operation), {}, {}, {}});
    return model.series.back();
}

void add_points(const core::Table& table, BandwidthModel& model) {
    const BandwidthColumns at(table);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at.bus) || !(table.number(row, at.bus) > 0) || !(table.number(row, at.bytes) > 0)) {
            ++model.unknown;
            continue;
        }
        BandwidthPoint point{.bytes = table.number(row, at.bytes),
                             .bus = table.number(row, at.bus),
                             .transfer = table.number(row, at.transfer),
                             .count = table.integer(row, at.count),
                             .concurrent = table.absent(row, at.concurrent) ? 0 : table.number(row, at.concurrent),
                             .row = row};
        series_of(model, table.text(row, at.group), table.text(row, at.operation)).points.push_back(point);
    }
    for (BandwidthSeries& one : model.series) std::ranges::sort(one.points, {}, &BandwidthPoint::bytes);
}

void add_lines(const core::Table& table, BandwidthModel& model) {
    const std::size_t group = table.find_column("group"), operation = table.find_column("operation");
    const std::size_t alpha = table.find_column("alpha"), bandwidth = table.find_column("bandwidth");
    const std::size_t link = table.find_column("link"), verdict = table.find_column("verdict");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (BandwidthSeries& one : model.series) {
            if (one.group != table.text(row, group) || one.operation != table.text(row, operation)) continue;
            if (!table.absent(row, verdict)) one.verdict = std::string(table.text(row, verdict));
            if (table.absent(row, alpha) || table.absent(row, bandwidth) || table.absent(row, link)) continue;
            if (!(table.number(row, bandwidth) > 0)) continue;
            one.line = BandwidthLine{.alpha = table.number(row, alpha),
                                     .bandwidth = table.number(row, bandwidth),
                                     .link = table.number(row, link),
                                     .poor = one.verdict == "poor"};
        }
    }
}

void add_slow(const core::Table& table, BandwidthModel& model) {
    const std::size_t bytes = table.find_column("bytes"), bus = table.find_column("busbw");
    const std::size_t transfer = table.find_column("transfer"), expected = table.find_column("expected");
    const std::size_t pattern = table.find_column("pattern");
    if (std::max({bytes, bus, transfer, expected, pattern}) >= table.columns().size()) return;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, bus) || !(table.number(row, bus) > 0) || !(table.number(row, bytes) > 0)) continue;
        model.slow.push_back({.bytes = table.number(row, bytes),
                              .bus = table.number(row, bus),
                              .transfer = table.number(row, transfer),
                              .expected = table.number(row, expected),
                              .pattern = std::string(table.text(row, pattern)),
                              .row = row});
    }
}

void find_ends(BandwidthModel& model) {
    const auto add = [](double value, double& least, double& most) {
        if (!(value > 0) || !std::isfinite(value)) return;
        least = least == 0 ? value : std::min(least, value);
        most = std::max(most, value);
    };
    for (const SlowPoint& point : model.slow) {
        add(point.bytes, model.least_bytes, model.most_bytes);
        add(point.bus, model.least_bus, model.most_bus);
    }
    for (const BandwidthSeries& one : model.series) {
        for (const BandwidthPoint& point : one.points) {
            add(point.bytes, model.least_bytes, model.most_bytes);
            add(point.bus, model.least_bus, model.most_bus);
            if (one.line) add(one.line->bus_of(point.bytes), model.least_bus, model.most_bus);
        }
    }
}

}  // namespace

BandwidthModel BandwidthModel::of(const core::Table& bandwidth, const core::Table& link_model,
                                  const core::Table& outliers) {
    BandwidthModel model;
    add_points(bandwidth, model);
    add_lines(link_model, model);
    add_slow(outliers, model);
    find_ends(model);
    return model;
}

}  // namespace ui
