import { describe, expect, test } from 'vitest';
import { InputError, parseYaml } from '../../../base/input/yaml.js';
import { faultFileSchema } from '../language/file.js';
import { parseShorthand } from '../language/shorthand.js';

/** The problems that a file of rules is refused with. */
function problems(yaml: string): string {
  try {
    parseYaml(yaml, faultFileSchema, 'f.yaml');
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a rule is refused', () => {
  const rule = (text: string) => problems(`version: 1\nfaults:\n  - {${text}}\n`);
  test.each([
    ['match: {method: Foo}, then: {delay: 1s}', 'f.yaml:3:14: faults[0].match.method: unknown RPC "Foo"'],
    ['then: {exit: {}, oom: {}}', 'f.yaml:3:6: faults[0].then: at most one action'],
    ['match: {method: Version, pod: {name: a}}, then: {hang: {}}', 'match.pod: Version calls name no pod'],
    ['match: {method: "*PodSandbox", container: {name: a}}, then: {hang: {}}', 'match.container: '],
    ['match: {method: Version}, then: {reply: {patch: {runtimName: x}}}', 'did you mean "runtimeName"?'],
    [
      'match: {method: ListContainers}, then: {reply: {patch: {containers: {created_at: {$ad: 1}}}}}',
      'did you mean "$add"?',
    ],
    ['when: {every: 3}, then: {restart: {}}', 'give a duration such as "10s"'],
    ['match: {pod: {name: a}}, on: time, then: {pause: {}}', 'acts on the whole runtime'],
    ['on: time, then: {delay: 1s}', 'a delay needs something to delay'],
    ['name: "a b", then: {hang: {}}', 'faults[0].name: expected up to 100 letters'],
    [
      'name: a, then: {hang: {}}}\n  - {name: a, then: {hang: {}}',
      'f.yaml:4:6: faults[1].name: another rule',
    ],
    ['match: {method: "nri:CreateContaner"}, then: {hang: {}}', 'did you mean "nri:CreateContainer"?'],
    ['match: {method: ["nri:*", Version]}, then: {hang: {}}', 'write a rule for each'],
    ['match: {method: "nri:*"}, then: {drop: {}}', "drop can't act on plugins; allowed: delay, error"],
    ['match: {method: "nri:*"}, on: message, then: {close: {}}', 'requests to plugins have no message'],
    ['match: {method: "nri:*"}, on: reply, then: {duplicate: {}}', "duplicate can't act on reply of plugins"],
    ['match: {method: "nri:Synchronize", pod: {name: a}}, then: {hang: {}}', 'is about no pod'],
    ['match: {method: "nri:RunPodSandbox", container: {name: a}}, then: {hang: {}}', 'is about no container'],
    ['match: {method: Version, plugin: a}, then: {hang: {}}', 'set match.method to nri:CreateContainer'],
    ['match: {method: Version}, then: {corrupt: {}}', 'corrupt acts on plugins only'],
    ['then: {}', 'nothing to do; allowed: delay, error, hang'],
    ['match: {method: StartContianer}, then: {delay: 1s}', 'did you mean "StartContainer"?'],
    [
      'match: {method: "Foo*"}, then: {delay: 1s}',
      'unknown RPC "Foo*"; allowed: an RPC\'s name, a glob, @all, @list',
    ],
    ['then: {eror: {}}', 'f.yaml:3:13: faults[0].then.eror: unknown key; did you mean "error"?'],
    ['then: {delay: 5}', 'expected a duration such as'],
    ['then: {delay: 5 seconds}', 'given "5 seconds"'],
    ['then: {error: {code: UNAVAILBLE}}', 'did you mean "UNAVAILABLE"?'],
    ['then: {error: {}, hang: {}}', 'at most one action in addition to delay; given error and hang'],
    [
      'match: {method: StartContainer}, on: message, then: {drop: {}}',
      'acts on streams; allowed: StreamPodSandboxes',
    ],
    [
      'match: {method: StartContainer}, on: call, then: {drop: {}}',
      "drop can't act on call; allowed: message",
    ],
    [
      'match: {method: StartContainer, request: {contaner_id: x}}, then: {hang: {}}',
      'did you mean "containerId"?',
    ],
    [
      'match: {method: CreateContainer, request: {config: {imag: {image: x}}}}, then: {hang: {}}',
      'match.request.config.imag:',
    ],
    ['on: connection, match: {method: Version}, then: {refuse: {}}', 'it would never match'],
    ['on: time, match: {method: Version}, then: {pause: {}}', 'would never match'],
    ['when: {probability: 0}, then: {hang: {}}', 'when.probability'],
    ['when: {times: 0}, then: {hang: {}}', 'when.times'],
    ['when: {every: 5s}, then: {hang: {}}', 'a period is for rules on time'],
    ['then: {oom: {}}', 'needs match.container or match.pod'],
    ['match: {pod: {name: "/(/"}}, then: {hang: {}}', 'expected a glob'],
    ['match: {method: Version}, then: {ignoreStop: {}}', 'ignoreStop acts on StopContainer'],
    ['on: connection, then: {throttle: {perSecond: 1}}', 'it needs bytesPerSecond'],
    [
      'match: {container: {name: a}}, then: {exit: {code: 1, signal: KILL}}',
      'then.exit: a process ends by itself or by a signal: give code or signal',
    ],
    ['match: {container: {name: a}}, then: {exit: {signal: SIGKIL}}', 'did you mean "SIGKILL"?'],
    [
      'match: {method: Version}, when: {per: pod}, then: {hang: {}}',
      'when.per: Version calls name no pod, so there is nothing to count separately',
    ],
    ['when: {per: container, every: 1s}, then: {pause: {}}', 'when.per: a rule on time has nothing to count'],
    ['when: {per: pod}, on: connection, then: {refuse: {}}', 'when.per: connections have no pod'],
    [
      'when: {after: 1}, then: {restart: {}}',
      'when.after: a rule on time happens once, so it would never act',
    ],
    ['when: {times: 3}, then: {restart: {}}', 'when.times: a rule on time happens once; give when.every'],
    ['when: {every: 1us}, then: {restart: {}}', 'when.every: a period has to be 1ms at least'],
    [
      'when: {after: 3, every: 10s, during: {from: 1m, for: 30s}}, then: {pause: {for: 1s}}',
      'when.after: it would act 30s after its first time, when during.for (30s) is over',
    ],
    [
      'match: {method: GetContainerEvents}, then: {error: {effect: after}}',
      'then.error.effect: a stream has no end to wait for',
    ],
    [
      'match: {method: Version}, on: reply, then: {error: {effect: late}}',
      'then.error.effect: on reply the work is done already',
    ],
    ['on: time, then: {reset: {scope: call}}', 'then.reset.scope: on time there is no call'],
  ])('%s', (text, message) => expect(rule(text)).toContain(message));

  test.each([
    'match: {method: "@list"}, then: {delay: {duration: 1s, jitter: 200ms, distribution: normal}}',
    'match: {method: [StartContainer, "Run*"], request: {}}, then: {error: {code: UNKNOWN, effect: late}}',
    'match: {method: CreateContainer, request: {config: {image: {image: "*nginx*"}, mounts: [{readonly: true}]}}}, then: {hang: {}}',
    'match: {method: GetContainerEvents}, on: message, when: {after: 2, times: 1}, then: {drop: {}}',
    'match: {pod: {namespace: default}}, when: {during: {from: 30s, for: 2m}, every: 10s}, then: {exit: {code: 3}}',
    'match: {container: {name: app}}, when: {per: container}, on: call, then: {exit: {signal: SIGSEGV}}',
    'when: {after: 2, times: 3, every: 10s, during: {for: 30s}}, then: {restart: {}}',
    'match: {method: "@all"}, when: {per: connection}, then: {error: {effect: after}}',
    'then: {reset: {}}, on: connection',
  ])('but not: %s', (text) => expect(rule(text)).toBe('accepted'));
});

describe('the shorthand', () => {
  test('reads terms one after the other', () => {
    expect(parseShorthand('StartContainer=1*off->2*error(UNAVAILABLE:oops)->1*delay(5s)')).toEqual([
      {
        match: { method: 'StartContainer' },
        when: { after: 1, times: 2 },
        then: { error: { code: 'UNAVAILABLE', message: 'oops' } },
      },
      { match: { method: 'StartContainer' }, when: { after: 3, times: 1 }, then: { delay: '5s' } },
    ]);
  });

  test('reads messages, groups and probabilities', () => {
    expect(parseShorthand('GetContainerEvents:message=25%drop')).toEqual([
      {
        match: { method: 'GetContainerEvents' },
        on: 'message',
        when: { probability: 0.25 },
        then: { drop: {} },
      },
    ]);
    expect(parseShorthand('ContainerStatus=exit(SIGKILL)')).toMatchObject([
      { then: { exit: { signal: 'SIGKILL' } } },
    ]);
    expect(parseShorthand('connection=refuse')).toEqual([
      { match: {}, on: 'connection', when: {}, then: { refuse: {} } },
    ]);
  });

  test.each([
    ['StartContainer', 'expected TARGET='],
    ['StartContainer=error->delay(1s)', 'never ends'],
    ['StartContainer=eror', 'did you mean "error"?'],
    ['StartContainer=1*off', 'every term is off'],
    ['StartContainer:mesage=drop', 'did you mean "message"?'],
    ['StartContainer=drop(3)', 'takes no argument'],
    ['StartContainer=0*error', 'happens 0 times'],
    ['StartContainer=150%error', '"150%error": a percentage is more than 0 and at most 100'],
    ['StartContainer=0%error', 'a percentage is more than 0'],
  ])('refuses %s', (text, message) => expect(() => parseShorthand(text)).toThrow(message));
});
