#include "FootfallWalkerComponent.h"

UFootfallWalkerComponent::UFootfallWalkerComponent() { PrimaryComponentTick.bCanEverTick = true; }

void UFootfallWalkerComponent::BeginPlay() {
  Super::BeginPlay();
  Walker = MakeUnique<walker_walker>();  // filled with zeros
  walker_start(Walker.Get(), nullptr, 0.0, 0.0, 0.0);
}

void UFootfallWalkerComponent::TickComponent(float DeltaTime, ELevelTick TickType, FActorComponentTickFunction* Tick) {
  Super::TickComponent(DeltaTime, TickType, Tick);
  Owed += FMath::Min(DeltaTime, 0.05f);
  const int32 Steps = FMath::FloorToInt(Owed / walker_dt);
  Owed -= Steps * walker_dt;
  walker_step(Walker.Get(), Steps);
  SetRelativeTransform(Body(0));
}

// Unreal has centimetres, x forward, y right and z up, with a left hand: y is mirrored.
FTransform UFootfallWalkerComponent::Body(int32 Index) {
  double P[3], Q[4];
  walker_body(Walker.Get(), Index, P, Q);
  return FTransform(FQuat(-Q[1], Q[2], -Q[3], Q[0]), FVector(100.0 * P[0], -100.0 * P[1], 100.0 * P[2]));
}

void UFootfallWalkerComponent::Push(FVector Newtons, float Seconds) {
  const double Force[3] = {Newtons.X, -Newtons.Y, Newtons.Z};
  walker_push(Walker.Get(), -1, Force, Seconds);
}

bool UFootfallWalkerComponent::HasFallen() const { return walker_status(Walker.Get()) == 1; }
