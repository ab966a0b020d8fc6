#include "FootfallWalkerComponent.h"

UFootfallWalkerComponent::UFootfallWalkerComponent() { PrimaryComponentTick.bCanEverTick = true; }

void UFootfallWalkerComponent::BeginPlay() {
  Super::BeginPlay();
  Walker = MakeUnique<FootfallWalker>();
}

void UFootfallWalkerComponent::TickComponent(float DeltaTime, ELevelTick TickType, FActorComponentTickFunction* Tick) {
  Super::TickComponent(DeltaTime, TickType, Tick);
  Walker->advance(DeltaTime);
  SetRelativeTransform(Body(0));
}

FTransform UFootfallWalkerComponent::Body(int32 Index) {
  double Place[3] = {}, Turn[4] = {0.0, 0.0, 0.0, 1.0};
  if (Walker) Walker->body(Index, Place, Turn);
  return FTransform(FQuat(Turn[0], Turn[1], Turn[2], Turn[3]), FVector(Place[0], Place[1], Place[2]));
}

void UFootfallWalkerComponent::Push(FVector Newtons, float Seconds) {
  if (Walker) Walker->push(Newtons.X, Newtons.Y, Newtons.Z, Seconds);
}

bool UFootfallWalkerComponent::HasFallen() const { return Walker && Walker->fallen(); }
