/* $title
 *
 * $about
 * Controller and body, written by footfall $version (footfall export --with-physics): C99, nothing but the standard library.
 * No memory is allocated and nothing is kept outside the structure: walkers in different threads do not meet.
 *
 * World axes: x forward, y to the left, z up, the ground at z = 0. Metres, seconds, newtons, radians; quaternions w x y z.
 */
#ifndef ${NAME}_H
#define ${NAME}_H

#if defined(_WIN32) && defined(${NAME}_DLL)
#define ${NAME}_API __declspec(dllexport)
#else
#define ${NAME}_API
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ${NAME}_BODIES = $bodies,  /* $body_names */
  ${NAME}_POINTS = $points,  /* of the feet: $point_names */
  ${NAME}_NQ = $nq      /* coordinates: $coordinates */
};

/* A walker, $size MB. Fill it with zeros before the first start, as calloc does. */
typedef struct {
  double cells[$cells];
  double numbers[$numbers];
  double until[$pushes];
  unsigned int g0, begun, posed;
} ${name}_walker;

extern ${NAME}_API const char *const ${name}_body_names[${NAME}_BODIES];
extern ${NAME}_API const int ${name}_body_parents[${NAME}_BODIES]; /* -1: none */
/* Seconds of a step. */
extern ${NAME}_API const double ${name}_dt;

/* Begin a gait, or begin again after a fall, over x, y and facing a heading; gait 0 (null) is $gait. Gaits: $gaits.
 * 1, or 0 where there is no such gait or a number is not finite$faces. */
${NAME}_API int ${name}_start(${name}_walker *walker, const char *gait, double x, double y, double heading);

/* Go on for so many steps of ${name}_dt, after a fall as a ragdoll; the status. */
${NAME}_API int ${name}_step(${name}_walker *walker, int steps);

/* 0 walking, 1 fell, 2 diverged, 3 stopped. */
${NAME}_API int ${name}_status(const ${name}_walker *walker);

/* Bytes of a ${name}_walker, for languages that do not read this file. */
${NAME}_API size_t ${name}_size(void);

/* Where a body is, and how it is turned; bodies are 0 to BODIES - 1. */
${NAME}_API void ${name}_body(${name}_walker *walker, int body, double position[3], double quaternion[4]);

/* [NQ] coordinates, as MuJoCo lays them out. */
${NAME}_API const double *${name}_coordinates(const ${name}_walker *walker);

/* Whether a point of a foot touches the ground. */
${NAME}_API int ${name}_contact(const ${name}_walker *walker, int point);

/* A force at a body's centre of mass from now on for a time; body -1: at the place where walkers are usually pushed.
 * 0 where $pushes act already, or there is no such body, or a number is not finite, or the time not above 0. */
${NAME}_API int ${name}_push(${name}_walker *walker, int body, const double force[3], double seconds);

/* Change a number of the controller by its path, such as $path, in all gaits that have it; how many have. It stays
 * changed through ${name}_start. */
${NAME}_API int ${name}_set(${name}_walker *walker, const char *path, double value);

/* Ask for another gait, which begins when a state ends. 0 where there is none of that name or it cannot switch now. */
${NAME}_API int ${name}_request(${name}_walker *walker, const char *gait);

#ifdef __cplusplus
}
#endif

#endif
