const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity as a number; undefined when it is missing or not one. */
function parse(quantity: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(quantity ?? '');
  if (match === null) return undefined;
  return Number(match[1]) * (SUFFIXES[match[2] ?? ''] ?? Number.NaN);
}

/** Thousandths of a CPU, rounded up. */
export function milliCpu(quantity: string | undefined): number | undefined {
  const value = parse(quantity);
  return value === undefined ? undefined : Math.ceil(value * 1000 - 1e-9);
}

/** Bytes, rounded up; undefined as with `milliCpu`. */
export function memoryBytes(quantity: string | undefined): bigint | undefined {
  const value = parse(quantity);
  return value === undefined ? undefined : BigInt(Math.ceil(value));
}
