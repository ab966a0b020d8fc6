
/* ---- the same in the coordinates of $source_file ---- */

$original_tables

$quaternion_text
void ${name}_from_original(const double *qpos, const double *qvel, double *ours_qpos, double *ours_qvel) {
  double r[18]; /* footfall's root: rotation by rows, place, velocity, angular velocity */
  $root
  $root_out
  $joints_out
}

void ${name}_original_step(${name}_state *state, const double *qpos, const double *qvel, const double *foot_contact,
    double dt, double *torque, double *stiffness) {
  double ours_qpos[${NAME}_NQ], ours_qvel[${NAME}_NV];
  ${name}_from_original(qpos, qvel, ours_qpos, ours_qvel);
  ${name}_step(state, ours_qpos, ours_qvel, foot_contact, dt, torque, stiffness);
  for (int i = 0; i < ${NAME}_NU; ++i) torque[i] *= ${name}_original_sign[i];
}

void ${name}_original_step_motors(${name}_state *state, const double *qpos, const double *qvel,
    const double *foot_contact, double dt, ${name}_motors *motors) {
  double ours_qpos[${NAME}_NQ], ours_qvel[${NAME}_NV];
  ${name}_from_original(qpos, qvel, ours_qpos, ours_qvel);
  ${name}_step_motors(state, ours_qpos, ours_qvel, foot_contact, dt, motors);
  for (int i = 0; i < ${NAME}_NU; ++i) {
    motors->torque[i] *= ${name}_original_sign[i];
    motors->target[i] = ${name}_original_sign[i] * motors->target[i] + ${name}_original_offset[i];
  }
}

void ${name}_original_soles(const double *qpos, double *position) {
  static const double still[${NAME}_ORIGINAL_NV];
  double ours_qpos[${NAME}_NQ], ours_qvel[${NAME}_NV], found[3 * ${NAME}_POINTS];
  ${name}_from_original(qpos, still, ours_qpos, ours_qvel);
  ${name}_soles(ours_qpos, found);
  for (const double *at = found; at < found + 3 * ${NAME}_POINTS; at += 3, position += 3) {
    $soles_out
  }
}
