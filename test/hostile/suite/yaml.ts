import type { Dice, Surface } from './surface.js';

const BATCH = 40;

const RULE = `name: r
match: {method: [StartContainer, "Run*"], pod: {name: "*a*"}, request: {config: {labels: {a: /b+/}}}}
when: {times: 3, after: 1, every: 30s}
then: {error: {code: UNAVAILABLE, message: "x"}}
`;
const texts = [
  RULE,
  `{"name":"r","match":{"method":"Status"},"then":{"delay":"5ms"}}`,
  'StartContainer=1*error(UNAVAILABLE)',
  'a: &a [*a]',
  'a: !!binary "x"\nb: 0x7fffffffffffffffffff\nc: .inf\nd: 2001-01-01\n? [a, b]\n: c',
  '%YAML 1.1\n---\n<<: {a: 1}\n...\n---\nx',
] as const;
const pieces = [
  '[',
  '{',
  '- ',
  '? ',
  ': ',
  '"',
  "'",
  '&a ',
  '*a',
  '!!',
  '|\n ',
  '---\n',
  '%',
  '#',
  ',',
  '\t',
  '\u0000',
  '\ufeff',
] as const;

/** Texts for the routes that read YAML. None may get a 500. */
export const yamlSurface: Surface = {
  name: 'YAML',
  open: async (victim, dice) => {
    const containerId = await victim.container('sleep 100000');
    const paths = ['/v1/faults', `/v1/containers/${containerId}/exit`] as const;
    const post = async () => {
      const path = dice.of(paths);
      const body = textOf(dice);
      const answer = await fetch(victim.control + path, { method: 'POST', body });
      const text = await answer.text();
      if (answer.status === 201) await fetch(`${victim.control}/v1/faults`, { method: 'DELETE' });
      // 503: no memory for the request (docs/limits.md).
      if (answer.status >= 500 && answer.status !== 503)
        throw new Error(`${answer.status} for ${path} ${JSON.stringify(body).slice(0, 300)}: ${text}`);
    };
    return {
      batch: async () => {
        await Promise.all(Array.from({ length: BATCH }, post));
        return BATCH;
      },
      close: async () => void (await victim.cri.removeContainer({ containerId })),
    };
  },
};

function textOf(dice: Dice): string {
  switch (dice.below(4)) {
    case 0:
      return dice.of(pieces).repeat(dice.below(dice.below(20) === 0 ? 200_000 : 2000));
    case 1:
      return Array.from({ length: dice.below(200) }, () => dice.of([...pieces, 'a', '1', ' ', '\n'])).join(
        '',
      );
    default:
      return dice.mutate(Buffer.from(dice.of(texts))).toString();
  }
}
