/* A walker in Godot 3, through GDNative: what walker.gd calls.
 *
 *   footfall export walk-3d --out walker.c --with-physics
 *   cc -std=c99 -O2 -shared -fPIC bridge.c walker.c -lm -o libwalker.so     (walker.dll, libwalker.dylib)
 *
 * beside project.godot; then open the folder in Godot, or `godot3-server --path .` without a window.
 */
#include <stdlib.h>

#include "walker.h"

/* What is used of GDNative 1.0, whose table of functions stays the same in all of Godot 3: the gaps are other functions.
 * With Godot's own headers, gdnative_api_struct.gen.h says the same. */
typedef struct { void *array; } Array;
typedef struct { double value[3]; } Variant;
typedef struct {
  unsigned type, version[2];
  const void *next;
  unsigned extension_count;
  const void *extensions;
  void (*before_array_get[333])(void);
  Variant (*array_get)(const Array *, int);
  void (*before_new_real[513 - 334])(void);
  void (*new_real)(Variant *, double);
  void (*before_as_real[540 - 514])(void);
  double (*as_real)(const Variant *);
} Functions;
typedef struct {
  unsigned char in_editor;
  unsigned long long core_hash, editor_hash, no_api_hash;
  void *report[3];
  const Functions *functions;
} Options;

enum { MOST = 64 };
static const Functions *godot;
static walker_walker *walkers[MOST];
static int count;

static double number(const Array *given, int k) {
  Variant one = godot->array_get(given, k);
  return godot->as_real(&one);
}

static Variant answer(double value) {
  Variant found;
  godot->new_real(&found, value);
  return found;
}

static walker_walker *of(const Array *given) { return walkers[(int)number(given, 0)]; }

void godot_gdnative_init(const Options *options) { godot = options->functions; }

void godot_gdnative_terminate(const Options *options) {
  (void)options;
  while (count) free(walkers[--count]);
}

/* () the number of a new walker, -1 where there are too many */
Variant footfall_new(const Array *given) {
  (void)given;
  if (count == MOST || !(walkers[count] = calloc(1, sizeof(walker_walker)))) return answer(-1);
  walker_start(walkers[count], 0, 0.0, 0.0, 0.0);
  return answer(count++);
}

/* (walker, x, y, heading) begins again */
Variant footfall_start(const Array *given) {
  return answer(walker_start(of(given), 0, number(given, 1), number(given, 2), number(given, 3)));
}

/* (walker, seconds) the status */
Variant footfall_step(const Array *given) { return answer(walker_step(of(given), (int)(number(given, 1) / walker_dt + 0.5))); }

/* (walker, x, y, z, seconds) a force at the torso */
Variant footfall_push(const Array *given) {
  const double force[3] = {number(given, 1), number(given, 2), number(given, 3)};
  return answer(walker_push(of(given), -1, force, number(given, 4)));
}

/* () how many bodies a walker has */
Variant footfall_bodies(const Array *given) {
  (void)given;
  return answer(WALKER_BODIES);
}

/* (walker, body, k) position x y z (k 0 to 2) or quaternion w x y z (k 3 to 6) of a body, in footfall's axes */
Variant footfall_body(const Array *given) {
  double where[7];
  walker_body(of(given), (int)number(given, 1), where, where + 3);
  return answer(where[(int)number(given, 2)]);
}
