/** Names of perturbations of a call or message, and the rest of a sentence about it; `$1` is the text in brackets. */
const SAYS: readonly (readonly [RegExp, string])[] = [
  [/^error before$/, 'fails before it does anything'],
  [/^reply lost$/, 'succeeds, but its reply is lost'],
  [/^done late$/, 'returns an error, but takes effect 5s later'],
  [/^hang$/, 'hangs'],
  [/^delay$/, 'takes long to return'],
  [/^delay (\S+)$/, 'takes $1 to return'],
  [/^slow$/, 'takes long: the runtime continues after the kubelet has timed out'],
  [/^slow (\S+)$/, 'takes $1: the runtime continues after the kubelet has timed out'],
  [/^stale reply$/, 'returns a stale reply'],
  [/^empty list$/, 'returns an empty list'],
  [/^no container statuses$/, 'returns no containers'],
  [/^state CREATED$/, 'shows the container as created and not started'],
  [/^status lost$/, 'reports the state of the container as unknown'],
  [/^finished_at in seconds$/, 'gives finished_at in seconds instead of nanoseconds'],
  [/^unimplemented$/, 'fails with UNIMPLEMENTED'],
  [/^broken$/, 'breaks'],
  [/^ended$/, 'ends without an error'],
  [/^event lost$/, 'is lost'],
  [/^event without sandbox$/, 'names no sandbox'],
  [/^event 20s late$/, 'arrives 20s late'],
  [/^event twice$/, 'arrives twice'],
  [/^event 1000 times$/, 'arrives 1000 times'],
  [/^event out of order$/, 'arrives after the next one'],
  [/^event from the far future$/, 'has a timestamp 30 years in the future'],
  [/^stream broken$/, 'breaks the stream'],
  [/^stream stalled$/, 'is the last one: the stream stalls'],
];

const SPAN = /^(.*?) (for \S+|from then on|five times|\d+ times)$/;
const OF_CALL = /^(.*) ([A-Z][A-Za-z]+)$/;

/**
 * Describes one kind: `StartContainer returns an error, but takes effect 5s later`. Kinds without a call are readable
 * already.
 */
function oneKindText(kind: string): string {
  const [, whole = '', method] = OF_CALL.exec(kind) ?? [];
  if (method === undefined) return kind;
  const said = (name: string, span = '') => {
    const [pattern, says] = SAYS.find(([each]) => each.test(name)) ?? [];
    if (pattern === undefined || says === undefined) return undefined;
    const call = /^(event|stream) /.test(name) ? `an event of ${method}` : method;
    return `${call} ${name.replace(pattern, says)}${span && `, ${span}`}`;
  };
  const [, name = '', span] = SPAN.exec(whole) ?? [];
  return said(whole) ?? said(name, span) ?? kind;
}

/** Describes the kinds of a finding (`same-end | done late StartContainer`) or of a cause. */
export function kindText(kind: string): string {
  const [first = '', ...more] = kind.split(' | ');
  if (more.length === 0) return first.split(' and ').map(oneKindText).join(', and ');
  return `${first}: ${more.map(oneKindText).join(', and ')}`;
}
