#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

extern const Analysis kStragglers;
extern const Analysis kStragglerCauses;
extern const Analysis kWaitByStep;
extern const Analysis kExposedCommunication;
extern const Analysis kCollectives;
extern const Analysis kWaits;
extern const Analysis kMatching;
extern const Analysis kClockAlignment;
extern const Analysis kBandwidth;
extern const Analysis kNccl;
extern const Analysis kLinkModel;
extern const Analysis kLinkPredictions;
extern const Analysis kCollectiveOutliers;
extern const Analysis kCommunicationMatrix;

}  // namespace core
