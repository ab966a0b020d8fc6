
/* ---- the same in the coordinates of $source_file ----
 *
 * A joint's coordinate there is sign * footfall's + offset. States are MuJoCo's qpos and qvel of that file. */
enum {
  ${NAME}_ORIGINAL_NQ = $original_nq,
  ${NAME}_ORIGINAL_NV = $original_nv
};
extern const char *const ${name}_original_joint_names[${NAME}_NU];
extern const double ${name}_original_sign[${NAME}_NU];
extern const double ${name}_original_offset[${NAME}_NU];
extern const double ${name}_original_start_qpos[${NAME}_ORIGINAL_NQ];
extern const double ${name}_original_start_qvel[${NAME}_ORIGINAL_NV];

/* States of the file as footfall's: qpos [ORIGINAL_NQ] and qvel [ORIGINAL_NV] to ours_qpos [NQ] and ours_qvel [NV]. */
void ${name}_from_original(const double *qpos, const double *qvel, double *ours_qpos, double *ours_qvel);

/* As ${name}_step, ${name}_step_motors and ${name}_soles, from the file's qpos [ORIGINAL_NQ] and qvel [ORIGINAL_NV] to
 * torques in the file's joints, in the order of ${name}_original_joint_names. */
void ${name}_original_step(${name}_state *state, const double *qpos, const double *qvel, const double *foot_contact,
    double dt, double *torque, double *stiffness);
void ${name}_original_step_motors(${name}_state *state, const double *qpos, const double *qvel,
    const double *foot_contact, double dt, ${name}_motors *motors);
void ${name}_original_soles(const double *qpos, double *position);
