/** Annotations that limit a pod's bandwidth, in the order in which containerd checks them. */
const ANNOTATIONS = ['kubernetes.io/ingress-bandwidth', 'kubernetes.io/egress-bandwidth'] as const;

/** Bits per second. */
const LEAST = 1e3;
const MOST = 1e15;

/** Returns why the annotations can't be used (internal/cri/bandwidth); undefined if they can. */
export function bandwidthFault(annotations: Readonly<Record<string, string>>): string | undefined {
  for (const name of ANNOTATIONS) {
    const text = annotations[name];
    const fault = text === undefined ? undefined : faultOf(text);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(text: string): string | undefined {
  const value = quantity(text);
  if (typeof value === 'string') return value;
  if (value < LEAST) return 'resource is unreasonably small (< 1kbit)';
  if (value > MOST) return 'resource is unreasonably large (> 1Pbit)';
  return undefined;
}

/** Splits a quantity like Kubernetes' resource.ParseQuantity: looser than the expression that its error shows. */
const QUANTITY = /^([+-]?\d*(?:\.\d*)?)([eEinumkKMGTP]*(?:[-+]?\d*))$/;

const MALFORMED =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

function quantity(text: string): number | string {
  const [, digits, suffix = ''] = QUANTITY.exec(text) ?? [];
  if (text === '' || digits === undefined) return MALFORMED;
  const factor = factorOf(suffix);
  if (factor === undefined) return "unable to parse quantity's suffix";
  return Math.ceil(Number(/\d/.test(digits) ? digits : '0') * factor);
}

function factorOf(suffix: string): number | undefined {
  const [, exponent] = /^[eE]([-+]?\d+)$/.exec(suffix) ?? [];
  if (exponent !== undefined) return 10 ** Number(exponent);
  if (DECIMAL.includes(suffix)) return 1000 ** (DECIMAL.indexOf(suffix) - DECIMAL.indexOf(''));
  return BINARY.includes(suffix) ? 1024 ** BINARY.indexOf(suffix) : undefined;
}
