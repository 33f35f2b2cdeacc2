import { expect, test } from 'vitest';
import { createKubeletLogReader } from './kubelet-log.js';

const answer = (items: string) =>
  `I1124 10:00:00.000001   12 x.go:1] "[RemoteRuntimeService] ListPodSandbox Response" filter="<nil>" items=${items}`;

test.each(['', '\\'])('a list with a text that does not end is refused: %j', (end) => {
  // Read again from each of its quotes, it would take hours.
  const line = answer(`["${'\\"'.repeat(1_000_000)}${end}`);
  expect(() => createKubeletLogReader(2026).read(line)).toThrow(/JSON/);
});
