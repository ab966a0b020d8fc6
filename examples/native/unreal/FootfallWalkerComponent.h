// A walker in Unreal: a component whose actor follows the root; Body() gives the others. Not tried in Unreal's editor: put
// these files with walker.c and walker.h into the module's Private folder. FootfallWalker.h does the work.
#pragma once

#include "Components/SceneComponent.h"
#include "CoreMinimal.h"
#include "FootfallWalker.h"

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
  TUniquePtr<FootfallWalker> Walker;
};
