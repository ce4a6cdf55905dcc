/**
 * Portable elementary functions: the same 64 bits as NumPy's side gives on every CPU.
 *
 * Everything here is built from + - * /, sqrt, floor, abs and comparison of doubles, each rounded
 * exactly, in one fixed order. See the twin for the method, the domains and the errors.
 *
 * Twin: godseed/sim/maths.py
 */

export const PI = 3.141592653589793;
export const TAU = 6.283185307179586;
/** Radians in one degree. */
export const DEG = 0.017453292519943295;

export const PI_LOW = 1.2246467991473532e-16; // pi - PI
export const HALF_PI = 1.5707963267948966;
export const HALF_PI_LOW = 6.123233995736766e-17;
export const TWO_OVER_PI = 0.6366197723675814;
// pi / 2 in 33 + 33 + 33 + 53 bits.
export const HALF_PI_1 = 1.5707963267341256;
export const HALF_PI_2 = 6.077100506303966e-11;
export const HALF_PI_3 = 2.0222662487111665e-21;
export const HALF_PI_4 = 8.4784276603689e-32;
// ln 2 in 32 + 53 bits.
export const LN2_HIGH = 0.6931471803691238;
export const LN2_LOW = 1.9082149292705877e-10;
export const LOG2_E = 1.4426950408889634;
export const SQRT_2 = 1.4142135623730951;
export const MIN_NORMAL = 2.2250738585072014e-308;
export const MAX_FINITE = 1.7976931348623157e308;
export const EXP_LIMIT = 700.0;

// Coefficients, constant term first.
// (sin(r) / r - 1) / z and (cos(r) - 1 + z / 2) / z / z, z = r * r, |r| <= pi / 4.
export const SIN_POLY = [
  -0.16666666666666666, 0.008333333333330943, -0.0001984126983674956, 2.755731609787775e-6,
  -2.5051130870968297e-8, 1.591805913698281e-10,
];
const SIN_REST = SIN_POLY.slice(1);
export const COS_POLY = [
  0.041666666666666664, -0.0013888888888887393, 2.4801587298760048e-5, -2.755731726880539e-7,
  2.0876145659059344e-9, -1.1382588535352522e-11,
];
// (r * (e^r + 1) / (e^r - 1) - 2) / z, z = r * r, |r| <= ln(2) / 2.
export const EXP_POLY = [
  0.1666666666666666, -0.002777777777756395, 6.613756471397471e-5, -1.653405968382717e-6,
  4.143749638551104e-8,
];
// (2 * atanh(s) / s - 2) / z, z = s * s, s = f / (2 + f), 1 + f from sqrt(1/2) to sqrt(2).
export const LOG_POLY = [
  0.666666666666667, 0.3999999999989924, 0.2857142862609589, 0.2222221111514416,
  0.18182890556695602, 0.1533167403016786, 0.1461703754879165,
];
// (1 - atan(u) / u) / z, z = u * u, |u| <= 7 / 16.
export const ATAN_POLY = [
  0.33333333333333326, -0.1999999999998777, 0.1428571428314864, -0.11111110900560475,
  0.09090900195560148, -0.07692087348767168, 0.06663239299107136, -0.05847724720645106,
  0.05033942776485848, -0.03782521866106712, 0.017547235157290005,
];
// (asin(u) / u - 1) / z, z = u * u <= 1 / 4.
export const ASIN_POLY = [
  0.16666666666666669, 0.07499999999998433, 0.04464285714635543, 0.030381944138531247,
  0.02237217294214989, 0.017352392720869973, 0.013971212973552933, 0.011479177415184906,
  0.01032281435018578, 0.005457506718640358, 0.01740087944269402, -0.014851887071247204,
  0.028757851367421566,
];
// atan(1/2) and atan(1), each as high and low part.
export const ATAN_HALF = 0.4636476090008061;
export const ATAN_HALF_LOW = 2.2698777452961687e-17;
export const ATAN_ONE = 0.7853981633974483;
export const ATAN_ONE_LOW = 3.061616997868383e-17;

const bits = new DataView(new ArrayBuffer(8));

/** Sine of an angle in radians, |x| <= 1e5. */
export function sin(x) {
  const [quadrant, r, tail] = reduce(finite('sin', x));
  const value = odd(quadrant) ? cosKernel(r, tail) : sinKernel(r, tail);
  return (quadrant >= 2 ? -value : value) + 0;
}

/** Cosine of an angle in radians, |x| <= 1e5. */
export function cos(x) {
  const [quadrant, r, tail] = reduce(finite('cos', x));
  const value = odd(quadrant) ? sinKernel(r, tail) : cosKernel(r, tail);
  return (quadrant === 1 || quadrant === 2 ? -value : value) + 0;
}

/** e to the power x; x is clamped to -700..700. */
export function exp(x) {
  x = clamp(finite('exp', x), -EXP_LIMIT, EXP_LIMIT);
  const n = Math.floor(x * LOG2_E + 0.5);
  const high = x - n * LN2_HIGH;
  const low = n * LN2_LOW;
  const r = high - low;
  const z = r * r;
  const c = r - z * horner(EXP_POLY, z);
  const value = 1 - (low - (r * c) / (2 - c) - high);
  return value * powerOfTwo(n);
}

/** Natural logarithm of a positive normal number. */
export function log(x) {
  if (!(x >= MIN_NORMAL && x <= MAX_FINITE)) {
    throw new RangeError(
      'log: a value that is not positive, normal and finite; expected 2.3e-308 or more; ' +
        'check what comes in',
    );
  }
  bits.setFloat64(0, x);
  const top = bits.getUint32(0);
  let n = (top >>> 20) - 1023;
  bits.setUint32(0, (top & 0x000fffff) | 0x3ff00000);
  let m = bits.getFloat64(0);
  if (m > SQRT_2) {
    m *= 0.5;
    n += 1;
  }
  const f = m - 1;
  const s = f / (2 + f);
  const z = s * s;
  const halfSquare = 0.5 * f * f;
  const rest = s * (halfSquare + z * horner(LOG_POLY, z));
  return n * LN2_HIGH - (halfSquare - (rest + n * LN2_LOW) - f);
}

/** Angle of the point (x, y) in radians, -PI to PI; zeros carry no sign. */
export function atan2(y, x) {
  const ax = Math.abs(finite('atan2', x));
  const ay = Math.abs(finite('atan2', y));
  const small = Math.min(ax, ay);
  const large = Math.max(ax, ay);
  let angle = atanKernel(small / (large === 0 ? 1 : large));
  if (ay > ax) angle = HALF_PI - (angle - HALF_PI_LOW);
  if (x < 0) angle = PI - (angle - PI_LOW);
  return (y < 0 ? -angle : angle) + 0;
}

/** Arc sine in radians; x is clamped to -1..1. */
export function asin(x) {
  x = clamp(finite('asin', x), -1, 1);
  const a = Math.abs(x);
  const [z, root, high, low] = halfAngle(a);
  const series = z * horner(ASIN_POLY, z);
  let value;
  if (a < 0.5) {
    value = a + a * series;
  } else {
    const rest = 2 * (root * series) - (HALF_PI_LOW - 2 * low);
    value = ATAN_ONE - (rest - (ATAN_ONE - 2 * high));
  }
  return (x < 0 ? -value : value) + 0;
}

/** Arc cosine in radians, 0 to PI; x is clamped to -1..1. */
export function acos(x) {
  x = clamp(finite('acos', x), -1, 1);
  const [z, root, high, low] = halfAngle(Math.abs(x));
  const series = z * horner(ASIN_POLY, z);
  if (Math.abs(x) < 0.5) return HALF_PI - (x - (HALF_PI_LOW - x * series));
  if (x < 0) return PI - 2 * (high + (low + (root * series - HALF_PI_LOW)));
  return 2 * (high + (low + root * series));
}

/** Square root, exactly rounded; x >= 0. */
export function sqrt(x) {
  return Math.sqrt(finite('sqrt', x));
}

/** Nearest whole number, halves upward, never minus zero. */
export function roundHalfUp(x) {
  return Math.floor(finite('round_half_up', x) + 0.5) + 0;
}

/** Part above the floor, 0 to 1. */
export function fract(x) {
  return x - Math.floor(finite('fract', x));
}

/** The same number with minus zero turned into zero. */
export function positiveZero(x) {
  return x + 0;
}

/** Nearest number within low..high. */
export function clamp(x, low, high) {
  return Math.min(Math.max(x, low), high);
}

/** From a at t = 0 to b at t = 1, straight. */
export function lerp(a, b, t) {
  return a + (b - a) * t;
}

/** 0 up to low, 1 from high on, and a cubic with flat ends between; low < high. */
export function smoothstep(low, high, x) {
  const t = clamp((x - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

function finite(where, x) {
  if (!Number.isFinite(x))
    throw new RangeError(`${where}: ${x}; expected a finite number; check what comes in`);
  return x;
}

/** Split x into a quadrant 0..3 and a remainder within pi / 4, given as a value and its tail. */
function reduce(x) {
  const n = Math.floor(x * TWO_OVER_PI + 0.5);
  const first = x - n * HALF_PI_1;
  const secondPart = n * HALF_PI_2;
  const second = first - secondPart;
  const lost = first - second - secondPart;
  const thirdPart = n * HALF_PI_3;
  const r = second - thirdPart;
  const tail = second - r - thirdPart + (lost - n * HALF_PI_4);
  return [n - 4 * Math.floor(n * 0.25), r, tail];
}

function odd(quadrant) {
  return quadrant === 1 || quadrant === 3;
}

function sinKernel(r, tail) {
  const z = r * r;
  const cube = z * r;
  const series = z * horner(SIN_REST, z);
  return r - (z * (0.5 * tail) - cube * series - tail - cube * SIN_POLY[0]);
}

function cosKernel(r, tail) {
  const z = r * r;
  const half = 0.5 * z;
  const rest = 1 - half;
  return rest + (1 - rest - half + (z * z * horner(COS_POLY, z) - r * tail));
}

/** Arc tangent of 0..1. */
function atanKernel(t) {
  let center = 0;
  let high = 0;
  let low = 0;
  if (t >= 0.6875) {
    center = 1;
    high = ATAN_ONE;
    low = ATAN_ONE_LOW;
  } else if (t >= 0.4375) {
    center = 0.5;
    high = ATAN_HALF;
    low = ATAN_HALF_LOW;
  }
  const u = (t - center) / (1 + center * t);
  const z = u * u;
  return high - (u * (z * horner(ATAN_POLY, z)) - low - u);
}

/** For the arc sine of a in 0..1: z, sqrt(z), and that root as 32 leading bits and the rest. */
function halfAngle(a) {
  const z = a < 0.5 ? a * a : (1 - a) * 0.5;
  const root = Math.sqrt(z);
  bits.setFloat64(0, root);
  bits.setUint32(4, 0);
  const high = bits.getFloat64(0);
  const both = root + high;
  const low = (z - high * high) / (both === 0 ? 1 : both);
  return [z, root, high, low];
}

/** 2 to the whole number n, -1022..1023, by writing the exponent's bits. */
function powerOfTwo(n) {
  bits.setUint32(0, (n + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
}

function horner(coefficients, z) {
  let value = coefficients[coefficients.length - 1];
  for (let i = coefficients.length - 2; i >= 0; i -= 1) {
    value *= z;
    value += coefficients[i];
  }
  return value;
}
