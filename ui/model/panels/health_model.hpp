#pragma once
// Health indicators of a run and its verdict, from the answers of `health` and `verdict`. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/verdict/health.hpp"
#include "core/index/run.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ui {

struct HealthLight {
    std::string id;        // "host"
    std::string title;     // "Host"
    core::Health status = core::Health::Unknown;
    std::string value;     // "12.3 %"; empty if unknown
    std::string of;        // what the value measures
    std::string limit;
    std::string evidence;
    std::string advice;
    std::string analysis;  // analysis with the details
    core::EventRef event;  // invalid: none
    std::string tooltip() const;
};

struct RunVerdict {
    std::string verdict;  // "host-bound"
    std::string second;   // empty: only one rule applies
    std::string evidence;
    std::string advice;
    std::string classic;
    std::string certainty;
    core::EventRef event;
    std::string tooltip() const;
};

struct HealthModel {
    std::vector<HealthLight> lights;
    std::array<std::size_t, 4> counts{};  // by core::Health
    std::optional<RunVerdict> verdict;    // of the whole run

    static HealthModel of(const core::Run&, const core::Answer* health, const core::Answer* verdict);
    std::string summary() const;  // "1 bad, 2 warnings, 6 ok, 5 unknown"
};

}  // namespace ui
