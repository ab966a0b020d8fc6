// A walker in Unreal: a component whose actor follows the root; Body() gives the others. Put walker.c and walker.h
// (footfall export walk-3d --out walker.c --with-physics) into the module's Private folder.
#pragma once

#include "Components/SceneComponent.h"
#include "CoreMinimal.h"

extern "C" {
#include "walker.h"
}

#include "FootfallWalkerComponent.generated.h"

UCLASS(ClassGroup = (Custom), meta = (BlueprintSpawnableComponent))
class UFootfallWalkerComponent : public USceneComponent {
  GENERATED_BODY()

public:
  UFootfallWalkerComponent();
  virtual void BeginPlay() override;
  virtual void TickComponent(float DeltaTime, ELevelTick TickType, FActorComponentTickFunction* Tick) override;

  UFUNCTION(BlueprintCallable)
  FTransform Body(int32 Index);
  UFUNCTION(BlueprintCallable)
  void Push(FVector Newtons, float Seconds);
  UFUNCTION(BlueprintCallable)
  bool HasFallen() const;

private:
  TUniquePtr<walker_walker> Walker;
  double Owed = 0.0;
};
