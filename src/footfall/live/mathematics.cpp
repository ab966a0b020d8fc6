// The mathematics of a module. Browsers differ in the last bit of Math.sin and others, so a module brings its own
// functions and gives the same bits everywhere. Each one reduces its argument to a small range and sums Taylor's series
// there. Errors are a few units in the last place; of sines and cosines 2e-16 while |x| < 1e5; of powers with large
// exponents relatively 1e-12.

#define OWN extern "C" __attribute__((minsize, noinline)) double

// what WebAssembly has instructions for
OWN rint(double x) { return __builtin_elementwise_rint(x); }
OWN fabs(double x) { return __builtin_elementwise_abs(x); }
OWN sqrt(double x) { return __builtin_elementwise_sqrt(x); }
OWN floor(double x) { return __builtin_elementwise_floor(x); }
OWN ceil(double x) { return __builtin_elementwise_ceil(x); }
OWN trunc(double x) { return __builtin_elementwise_trunc(x); }

namespace own {

const double PI = 3.141592653589793, PI_REST = 1.2246467991473532e-16;  // their sum is pi
const double LN2 = 0.6931471805599453, LN2_HEAD = 0.6931471803691238, LN2_REST = 1.9082149292705877e-10;

// The sum of 1/first! - z/(first + 2)! + z^2/(first + 4)! …
__attribute__((minsize, noinline)) static double alternating(double z, int first) {
  double sum = 1.0;
  for (int k = first + 18; k > first; k -= 2) sum = 1.0 - sum * z / (k * (k - 1));
  return sum;
}

// Sine of x plus some quarter turns.
__attribute__((minsize, noinline)) static double sine(double x, int quarters) {
  if (!(fabs(x) < 1e9)) return __builtin_nan("");  // too large for the reduction below
  const double n = rint(x * 0.6366197723675814);
  const double r = (x - n * 1.5707963267341256) - n * 6.0771005065061922e-11;
  const int quarter = (int)n + quarters;
  const double value = quarter & 1 ? alternating(r * r, 0) : r * alternating(r * r, 1);
  return quarter & 2 ? -value : value;
}

// The angle of (x, y) where 0 <= y <= x: an eighth's slope is taken off, the rest is at most 1/16.
__attribute__((minsize, noinline)) static double slope_angle(double y, double x) {
  static const double eighths[] = {
      0.0, 0.12435499454676144, 0.24497866312686414, 0.3587706702705722, 0.4636476090008061,
      0.5585993153435624, 0.6435011087932844, 0.7188299996216245, 0.7853981633974483};
  const int k = (int)(8.0 * y / x + 0.5);
  const double c = 0.125 * k, t = (y - c * x) / (x + c * y), z = t * t;
  double sum = 0.0;
  for (int n = 15; n > 1; n -= 2) sum = z * (1.0 / n - sum);
  return eighths[k] + (t - t * sum);
}

// x times 2 to the n, for |n| below 2100.
__attribute__((minsize, noinline)) static double scaled(double x, int n) {
  for (int k = 0; k < 3; ++k) {
    const int part = n < -1000 ? -1000 : n > 1000 ? 1000 : n;
    x *= __builtin_bit_cast(double, (long long)(1023 + part) << 52);
    n -= part;
  }
  return x;
}

// exp(x) - 1 for |x| below 0.35
__attribute__((minsize, noinline)) static double exp_less_one(double x) {
  double sum = 1.0;
  for (int k = 16; k > 1; --k) sum = 1.0 + sum * x / k;
  return x * sum;
}

}  // namespace own

OWN sin(double x) { return x == 0.0 ? x : own::sine(x, 0); }
OWN cos(double x) { return own::sine(x, 1); }
OWN tan(double x) { return sin(x) / cos(x); }

OWN atan2(double y, double x) {
  const double a = fabs(x), b = fabs(y);
  double angle = 0.0;
  if (a != a || b != b) angle = a + b;
  else if (a == b) angle = a == 0.0 ? 0.0 : 0.25 * own::PI;
  else if (b < a) angle = a > 1.7e308 ? 0.0 : own::slope_angle(b, a);
  else angle = 0.5 * own::PI - ((b > 1.7e308 ? 0.0 : own::slope_angle(a, b)) - 0.5 * own::PI_REST);
  if (__builtin_signbit(x)) angle = own::PI - (angle - own::PI_REST);
  return __builtin_copysign(angle, y);
}
OWN atan(double x) { return atan2(x, 1.0); }
OWN asin(double x) { return atan2(x, sqrt((1.0 - x) * (1.0 + x))); }
OWN acos(double x) { return atan2(sqrt((1.0 - x) * (1.0 + x)), x); }

OWN exp(double x) {
  if (x != x) return x;
  const double bounded = x > 710.0 ? 710.0 : x < -750.0 ? -750.0 : x, n = rint(bounded / own::LN2);
  return own::scaled(1.0 + own::exp_less_one((bounded - n * own::LN2_HEAD) - n * own::LN2_REST), (int)n);
}
OWN log(double x) {
  if (!(x > 0.0) || x > 1.7976931348623157e308) return x == 0.0 ? -__builtin_inf() : x < 0.0 ? __builtin_nan("") : x;
  int n = 0;
  if (x < 2.2250738585072014e-308) { x *= 18014398509481984.0; n = -54; }
  const long long bits = __builtin_bit_cast(long long, x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  n += (int)(bits >> 52) - 1023;
  x = __builtin_bit_cast(double, (bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);  // between sqrt(1/2) and sqrt(2)
  const double f = x - 1.0, s = f / (2.0 + f), z = s * s;
  double sum = 0.0;
  for (int k = 23; k > 1; k -= 2) sum = z * (1.0 / k + sum);
  const double half = 0.5 * f * f;
  return n * own::LN2_HEAD + (f - (half - (s * (half + 2.0 * sum) + n * own::LN2_REST)));
}
OWN exp2(double x) { return exp(x * own::LN2); }
OWN log2(double x) { return log(x) / own::LN2; }
OWN log10(double x) { return log(x) / 2.302585092994046; }
OWN sinh(double x) {
  if (fabs(x) < 0.35) return 0.5 * (own::exp_less_one(x) - own::exp_less_one(-x));
  const double half = exp(0.5 * fabs(x));
  return __builtin_copysign((0.5 * half) * half - (0.5 / half) / half, x);
}
OWN cosh(double x) {
  const double half = exp(0.5 * fabs(x));
  return (0.5 * half) * half + (0.5 / half) / half;
}
OWN tanh(double x) {
  const double y = fabs(x) < 0.17 ? own::exp_less_one(2.0 * fabs(x)) : exp(fabs(x) < 20.0 ? 2.0 * fabs(x) : 40.0) - 1.0;
  return x != x ? x : __builtin_copysign(y / (y + 2.0), x);
}
OWN pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  const bool whole = y == rint(y), odd = whole && fabs(y) < 9007199254740992.0 && 0.5 * y != rint(0.5 * y);
  if (x < 0.0 && !whole) return __builtin_nan("");
  if (whole && fabs(y) <= 64.0) {
    double product = 1.0, square = x;
    for (int n = (int)fabs(y); n; n >>= 1, square *= square) if (n & 1) product *= square;
    return y < 0.0 ? 1.0 / product : product;
  }
  const double value = exp(y * log(fabs(x)));
  return odd ? __builtin_copysign(value, x) : value;
}
OWN cbrt(double x) {
  if (x == 0.0 || x - x != 0.0) return x;
  const double root = __builtin_copysign(exp(log(fabs(x)) / 3.0), x);
  return root - (root - x / (root * root)) / 3.0;
}
OWN fmod(double x, double y) {
  double rest = fabs(x);
  y = fabs(y);
  if (!(rest <= 1.7976931348623157e308) || !(y > 0.0)) return __builtin_nan("");
  while (rest >= y) {
    double part = y;
    while (part <= 0.5 * rest) part *= 2.0;
    rest -= part;  // exact
  }
  return __builtin_copysign(rest, x);
}
