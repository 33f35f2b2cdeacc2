/** One measured figure. Absolute figures depend on the machine; those with an aim are ratios or sizes. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly aim?: { readonly atLeast: number } | { readonly below: number };
}

/** Whether the target is met; undefined without a target. */
export function meetsAim({ value, aim }: Figure): boolean | undefined {
  if (aim === undefined) return undefined;
  return 'atLeast' in aim ? value >= aim.atLeast : value < aim.below;
}

export function formatFigure(figure: Figure): string {
  const { name, value, unit, aim } = figure;
  const shown = value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
  const wanted = aim === undefined ? '' : 'atLeast' in aim ? `aim ≥ ${aim.atLeast}` : `aim < ${aim.below}`;
  const verdict = { true: 'met', false: 'MISSED', undefined: '' }[String(meetsAim(figure))];
  return `${name.padEnd(46)}${shown.padStart(12)} ${unit.padEnd(10)} ${wanted.padEnd(12)} ${verdict}`.trimEnd();
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
