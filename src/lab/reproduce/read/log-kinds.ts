/** Kinds of kubelet log lines that simulations have too; the first match counts. `$1` is the captured text. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/Event(?:ed PLEG: Event)? channel is full/i, 'the channel of events is full'],
  [/Fall back to Generic PLEG|disabling container-termination fast path/, 'Evented PLEG falls back'],
  [/Evented PLEG: [Ff]ailed to get container events|GetContainerEvents failed/, 'the event stream fails'],
  [/PLEG is not healthy: pleg was last seen active/, 'PLEG is not healthy'],
  [/PLEG is not healthy: pleg has yet to be successful/, 'PLEG has yet to be successful'],
  [/container runtime is down/i, 'the container runtime is down'],
  [
    /(?:Error syncing pod|"Unhandled Error" err="failed to).*?\b(Kill\w+Error|Create\w+Error|Run\w+Error|\w+BackOff|ErrImage\w+|InvalidImageName)\b/,
    'Error syncing pod: $1',
  ],
  [/Error syncing pod/, 'Error syncing pod'],
  [
    /GenericPLEG: Unable to retrieve pods?\b|ListPodSandbox with filter.*failed|"ListPodSandbox.*failed/,
    'GenericPLEG: Unable to retrieve pods',
  ],
  [/PLEG: Ignoring events for pod|PLEG: Ignoring events/, 'GenericPLEG: Ignoring events'],
  [/Failed cleaning pods/, 'Failed cleaning pods'],
  [/Container garbage collection failed/, 'Container garbage collection failed'],
  [
    /Container runtime sanity check failed|Container runtime network not ready/,
    'Container runtime sanity check failed',
  ],
  [/DeleteContainer returned error/, 'DeleteContainer returned error'],
];

export function logKind(text: string): string | undefined {
  for (const [pattern, name] of KINDS) {
    const found = pattern.exec(text);
    if (found !== null) return name.replace('$1', found[1] ?? '');
  }
  return undefined;
}
