import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';

const view = (more: object = {}) => ({ view: { ips: ['127.64.0.1'], capabilities: ['NET_RAW'], ...more } });

describe('ping', () => {
  it('is answered by a pod, once a second', async () => {
    const { run, clock } = createRig(view());
    const began = clock.elapsed();
    const { status, stdout } = await run('ping -c 2 127.64.0.7');
    expect(status).toEqual({ code: 0 });
    expect(stdout).toBe(
      [
        'PING 127.64.0.7 (127.64.0.7): 56 data bytes',
        '64 bytes from 127.64.0.7: seq=0 ttl=64 time=0.050 ms',
        '64 bytes from 127.64.0.7: seq=1 ttl=64 time=0.050 ms',
        '',
        '--- 127.64.0.7 ping statistics ---',
        '2 packets transmitted, 2 packets received, 0% packet loss',
        'round-trip min/avg/max = 0.050/0.050/0.050 ms',
        '',
      ].join('\n'),
    );
    expect(clock.elapsed() - began).toBe(1000);
  });

  it('times out if nothing answers', async () => {
    const { run, clock } = createRig(view({ reaches: () => false }));
    const began = clock.elapsed();
    const { status, stdout } = await run('ping -c 2 -W 3 10.1.2.3');
    expect(status).toEqual({ code: 1 });
    expect(stdout).toContain('2 packets transmitted, 0 packets received, 100% packet loss\n');
    expect(clock.elapsed() - began).toBe(4000);
  });

  it('ends on INT with its statistics', async () => {
    const { start, clock } = createRig(view());
    const { process, output } = await start('ping localhost');
    await clock.advance(2500);
    process.container.kill(process.pid, 'INT');
    expect(await process.exit).toEqual({ code: 0 });
    expect(output.stdout).toContain('3 packets transmitted, 3 packets received');
  });

  it('takes NET_RAW, and a name that there is', async () => {
    const { run } = createRig(view({ capabilities: [] }));
    expect(await run('ping 127.0.0.1')).toEqual({
      status: { code: 1 },
      stdout: 'PING 127.0.0.1 (127.0.0.1): 56 data bytes\n',
      stderr: 'ping: permission denied (are you root?)\n',
    });
    expect((await run('ping nowhere')).stderr).toBe("ping: bad address 'nowhere'\n");
  });
});

describe('netstat and ss', () => {
  it('show the sockets of the pod, and in the network of the node those of the node, not of this machine', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      const pod = createRig(view());
      await pod.start('nc -l -k -p 8080');
      expect((await pod.run('netstat -tln')).stdout).toContain('tcp        0      0 127.64.0.1:8080  ');
      expect((await pod.run('ss -ltn')).stdout).toContain('127.64.0.1:8080 ');
      expect((await pod.run('netstat -tn')).stdout).not.toContain(':8080');
      pod.clock.loopback.connect('127.64.0.1', 8080);
      expect((await pod.run('netstat -tn')).stdout).toMatch(/127.64.0.1:8080 +127.0.0.1:32768 +ESTABLISHED/);

      const node = createRig(view({ ips: [] }));
      await node.start('nc -l -k -p 8081');
      node.clock.loopback.listen('127.64.0.9', 8082, () => {});
      const { stdout } = await node.run('netstat -tan');
      expect(stdout).toContain('127.0.0.1:8081 ');
      expect(stdout).not.toContain(':8082');
      expect(stdout).not.toContain(`:${port} `);
    } finally {
      server.close();
    }
  });
});

describe('ip and ifconfig', () => {
  it.each([
    [
      'ip -o -4 addr show dev eth0',
      '2: eth0    inet 127.64.0.1/10 scope global eth0\\ valid_lft forever preferred_lft forever\n',
    ],
    ['ip route', 'default via 127.64.0.0 dev eth0 \n127.64.0.0/10 dev eth0 scope link  src 127.64.0.1 \n'],
  ])('%s', async (line, stdout) => {
    expect(await createRig(view()).run(line)).toEqual({ status: { code: 0 }, stdout, stderr: '' });
  });

  it('add and remove dummy devices of the pod, which takes NET_ADMIN', async () => {
    const links = new Map<string, boolean>();
    const { run } = createRig(view({ capabilities: ['NET_ADMIN'], links }));
    const stderr = async (line: string) => (await run(line)).stderr;
    expect(await run('ip link add dummy1 type dummy')).toEqual({
      status: { code: 0 },
      stdout: '',
      stderr: '',
    });
    expect(await stderr('ip link add dummy1 type dummy')).toBe('ip: RTNETLINK answers: File exists\n');
    expect(await stderr('ip link add name eth0 type dummy')).toBe('ip: RTNETLINK answers: File exists\n');
    expect(await stderr('ip link add b type bridge')).toBe(
      'ip: RTNETLINK answers: Operation not supported\n',
    );
    expect((await run('ip link show dummy1')).stdout).toContain(
      '3: dummy1: <BROADCAST,NOARP> mtu 1500 qdisc noop',
    );
    expect(await stderr('ip link set dev dummy1 up')).toBe('');
    expect((await run('ip a')).stdout).toContain('3: dummy1: <BROADCAST,NOARP,UP,LOWER_UP> mtu 1500');
    expect((await run('ip -o addr')).stdout).not.toContain('dummy1');
    expect((await run('ifconfig')).stdout).toContain('dummy1    Link encap:Ethernet');
    const other = createRig(view({ links }));
    expect((await other.run('ip link del dummy1')).stderr).toBe(
      'ip: RTNETLINK answers: Operation not permitted\n',
    );
    expect(await run('ip link del dummy1')).toEqual({ status: { code: 0 }, stdout: '', stderr: '' });
    expect(await stderr('ip link del dummy1')).toBe("ip: can't find device 'dummy1'\n");
  });

  it('take only names that the kernel takes, and so many devices', async () => {
    const links = new Map<string, boolean>();
    const { run } = createRig(view({ capabilities: ['NET_ADMIN'], links }));
    const stderr = async (name: string) => (await run(['ip', 'link', 'add', name, 'type', 'dummy'])).stderr;
    const long = 'n'.repeat(16);
    expect(await stderr(long)).toBe(`ip: invalid argument '${long}' to 'name'\n`);
    for (const name of ['a/b', 'a:b', 'a b', 'a\tb', '.', '..'])
      expect(await stderr(name)).toBe('ip: RTNETLINK answers: Invalid argument\n');
    expect(await stderr('ä'.repeat(8))).toMatch(/invalid argument/);
    expect(links.size).toBe(0);
    for (let number = 0; number < 1000; number++) links.set(`d${number}`, false);
    expect(await stderr('more')).toBe('ip: RTNETLINK answers: Cannot allocate memory\n');
    expect(links.size).toBe(1000);
  });

  it('show interfaces of the node to a pod in its network, not those of this machine', async () => {
    const { run } = createRig(view({ ips: [] }));
    expect((await run('ip -o link')).stdout.match(/^\d+: [^:]+/gm)).toEqual(['1: lo', '2: eth0@if3']);
    expect((await run('ifconfig eth0')).stdout).toContain('HWaddr 0A:58:7F:00:00:01');
    const devices = (await run('cat /proc/net/dev')).stdout;
    expect(devices.match(/\S+(?=:)/g)).toEqual(['lo', 'eth0']);
  });

  it('show the interfaces of a pod', async () => {
    const { run } = createRig(view());
    expect((await run('ip a')).stdout).toContain('    inet 127.64.0.1/10 scope global eth0\n');
    expect((await run('ifconfig eth0')).stdout).toContain('inet addr:127.64.0.1  Mask:255.192.0.0\n');
    expect((await run('ip link add foo')).stderr).toBe('ip: RTNETLINK answers: Operation not permitted\n');
    expect((await run('ip addr show dev eth7')).stderr).toBe("ip: can't find device 'eth7'\n");
  });
});

describe('ipcs', () => {
  it('has no segments in its own namespace', async () => {
    const { stdout } = await createRig(view()).run('ipcs -m');
    expect(stdout).toContain('------ Shared Memory Segments --------\nkey ');
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });
});
