import { afterEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { ofAll, sampleOf } from '../../support/thorough.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

/** Names that every JavaScript object has. */
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'] as const;

const chosen = sampleOf(names, 2);
const share = ofAll(chosen.length, names.length, 'names');

it.each(chosen)(
  `takes annotations and labels named %s, and rules that match them (${share})`,
  async (name) => {
    const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
    const map = JSON.parse(`{"${name}":"x","other":"y"}`) as Record<string, string>;
    const metadata = { name: 'p', uid: 'p', namespace: 'default', attempt: 0 };
    const config = { metadata, annotations: map, labels: map };
    const { podSandboxId } = await victim.cri.runPodSandbox({ config });
    const { status } = await victim.cri.podSandboxStatus({ podSandboxId });
    expect(Object.entries(status?.annotations ?? {}).sort()).toEqual(Object.entries(map).sort());
    expect(Object.entries(status?.labels ?? {}).sort()).toEqual(Object.entries(map).sort());
    const found = async (labelSelector: Record<string, string>) =>
      (await victim.cri.listPodSandbox({ filter: { labelSelector } as never })).items.length;
    expect(await found(JSON.parse(`{"${name}":"x"}`))).toBe(1);
    expect(await found(JSON.parse(`{"${name}":"z"}`))).toBe(0);

    const rule = `{"match":{"method":"RunPodSandbox","request":{"config":{"annotations":{"${name}":"x"}}}},"then":{"error":{"code":"ABORTED"}}}`;
    const answer = await fetch(`${victim.control}/v1/faults`, { method: 'POST', body: rule });
    expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 201 });
    const other = { metadata: { ...metadata, name: 'q', uid: 'q' } };
    await victim.cri.runPodSandbox({ config: other });
    await expect(victim.cri.runPodSandbox({ config: { ...other, annotations: map } })).rejects.toThrow(
      'injected',
    );
    expect(await victim.stop()).toBe(0);
  },
);

it.each(chosen)(`refuses a field named %s in a rule (${share})`, async (name) => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  for (const body of [
    `{"${name}":"x","match":{"method":"RunPodSandbox"},"then":{"hang":{}}}`,
    `{"match":{"method":"RunPodSandbox","request":{"${name}":"x"}},"then":{"hang":{}}}`,
    `{"match":{"method":"RunPodSandbox","${name}":"x"},"then":{"hang":{}}}`,
  ]) {
    const answer = await fetch(`${victim.control}/v1/faults`, { method: 'POST', body });
    expect({ body, status: answer.status }).toEqual({ body, status: 400 });
  }
  expect(await victim.stop()).toBe(0);
});
