/* $title
 *
 * $about
 * Written by footfall $version (footfall export): plain C99, math.h alone, no memory is allocated.
 *
 * In every control step, $rate:
 *
 *     ${name}_step(&state, qpos, qvel, foot_contact, dt, torque, stiffness);
 *
 * Units: SI and radians; x forward, y to the left, z up.
 */
#ifndef ${NAME}_H
#define ${NAME}_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ${NAME}_NQ = $nq,      /* numbers of qpos */
  ${NAME}_NV = $nv,      /* numbers of qvel */
  ${NAME}_NU = $nu,      /* joints that are driven */
  ${NAME}_POINTS = $points,  /* points of the soles */
  ${NAME}_NUMBERS = $numbers, /* numbers of the controller */
  ${NAME}_MEMORY = $memory   /* numbers that the law remembers */
};

/* qpos: $qpos
 * qvel: $qvel
 * Joints in the order of torque and stiffness, and where each one is in qpos and qvel. */
extern const char *const ${name}_joint_names[${NAME}_NU];
extern const int ${name}_joint_qpos[${NAME}_NU];
extern const int ${name}_joint_qvel[${NAME}_NU];
/* The most that each joint's motor gives, N m; the law stays below it. */
extern const double ${name}_torque_limit[${NAME}_NU];
/* Points of the soles in the order of foot_contact. */
extern const char *const ${name}_point_names[${NAME}_POINTS];
/* Where the controller begins. */
extern const double ${name}_start_qpos[${NAME}_NQ];
extern const double ${name}_start_qvel[${NAME}_NV];
/* The time step that it was made with, seconds. Others near it do as well. */
extern const double ${name}_dt;
/* The controller's numbers. To change one while it runs, let state.parameters point to a changed copy. */
extern const double ${name}_parameters[${NAME}_NUMBERS];
$indices
typedef struct {
  const double *parameters;     /* ${name}_parameters, or a copy with changed numbers */
  double time;                  /* seconds since ${name}_init */
  double memory[${NAME}_MEMORY];  /* $remembered */
  int state;                    /* state of the controller in the last step */
  int stance;                   /* stance leg in the last step: 0 left, 1 right, -1 none */
$more_state} ${name}_state;

/* Begin. Call it once before the first step, and again after a fall. */
void ${name}_init(${name}_state *state);

/* One control step.
 *   qpos [NQ], qvel [NV]   what was sensed
 *   foot_contact [POINTS]  above 0 where a point of a sole touches the ground; or 0 (null): points at or below z = 0 do
 *   dt                     seconds to the next step
 *   torque [NU]            N m, to be held until the next step
 *   stiffness [NU]         or 0 (null). A joint's servo is taken one step ahead: with the joint's acceleration a, the
 *                          torque torque - stiffness * a is stable however stiff the servo is (stable PD). Simulators
 *                          that find a together with the torque add stiffness to the joint's inertia for that step. */
void ${name}_step(${name}_state *state, const double *qpos, const double *qvel, const double *foot_contact, double dt,
    double *torque, double *stiffness);

/* The same step for motors that run their servos themselves, faster than the controller:
 *     torque[i] + kp[i] * (target[i] - q) - kd[i] * q'
 * Joints whose torque the law gives outright (the hips) have kp = kd = 0. */
typedef struct {
  double torque[${NAME}_NU], kp[${NAME}_NU], kd[${NAME}_NU], target[${NAME}_NU];
} ${name}_motors;
void ${name}_step_motors(${name}_state *state, const double *qpos, const double *qvel, const double *foot_contact,
    double dt, ${name}_motors *motors);

/* Where the points of the soles are: position [3 POINTS], x y z of each. */
void ${name}_soles(const double *qpos, double *position);
$original
#ifdef __cplusplus
}
#endif

#endif
