/* The quaternion w x y z of a rotation matrix, by rows: from its largest number, so that none is lost. */
static void quaternion_of(const double *r, double *q) {
  const double four[4] = {1.0 + r[0] + r[4] + r[8], 1.0 + r[0] - r[4] - r[8], 1.0 - r[0] + r[4] - r[8],
      1.0 - r[0] - r[4] + r[8]};
  int most = 0;
  for (int i = 1; i < 4; ++i) most = four[i] > four[most] ? i : most;
  const double root = 2.0 * sqrt(four[most]), wx = (r[7] - r[5]) / root, wy = (r[2] - r[6]) / root,
      wz = (r[3] - r[1]) / root, xy = (r[1] + r[3]) / root, xz = (r[2] + r[6]) / root, yz = (r[5] + r[7]) / root;
  const double all[4][4] = {{0.25 * root, wx, wy, wz}, {wx, 0.25 * root, xy, xz}, {wy, xy, 0.25 * root, yz},
      {wz, xz, yz, 0.25 * root}};
  for (int i = 0; i < 4; ++i) q[i] = all[most][i];
}
