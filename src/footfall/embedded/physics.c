/* $title
 *
 * Written by footfall $version (footfall export --with-physics). Do not edit: export it again.
 * The functions f0, f1 and so on are those of the WebAssembly module that footfall makes of its simulation, printed as C:
 * the same operations in the same order. Compile without contractions (-std=c99 has none with gcc; -ffp-contract=off) and
 * without -ffast-math, and it gives the module's bits. The processor must be little-endian. */
#define ${NAME}_DLL
#include "$file.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef ${name}_walker walker_t;

static unsigned char *at(walker_t *s, u32 address) { return (unsigned char *)s->cells + address; }
$helpers

$functions
/* ---- what the walker begins with ---- */

$data

typedef struct { const char *name; const double *qpos, *qvel, *memory; } gait_t;
typedef struct { const char *path; int gait, first, count; } path_t;

$tables

static double *reals(const walker_t *s, int table) { return (double *)at((walker_t *)s, f$table((walker_t *)s, (u32)table)); }
static i32 whole(const walker_t *s, int table) { i32 v; memcpy(&v, reals(s, table), 4); return v; }

static double time_of(const walker_t *s) { return whole(s, $t_step_count) * ${name}_dt; }

static int is_finite(double x) { return x - x == 0.0; }

static int gait_named(const char *name) {
  for (int i = 0; i < $gait_count; ++i) if (!name || !strcmp(gaits[i].name, name)) return i;
  return -1;
}

int ${name}_start(walker_t *s, const char *gait, double x, double y, double heading) {
  const int chosen = gait_named(gait);
  double *qpos, *qvel, *memory;
  if (chosen < 0 || !is_finite(x + y + heading) || (!$faces_ok && heading != 0.0)) return 0;
  if (s->begun != 0x666f6f74u) {
    memset(s, 0, sizeof *s);
$load_data
    memcpy(s->numbers, numbers, sizeof numbers);
    s->begun = 0x666f6f74u;
  }
  s->g0 = $g0;
  f$start(s);
  memset(s->until, 0, sizeof s->until);
  s->posed = 0;
  reals(s, $t_options)[0] = ${name}_dt;
  reals(s, $t_options)[1] = 0.0;
  memcpy(reals(s, $t_parameters), s->numbers, sizeof s->numbers);
  memcpy(reals(s, $t_body), body_row, sizeof body_row);
  memcpy(reals(s, $t_ground), ground_row, sizeof ground_row);
  memcpy(reals(s, $t_terrain), terrain_row, sizeof terrain_row);
  qpos = reals(s, $t_qpos);
  qvel = reals(s, $t_qvel);
  memory = reals(s, $t_memory);
  memcpy(qpos, gaits[chosen].qpos, $nq * sizeof *qpos);
  memcpy(qvel, gaits[chosen].qvel, $nv * sizeof *qvel);
  memcpy(memory, gaits[chosen].memory, $nm * sizeof *memory);
$place
  return 1;
}

int ${name}_step(walker_t *s, int steps) {
  const double now = time_of(s);
  int last = 0;
  for (int i = 0; i < $pushes; ++i) if (s->until[i] > now) last = i + 1;
  reals(s, $t_options)[2] = last;
  s->posed = 0;
  if (steps > 0) f$step(s, (u32)steps);
  return ${name}_status(s);
}

int ${name}_status(const walker_t *s) { return whole(s, $t_status); }

size_t ${name}_size(void) { return sizeof(walker_t); }

void ${name}_body(walker_t *s, int body, double position[3], double quaternion[4]) {
  const double *b, *m;
  double t;
  if (body < 0 || body >= ${NAME}_BODIES) return;
  if (!s->posed) f$pose(s);
  s->posed = 1;
  b = reals(s, $t_bodies) + 18 * body;
  m = b + 3;
  t = m[0] + m[4] + m[8];
  memcpy(position, b, 3 * sizeof *b);
  if (t > 0.0) {
    const double r = 2.0 * sqrt(1.0 + t);
    quaternion[0] = 0.25 * r;
    quaternion[1] = (m[7] - m[5]) / r;
    quaternion[2] = (m[2] - m[6]) / r;
    quaternion[3] = (m[3] - m[1]) / r;
  } else {
    const int i = m[0] > m[4] && m[0] > m[8] ? 0 : m[4] > m[8] ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
    const double r = 2.0 * sqrt(1.0 + m[4 * i] - m[4 * j] - m[4 * k]);
    quaternion[0] = (m[3 * k + j] - m[3 * j + k]) / r;
    quaternion[1 + i] = 0.25 * r;
    quaternion[1 + j] = (m[3 * j + i] + m[3 * i + j]) / r;
    quaternion[1 + k] = (m[3 * k + i] + m[3 * i + k]) / r;
  }
}

const double *${name}_coordinates(const walker_t *s) { return reals(s, $t_qpos); }

int ${name}_contact(const walker_t *s, int point) {
  return point >= 0 && point < ${NAME}_POINTS && (whole(s, $t_contact) >> point & 1);
}

int ${name}_push(walker_t *s, int body, const double force[3], double seconds) {
  const double now = time_of(s);
  if (body < -1 || body >= ${NAME}_BODIES || !is_finite(force[0] + force[1] + force[2]) || !(seconds > 0.0)) return 0;
  for (int i = 0; i < $pushes; ++i) {
    const i32 place = body + 1;
    if (s->until[i] > now) continue;
    s->until[i] = now + seconds;
    memcpy((unsigned char *)reals(s, $t_push_place) + 4 * i, &place, 4);
    reals(s, $t_push_window)[2 * i] = now - 0.5 * ${name}_dt;
    reals(s, $t_push_window)[2 * i + 1] = now + seconds - 0.5 * ${name}_dt;
    memcpy(reals(s, $t_push_force) + 3 * i, force, 3 * sizeof *force);
    return 1;
  }
  return 0;
}

int ${name}_set(walker_t *s, const char *path, double value) {
  int found = 0;
  if (!is_finite(value)) return 0;
  for (int i = 0; i < $path_count; ++i) {
    if (strcmp(paths[i].path, path)) continue;
    for (int k = paths[i].first; k < paths[i].first + paths[i].count; ++k) {
      const int cell = cells[k] < 0 ? -1 - cells[k] : cells[k];
      s->numbers[cell] = cells[k] < 0 ? -value : value;
      reals(s, $t_parameters)[cell] = s->numbers[cell];
    }
    ++found;
  }
  return found;
}

int ${name}_request(walker_t *s, const char *gait) {
  const int chosen = gait_named(gait);
  if (chosen < 0 || !$switches || ${name}_status(s) != 0) return 0;
  reals(s, $t_memory)[$m_request] = chosen;
  reals(s, $t_memory)[$m_request_time] = time_of(s);
  return 1;
}
