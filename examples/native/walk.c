/* A walker in plain C: it walks, is pushed, falls and begins again where it lies.
 *
 *   footfall export walk --out walker.c --with-physics
 *   cc -std=c99 -O2 walk.c walker.c -lm -o walk && ./walk
 */
#include <stdio.h>
#include <stdlib.h>

#include "walker.h"

int main(void) {
  walker_walker *walker = calloc(1, sizeof *walker);
  const double push[3] = {900.0, 0.0, 0.0};
  double position[3], quaternion[4];
  if (!walker || !walker_start(walker, 0, 0.0, 0.0, 0.0)) return 1;
  for (int second = 1; second <= 8; ++second) {
    if (second == 4) walker_push(walker, -1, push, 0.3);
    if (walker_step(walker, (int)(1.0 / walker_dt + 0.5)) == 1 && second == 6) {
      walker_body(walker, 0, position, quaternion);
      walker_start(walker, 0, position[0], position[1], 0.0);
    }
    walker_body(walker, 0, position, quaternion);
    printf("%d s: %s at %.2f m, %.2f m high\n", second, walker_status(walker) ? "fell" : "walks", position[0], position[2]);
  }
  free(walker);
  return 0;
}
