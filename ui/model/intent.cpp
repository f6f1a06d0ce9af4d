#include "ui/model/intent_value.hpp"

#include <utility>

namespace ui {

template <is_intent T>
Intent::Intent(T intent) : value_(std::make_shared<const IntentValue>(IntentValue{HomeOf<T>(std::move(intent))})) {}

template Intent::Intent(SelectEvent);
template Intent::Intent(ShowEvent);
template Intent::Intent(ShowRange);
template Intent::Intent(ShowRun);
template Intent::Intent(ShowStepBeside);
template Intent::Intent(GoToBookmark);
template Intent::Intent(MoveView);
template Intent::Intent(SelectArea);
template Intent::Intent(NoteTopRank);
template Intent::Intent(SetView);
template Intent::Intent(CarryView);
template Intent::Intent(KeepWhole);
template Intent::Intent(MirrorView);
template Intent::Intent(DropSelection);
template Intent::Intent(ChooseKernels);
template Intent::Intent(ListEvents);
template Intent::Intent(CarryListing);
template Intent::Intent(FollowVisible);
template Intent::Intent(FollowNewest);
template Intent::Intent(ShowPanel);
template Intent::Intent(ShowPanelAt);
template Intent::Intent(ShowPanelBeside);
template Intent::Intent(ShowAnalysis);
template Intent::Intent(ShowCommunication);
template Intent::Intent(ToggleDrawer);
template Intent::Intent(ResizeDrawer);
template Intent::Intent(ResizeTree);
template Intent::Intent(ColorEvents);
template Intent::Intent(SetTheme);
template Intent::Intent(SetWheel);
template Intent::Intent(KeepIndexFiles);
template Intent::Intent(PlaceIndexFiles);
template Intent::Intent(ResizeInterface);
template Intent::Intent(SetRanks);
template Intent::Intent(ChangeRanks);
template Intent::Intent(ChangeRows);
template Intent::Intent(MarkUniqueEvents);
template Intent::Intent(ShowGhosts);
template Intent::Intent(ShowPath);
template Intent::Intent(SetWhatIf);
template Intent::Intent(ShowSeries);
template Intent::Intent(PlaceRuns);
template Intent::Intent(LockViews);
template Intent::Intent(OpenFind);
template Intent::Intent(CloseFind);
template Intent::Intent(Dismiss);
template Intent::Intent(SetFindText);
template Intent::Intent(SearchArguments);
template Intent::Intent(SetChoices);
template Intent::Intent(ForgetChoices);

template Intent::Intent(SetFilter);
template Intent::Intent(Undo);
template Intent::Intent(Redo);
template Intent::Intent(OpenPaths);
template Intent::Intent(DropPaths);
template Intent::Intent(CancelLoad);
template Intent::Intent(CloseRun);
template Intent::Intent(SwapRuns);
template Intent::Intent(AlignRuns);
template Intent::Intent(SetClocks);
template Intent::Intent(SetNames);
template Intent::Intent(SetStatistics);
template Intent::Intent(CutGaps);
template Intent::Intent(MarkRange);
template Intent::Intent(SetMarks);
template Intent::Intent(SetBookmark);

template Intent::Intent(RevealEvent);
template Intent::Intent(FindStep);
template Intent::Intent(StopFind);
template Intent::Intent(WalkGaps);
template Intent::Intent(GoToOccurrence);
template Intent::Intent(FocusFilter);
template Intent::Intent(AskForPath);
template Intent::Intent(AskToSave);
template Intent::Intent(OpenPalette);
template Intent::Intent(AskForSettings);
template Intent::Intent(OpenSample);
template Intent::Intent(Quit);

template Intent::Intent(SaveFile);
template Intent::Intent(Say);
template Intent::Intent(CloseNotice);
template Intent::Intent(CopyLink);
template Intent::Intent(CopyTable);
template Intent::Intent(CopyChart);
template Intent::Intent(TakeEscape);
template Intent::Intent(PressKey);
template Intent::Intent(SetDeviceNumber);
template Intent::Intent(SetLimit);
template Intent::Intent(AlignAtStep);
template Intent::Intent(AlignAtSelected);
template Intent::Intent(CompareInside);

}  // namespace ui
