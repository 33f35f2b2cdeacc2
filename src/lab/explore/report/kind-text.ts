/** Names of perturbations of a call or message, and the rest of a sentence about it; `$1` is the text in brackets. */
const SAYS: readonly (readonly [RegExp, string])[] = [
  [/^error before$/, 'fails before anything is done'],
  [/^reply lost$/, 'is done, but its reply is lost'],
  [/^done late$/, 'fails, and is done 5s later'],
  [/^hang$/, 'is never answered'],
  [/^delay$/, 'takes long'],
  [/^delay (\S+)$/, 'takes $1'],
  [/^slow$/, 'takes long in the runtime, which continues when the kubelet has given up'],
  [/^slow (\S+)$/, 'takes $1 in the runtime, which continues when the kubelet has given up'],
  [/^stale reply$/, 'is answered as the last time'],
  [/^empty list$/, 'is answered with an empty list'],
  [/^no container statuses$/, 'is answered without the containers'],
  [/^state CREATED$/, 'shows the container as created and not started'],
  [/^status lost$/, 'shows that the runtime does not know how the container is'],
  [/^finished_at in seconds$/, 'has the time of the end in seconds, not in nanoseconds'],
  [/^unimplemented$/, 'is answered with UNIMPLEMENTED'],
  [/^broken$/, 'breaks'],
  [/^ended$/, 'ends without an error'],
  [/^event lost$/, 'is lost'],
  [/^event without sandbox$/, 'names no sandbox'],
  [/^event 20s late$/, 'comes 20s late'],
  [/^event twice$/, 'comes twice'],
  [/^event 1000 times$/, 'comes 1000 times'],
  [/^event out of order$/, 'comes after the next one'],
  [/^event from the far future$/, 'has a time 30 years ahead'],
  [/^stream broken$/, 'breaks the stream'],
  [/^stream stalled$/, 'is the last one: the stream is silent from then on'],
];

/** Duration and number at the end of a name. */
const SPAN = /^(.*?) (for \S+|from then on|five times|\d+ times)$/;
/** A perturbation of a call. */
const OF_CALL = /^(.*) ([A-Z][A-Za-z]+)$/;

/** Describes one kind: `StartContainer fails, and is done 5s later`. Kinds without a call are readable already. */
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

/**
 * Describes kinds of perturbations, such as those of a finding (`same-end | done late StartContainer`) or of a cause.
 */
export function kindText(kind: string): string {
  const [first = '', ...more] = kind.split(' | ');
  if (more.length === 0) return first.split(' and ').map(oneKindText).join(', and ');
  return `${first}: ${more.map(oneKindText).join(', and ')}`;
}
