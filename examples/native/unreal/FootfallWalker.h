// A walker in Unreal's axes and units, without Unreal. Put walker.c and walker.h
// (footfall export walk-3d --out walker.c --with-physics) beside it.
#pragma once

#include "walker.h"

struct FootfallWalker {
  walker_walker walker{};  // zeros
  double owed = 0.0;       // seconds that no step has taken yet

  FootfallWalker() { walker_start(&walker, nullptr, 0.0, 0.0, 0.0); }

  // Go on for a picture's time, in whole steps.
  void advance(double seconds) {
    owed += seconds < 0.05 ? seconds : 0.05;
    const int steps = static_cast<int>(owed / walker_dt);
    owed -= steps * walker_dt;
    walker_step(&walker, steps);
  }

  // Unreal has centimetres, x forward, y right and z up, with a left hand: y is mirrored. Turns are x, y, z, w.
  static void in_unreal(const double position[3], const double quaternion[4], double place[3], double turn[4]) {
    place[0] = 100.0 * position[0];
    place[1] = -100.0 * position[1];
    place[2] = 100.0 * position[2];
    turn[0] = -quaternion[1];
    turn[1] = quaternion[2];
    turn[2] = -quaternion[3];
    turn[3] = quaternion[0];
  }

  void body(int index, double place[3], double turn[4]) {
    double position[3], quaternion[4];
    walker_body(&walker, index, position, quaternion);
    in_unreal(position, quaternion, place, turn);
  }

  // Newtons along Unreal's axes, at the torso.
  void push(double x, double y, double z, double seconds) {
    const double force[3] = {x, -y, z};
    walker_push(&walker, -1, force, seconds);
  }

  bool fallen() const { return walker_status(&walker) == 1; }
};
