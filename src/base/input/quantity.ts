/** Multiplying suffixes (apimachinery api/resource suffix.go). */
const MULTIPLIERS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Dividing suffixes: division is exact where multiplication by a thousandth is not. */
const DIVISORS: Readonly<Record<string, number>> = { m: 1e3, u: 1e6, n: 1e9 };

/** Undefined if missing, negative or invalid. */
function parse(quantity: string | undefined): number | undefined {
  const [, amount, suffix = ''] =
    /^\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/.exec(quantity ?? '') ?? [];
  if (amount === undefined) return undefined;
  if (/\d/.test(suffix)) return Number(amount + suffix);
  const divisor = DIVISORS[suffix];
  return divisor === undefined ? Number(amount) * (MULTIPLIERS[suffix] ?? 1) : Number(amount) / divisor;
}

/** Whether a text is a non-negative quantity: `100m`, `64Mi`, `1e3`. */
export const isQuantity = (text: string): boolean => parse(text) !== undefined;

/** Millicores, rounded up; undefined if not a quantity. */
export function milliCpu(quantity: string | undefined): number | undefined {
  const value = parse(quantity);
  return value === undefined ? undefined : Math.ceil(value * 1000 - 1e-9);
}

/** Millicores in the API's form (resource.NewMilliQuantity): `1500m`, `2`. */
export const milliCpuText = (milli: number): string => (milli % 1000 === 0 ? `${milli / 1000}` : `${milli}m`);

/** Bytes in the API's form (resource.NewQuantity with a binary suffix): `64Mi`, `1000`. */
export function bytesText(bytes: number): string {
  const suffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
  let [amount, power] = [bytes, 0];
  while (amount > 0 && amount % 1024 === 0 && power < suffixes.length - 1) {
    amount /= 1024;
    power++;
  }
  return `${amount}${suffixes[power]}`;
}

/** Bytes, rounded up; undefined if not a quantity. */
export function memoryBytes(quantity: string | undefined): bigint | undefined {
  const value = parse(quantity);
  return value === undefined ? undefined : BigInt(Math.ceil(value));
}
