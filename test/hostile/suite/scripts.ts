import { inUrl, SPELLINGS } from '../../support/network/spellings.js';
import type { Victim } from '../kit.js';
import type { Dice, Surface } from './surface.js';

const DEEP = Array.from({ length: 2000 }, () => 'd').join('/');

/** A shell's state that grows from one command to the next. */
const state = [
  'x="eval \\"\\$x\\""; eval "$x"',
  'i=0; while :; do eval "f$i() { echo $i; }"; i=$((i+1)); done',
  'i=0; while :; do eval "v$i=$i"; i=$((i+1)); done',
  'set -- a; while :; do set -- "$@" "$@"; done',
  'x=a; while :; do x=$x$x; set -- $x; done',
  'tail -n 999999999 /dev/zero',
  'yes | tail -n 999999999',
  'echo ". /tmp/s" >/tmp/s; . /tmp/s',
  'f() { set -- "$@" x; f "$@"; }; f',
  'i=0; while :; do alias a$i=b; i=$((i+1)); done',
  'trap "kill -USR1 \\$\\$" USR1; kill -USR1 $$; while :; do :; done',
  'cd /tmp; while :; do pushd / >/dev/null || cd /; done',
] as const;

/** Trees that are slow to walk. */
const trees = [
  `mkdir -p /${DEEP}; rm -rf /d`,
  `mkdir -p /${DEEP}; find /d | wc -l; chmod -R 700 /d`,
  `mkdir -p /${DEEP}; cp -r /d /e; mv /e /d/e; du -s /d`,
  `while mkdir ${'n'.repeat(200)} && cd ${'n'.repeat(200)}; do :; done; pwd | wc -c`,
  'mkdir /w; i=0; while [ $i -lt 20000 ]; do : >/w/$i; i=$((i+1)); done',
  'ls -lR / | sort | uniq | wc; rm -rf /w',
  'cd /w 2>/dev/null && for f in *; do ln $f $f.l; done; chmod -R 600 /w; tar cf /dev/null /w',
  'mkdir -p /l; cd /l; ln -s . a; ln -s a/a/a/a/a/a/a/a b; cat b/b/b/b/b/x; find -L /l | wc -l',
] as const;

/** Open files without a name, several in a container. */
const unlinked = [
  'for n in 3 4 5 6 7 8 9; do eval "exec $n>/f; rm /f; dd if=/dev/zero bs=64k count=4000 >&$n"; done; sleep 1',
  'exec 3>/dev/shm/f; rm /dev/shm/f; dd if=/dev/zero bs=1M >&3; sleep 1',
  'dd if=/dev/zero of=/g bs=1M & exec 3>/f; mv /g /f; cat /dev/zero >&3',
  'exec 3<>/f; rm /f; while truncate -s 100M /proc/self/fd/3; do truncate -s 0 /proc/self/fd/3; done',
] as const;

/** Requests to the server's own control API, with all clients and all spellings of this machine. */
const requests = (port: string) =>
  SPELLINGS.flatMap((host) => {
    const url = `"http://${inUrl(host)}:${port}/v1/faults"`;
    const rule = `'{"name":"from-a-pod","match":{"method":"Status"},"then":{"delay":"1ms"}}'`;
    return [
      `wget -q -T 2 -O - ${url}`,
      `wget -q -T 2 -O - --post-data ${rule} ${url}`,
      `curl -s -m 2 -d ${rule} ${url}`,
      `http_proxy=${url} curl -s -m 2 http://192.0.2.1/v1/faults`,
      `printf 'GET /v1/faults HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' | nc -w 2 ${host} ${port}`,
      `echo '${host} other' >>/etc/hosts; wget -q -T 2 -O - http://other:${port}/v1/faults`,
    ];
  });

/** Runs scripts in new containers concurrently; resolves with their output. */
async function run(victim: Victim, scripts: readonly string[], containers: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: containers }, () => victim.container('sleep 100000')));
  const runs = scripts.map(async (script, index) => {
    const containerId = ids[index % containers] as string;
    // Most of them end only at the time limit.
    const call = victim.cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 2n });
    return Buffer.from((await call.catch(() => ({ stdout: Buffer.alloc(0) }))).stdout).toString();
  });
  const printed = await Promise.all(runs);
  for (const containerId of ids) await victim.cri.removeContainer({ containerId });
  return printed;
}

const chosen = (dice: Dice, scripts: readonly string[], count: number): readonly string[] =>
  Array.from({ length: count }, () => dice.of(scripts));

/** A surface of scripts that take as much as they can. */
const greedy = (name: string, scripts: readonly string[]): Surface => ({
  name,
  open: async (victim, dice) => ({
    batch: async () => (await run(victim, chosen(dice, scripts, 6), 3)).length,
    close: () => {},
  }),
});

const networkSurface: Surface = {
  name: 'network',
  open: async (victim, dice) => {
    const onHost = await victim.newPod('host-network', {
      linux: { securityContext: { namespaceOptions: { network: 2 } } },
    });
    const { port } = new URL(victim.control ?? '');
    return {
      batch: async () => {
        const scripts = chosen(dice, requests(port), 40);
        const from = dice.of([victim, { ...victim, ...onHost }]);
        const printed = await run(from, scripts, 4);
        const reached = scripts.filter((_, index) => printed[index]?.includes('"faults"'));
        if (reached.length > 0) throw new Error(`a pod reached the control API: ${reached.join('; ')}`);
        if ((await (await fetch(`${victim.control}/v1/faults`)).text()).includes('from-a-pod'))
          throw new Error(`a pod made a rule, with one of ${scripts.join('; ')}`);
        return scripts.length;
      },
      close: async () => void (await victim.cri.removePodSandbox({ podSandboxId: onHost.podSandboxId })),
    };
  },
};

/** Scripts in containers that try to take all memory, all time, or the server's own ports. */
export const scriptSurfaces: readonly Surface[] = [
  greedy('interpreter state', state),
  greedy('directories', trees),
  greedy('unlinked files', unlinked),
  networkSurface,
];
