/* $title
 *
 * Written by footfall $version (footfall export). Do not edit: change the controller and export it again.
 * The functions of the law are those that footfall simulates, translated line by line; the lines of their source stand
 * above them as comments. */
#include <math.h>
#include <stdbool.h>
#include "$file.h"

$tables

$law

/* ---- the interface ---- */

void ${name}_init(${name}_state *state) {
  static const double memory[${NAME}_MEMORY] = {$start_memory};
  state->parameters = ${name}_parameters;
  state->time = 0.0;
  for (int i = 0; i < ${NAME}_MEMORY; ++i) state->memory[i] = memory[i];
  state->state = 0;
  state->stance = -1;
$more_init}

void ${name}_soles(const double *qpos, double *position) {
  static const array2 none = {0, 0};
  static vec$nv still;
  vec$nq q;
  vec$coordinates found;
  for (int i = 0; i < ${NAME}_NQ; ++i) q.v[i] = qpos[i];
  soles(&q, &still, none, &found);
  for (int i = 0; i < 3 * ${NAME}_POINTS; ++i) position[i] = found.v[i];
}

void ${name}_step(${name}_state *state, const double *qpos, const double *qvel, const double *foot_contact, double dt,
    double *torque, double *stiffness) {
  static const array2 none = {0, 0};
  const array2 parameters = {state->parameters, ${NAME}_NUMBERS};
  vec$nq q;
  vec$nv v, a;
  vec$coordinates position;
  vec$memory memory;
  Command command = {0};
  int contact = 0;
  for (int i = 0; i < ${NAME}_NQ; ++i) q.v[i] = qpos[i];
  for (int i = 0; i < ${NAME}_NV; ++i) v.v[i] = qvel[i];
  for (int i = 0; i < ${NAME}_NV; ++i) a.v[i] = $acceleration;
  for (int i = 0; i < ${NAME}_MEMORY; ++i) memory.v[i] = state->memory[i];
  soles(&q, &v, none, &position);
  for (int i = 0; i < ${NAME}_POINTS; ++i) {
    if (foot_contact ? foot_contact[i] > 0.0 : position.v[3 * i + 2] <= 0.0) contact |= 1 << i;
  }
  control(&q, &v, &a, &position, contact, state->time, dt, parameters, $library, &memory, &command);
  for (int i = 0; i < ${NAME}_MEMORY; ++i) state->memory[i] = memory.v[i];
  state->time += dt;
  state->state = command.state;
  state->stance = command.stance;
$more_step  for (int i = 0; i < ${NAME}_NU; ++i) {
    torque[i] = command.torque.v[${name}_joint_qvel[i]];
    if (stiffness) stiffness[i] = command.stiffness.v[${name}_joint_qvel[i]];
  }
}

void ${name}_step_motors(${name}_state *state, const double *qpos, const double *qvel, const double *foot_contact,
    double dt, ${name}_motors *motors) {
  double near[${NAME}_NU], far[${NAME}_NU], unused[${NAME}_NU];
  ${name}_state trial = *state;
  ${name}_step(&trial, qpos, qvel, foot_contact, 2.0 * dt, unused, far);
  ${name}_step(state, qpos, qvel, foot_contact, dt, motors->torque, near);
  for (int i = 0; i < ${NAME}_NU; ++i) { /* a servo's stiffness is kd dt + kp dt^2 */
    const double q = qpos[${name}_joint_qpos[i]], rate = qvel[${name}_joint_qvel[i]];
    const bool servo = near[i] > 0.0 && far[i] > 0.0;
    const double kp = servo ? fmax(0.0, (far[i] - 2.0 * near[i]) / (2.0 * dt * dt)) : 0.0;
    const double kd = servo ? near[i] / dt - kp * dt : 0.0;
    const double ahead = motors->torque[i] + (kd + kp * dt) * rate;
    const bool holds = kp * dt > 1e-6 * kd;
    motors->kp[i] = holds ? kp : 0.0;
    motors->kd[i] = kd;
    motors->target[i] = holds ? q + ahead / kp : q;
    motors->torque[i] = holds ? 0.0 : ahead;
  }
}
$original
