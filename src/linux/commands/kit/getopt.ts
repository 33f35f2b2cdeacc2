/** A command line parsed as by getopt(3). */
export interface Options {
  has(flag: string): boolean;
  /** The last argument of an option. */
  value(flag: string): string | undefined;
  values(flag: string): readonly string[];
  readonly operands: readonly string[];
}

/** Extensions of getopt(3): long names, and the end of options. */
export interface GetoptSettings {
  readonly long?: Readonly<Record<string, string>>;
  /** Whether options end at the first operand, as for commands that run others. */
  readonly stopAtOperand?: boolean;
}

/** Parses options given by `letters`; a colon follows one with an argument. Throws busybox's error. */
export function getopt(args: readonly string[], letters: string, settings: GetoptSettings = {}): Options {
  const found = new Map<string, string[]>();
  const operands: string[] = [];
  let at = 0;
  const valuesOf = (flag: string): string[] => {
    const values = found.get(flag) ?? [];
    found.set(flag, values);
    return values;
  };
  const take = (flag: string, given: string | undefined): void => {
    const value = given ?? args[at++];
    if (value === undefined) throw new Error(`option requires an argument -- '${flag}'`);
    valuesOf(flag).push(value);
  };
  const takes = (flag: string): boolean => letters[letters.indexOf(flag) + 1] === ':';
  const short = (cluster: string): void => {
    for (let index = 0; index < cluster.length; index++) {
      const flag = cluster[index] ?? '';
      if (flag === ':' || !letters.includes(flag)) throw new Error(`invalid option -- '${flag}'`);
      if (takes(flag)) {
        take(flag, cluster.slice(index + 1) || undefined);
        return;
      }
      valuesOf(flag);
    }
  };
  const long = (text: string): void => {
    const [name = '', ...rest] = text.split('=');
    const flag = settings.long && Object.hasOwn(settings.long, name) ? settings.long[name] : undefined;
    if (flag === undefined) throw new Error(`unrecognized option '--${name}'`);
    if (takes(flag)) take(flag, rest.length > 0 ? rest.join('=') : undefined);
    else valuesOf(flag);
  };
  const takeRest = () => {
    for (; at < args.length; at++) operands.push(args[at] as string);
  };
  while (at < args.length) {
    const arg = args[at++] as string;
    if (arg === '--') takeRest();
    else if (arg.startsWith('--')) long(arg.slice(2));
    else if (arg.startsWith('-') && arg !== '-') short(arg.slice(1));
    else if (settings.stopAtOperand) {
      operands.push(arg);
      takeRest();
    } else operands.push(arg);
  }
  return {
    has: (flag) => found.has(flag),
    value: (flag) => found.get(flag)?.at(-1),
    values: (flag) => found.get(flag) ?? [],
    operands,
  };
}
