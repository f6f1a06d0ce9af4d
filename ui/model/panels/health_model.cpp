#include "ui/model/panels/health_model.hpp"

#include "core/base/format.hpp"
#include "core/session/paged_run.hpp"

#include <algorithm>

namespace ui {
namespace {

// The event of a row with the columns rank and event.
core::EventRef read_event(const core::Run& run, const core::Table& table, std::size_t row) {
    const std::size_t rank = table.find_column("rank"), event = table.find_column("event");
    if (table.absent(row, rank) || table.absent(row, event)) return {};
    return core::find_told_event(run, core::RankKey::unpacked(table.integer(row, rank)), table.integer(row, event));
}

HealthLight read_light(const core::Run& run, const core::Table& table, std::size_t row) {
    const auto text = [&](std::string_view column) { return std::string(table.text(row, table.find_column(column))); };
    HealthLight light;
    light.id = text("check");
    const core::HealthCheck* const check = core::find_health_check(light.id);
    light.title = check ? std::string(check->title) : light.id;
    light.status = core::parse_health(text("status"));
    const std::size_t value = table.find_column("value");
    if (!table.absent(row, value)) light.value = core::format_ratio(table.number(row, value));
    light.of = text("of");
    light.limit = text("limit");
    light.evidence = text("evidence");
    light.advice = text("advice");
    light.analysis = text("see");
    light.event = read_event(run, table, row);
    return light;
}

}  // namespace

std::string HealthLight::tooltip() const {
    std::string words = title + ": " + std::string(core::name_of(status)) + (value.empty() ? "" : ", " + value) + "\n";
    words += of + "; " + limit + "\n" + evidence;
    if (status == core::Health::Warn || status == core::Health::Bad) words += "\n" + advice;
    return words +
           (event.valid() ? "\nClick: show the evidence. Shift+click: the analysis " : "\nClick: the analysis ") +
           analysis;
}

std::string RunVerdict::tooltip() const {
    return "Whole run, first GPU event to last, median rank; the analysis verdict has every step.\n" + evidence + "\n" +
           advice + "\n" + (second.empty() ? "No other rule applies" : "Next rule that applies: " + second) +
           ". Ignoring idle time: " + classic + ". Certainty: " + certainty + "." +
           (event.valid() ? "\nClick: show the evidence. Shift+click: the analysis verdict"
                          : "\nClick: the analysis verdict");
}

HealthModel HealthModel::of(const core::Run& run, const core::Answer* health, const core::Answer* verdict) {
    HealthModel model;
    for (std::size_t row = 0; health && row < health->main().rows(); ++row) {
        model.lights.push_back(read_light(run, health->main(), row));
        ++model.counts[static_cast<std::size_t>(model.lights.back().status)];
    }
    if (!verdict || verdict->main().rows() == 0 || verdict->main().integer(0, 0) >= 0) return model;
    const core::Table& table = verdict->main();
    const auto text = [&](std::string_view column) { return std::string(table.text(0, table.find_column(column))); };
    model.verdict = RunVerdict{.verdict = text("verdict"),
                               .second = text("second"),
                               .evidence = text("evidence"),
                               .advice = text("advice"),
                               .classic = text("classic"),
                               .certainty = text("certainty"),
                               .event = read_event(run, table, 0)};
    return model;
}

std::string HealthModel::summary() const {
    std::string words;
    const auto add = [&](core::Health health, std::string_view one, std::string_view many) {
        const std::size_t count = counts[static_cast<std::size_t>(health)];
        if (count > 0) words += (words.empty() ? "" : ", ") + core::format_plural(count, one, many);
    };
    add(core::Health::Bad, "bad", "bad");
    add(core::Health::Warn, "warning", "warnings");
    add(core::Health::Ok, "ok", "ok");
    add(core::Health::Unknown, "unknown", "unknown");
    return words;
}

}  // namespace ui
