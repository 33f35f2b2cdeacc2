import { describe, expect, test } from 'vitest';
import { crashLoopLimits } from '../backoff/crash-loop.js';
import { parseFeatureGates } from './feature-gates.js';
import { checkRestartPeriod, parseKubeletConfig } from './kubelet-configuration.js';
import { kubeletVersion } from './version.js';
import { kubeletVersions } from './versions.js';

const header = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

describe('kubelet versions', () => {
  const column = (read: (version: string) => unknown) => kubeletVersions.map(read);

  test('one row per behavior, 1.28 to 1.37', () => {
    const rows = {
      backOffKey: column((version) => kubeletVersion(version).backOffKey),
      containerHash: column((version) => kubeletVersion(version).containerHash),
      startEvents: column((version) => kubeletVersion(version).startEvents),
      requeue: column((version) => kubeletVersion(version).requeue),
      cacheMiss: column((version) => kubeletVersion(version).cacheMiss),
      evented: column((version) => kubeletVersion(version).evented),
      grace: column((version) => kubeletVersion(version).nodeMonitorGracePeriod),
      maxGate: column((version) => kubeletVersion(version).gates.KubeletCrashLoopBackOffMax),
      onDemandRelist: column((version) => kubeletVersion(version).gates.PLEGOnDemandRelist),
      restartRules: column((version) => kubeletVersion(version).gates.ContainerRestartRules),
      restartAll: column((version) => kubeletVersion(version).gates.RestartAllContainersOnContainerExits),
      accessed: column((version) => kubeletVersion(version).gates.KubeletEnsureSecretPulledImages),
    };
    const many = <T>(...runs: [T, number][]) => runs.flatMap(([value, count]) => Array(count).fill(value));
    expect(rows).toEqual({
      backOffKey: many(['stable', 6], ['fnv64', 4]),
      containerHash: many(['whole', 3], ['image-and-name', 7]),
      startEvents: many(['plain', 1], ['colon', 6], ['short', 3]),
      requeue: many(['fixed', 7], ['expiry', 3]),
      cacheMiss: many(['empty', 1], ['wait', 9]),
      evented: many(['A-seconds', 4], ['A', 5], ['B', 1]),
      grace: many([40, 4], [50, 6]),
      maxGate: many([false, 7], [true, 3]),
      onDemandRelist: many([false, 8], [true, 2]),
      restartRules: many([false, 7], [true, 3]),
      restartAll: many([false, 8], [true, 2]),
      accessed: many([false, 7], [true, 3]),
    });
  });

  test('the error for an unknown version names the range', () => {
    expect(() => kubeletVersion('1.38')).toThrow('given "1.38"; expected one of 1.28 to 1.37');
  });

  test('gates can be changed, but not before they exist or once locked', () => {
    expect(kubeletVersion('1.36', { gates: { EventedPLEG: true } }).gates.EventedPLEG).toBe(true);
    const set = (version: string, gates: Record<string, boolean>) => () => kubeletVersion(version, { gates });
    expect(set('1.30', { CRIListStreaming: true })).toThrow(
      'kubelet 1.30 does not have this gate; it was added in 1.36',
    );
    expect(set('1.37', { PreventStaticPodAPIReferences: false })).toThrow(
      'kubelet 1.37 does not have this gate; it was removed in 1.37, where it is always on',
    );
    expect(set('1.36', { ContainerRestartRules: false })).toThrow(
      'depends on features that are disabled: [ContainerRestartRules]',
    );
    expect(set('1.37', { PLEGOnDemandRelist: false })).toThrow('feature is locked to true');
    expect(set('1.36', { EventedPleg: true })).toThrow('did you mean "EventedPLEG"?');
    expect(set('1.36', { NoSuchThingAtAll: true })).toThrow(/gates with an effect here: EventedPLEG, /);
  });

  test('gates are read from the command line', () => {
    expect(parseFeatureGates('EventedPLEG=true, CRIListStreaming=False')).toEqual({
      EventedPLEG: true,
      CRIListStreaming: false,
    });
    expect(parseFeatureGates('EventedPLEG')).toBeUndefined();
    expect(parseFeatureGates('EventedPLEG=1')).toBeUndefined();
  });
});

describe('KubeletConfiguration', () => {
  const configOf = (lines: string) => parseKubeletConfig(`${header}${lines}\n`, 'kubelet.yaml').config;

  test('defaults are the kubelet’s', () => {
    expect(configOf('')).toMatchObject({
      fileCheckFrequency: 20_000,
      syncFrequency: 60_000,
      runtimeRequestTimeout: 120_000,
      readOnlyPort: 0,
      containerLogMaxSize: 10_485_760,
      containerLogMaxFiles: 5,
      maxContainerRestartPeriod: undefined,
    });
  });

  test('if only the update frequency is set, the report frequency is the same', () => {
    const frequencies = (lines: string) => {
      const { nodeStatusUpdateFrequency, nodeStatusReportFrequency } = configOf(lines);
      return [nodeStatusUpdateFrequency, nodeStatusReportFrequency];
    };
    expect(frequencies('')).toEqual([10_000, 300_000]);
    expect(frequencies('nodeStatusUpdateFrequency: 20s')).toEqual([20_000, 20_000]);
    expect(frequencies('nodeStatusReportFrequency: 1m')).toEqual([10_000, 60_000]);
  });

  test('uses the default for an empty value too', () => {
    const lines = 'nodeLeaseDurationSeconds: 0\naddress: ""\npodLogsDir: ""';
    expect(configOf(lines)).toMatchObject({
      nodeLeaseDurationSeconds: 40,
      address: '0.0.0.0',
      podLogsDir: '/var/log/pods',
    });
  });

  test('reads the supported fields and lists the ignored ones', () => {
    const text = `${header}containerRuntimeEndpoint: unix:///run/cri.sock
staticPodPath: /pods
syncFrequency: 30s
runtimeRequestTimeout: 0s
containerLogMaxSize: 5Ki
readOnlyPort: 10255
cgroupsPerQOS: false
evictionHard: {memory.available: "0"}
maxPods: 5
crashLoopBackOff: {maxContainerRestartPeriod: 60s}
featureGates: {EventedPLEG: true}
`;
    const { config, ignored } = parseKubeletConfig(text, 'kubelet.yaml');
    expect(config).toMatchObject({
      containerRuntimeEndpoint: 'unix:///run/cri.sock',
      imageServiceEndpoint: 'unix:///run/cri.sock',
      syncFrequency: 30_000,
      runtimeRequestTimeout: 120_000,
      containerLogMaxSize: 5120,
      readOnlyPort: 10_255,
      maxContainerRestartPeriod: 60_000,
      featureGates: { EventedPLEG: true },
    });
    expect(config).not.toHaveProperty('evictionHard');
    expect(ignored).toEqual(['cgroupsPerQOS', 'evictionHard', 'maxPods']);
  });

  test.each([
    ['syncFrequncy: 1m', 'kubelet.yaml:3:1: syncFrequncy: unknown key; did you mean "syncFrequency"?'],
    ['syncFrequency: 60', 'kubelet.yaml:3:1: syncFrequency: expected a duration such as'],
    ['crashLoopBackOff: {maxContainerRestartPeriod: 10m}', 'expected 1s to 300s'],
    ['containerLogMaxSize: 10MB', 'expected a quantity such as 10Mi'],
    ['containerLogMaxFiles: 1', 'expected at least 2'],
    ['readOnlyPort: 70000', 'readOnlyPort'],
    ['containerLogMonitorInterval: 2s', 'expected at least 3s'],
    ['nodeLeaseDurationSeconds: -1', 'nodeLeaseDurationSeconds'],
    ['podLogsDir: logs', 'expected a normalized absolute path'],
    ['podLogsDir: /var//log/', 'expected a normalized absolute path'],
    ['authentication: 5', 'kubelet.yaml:3:1: authentication: expected a mapping; given 5'],
    ['maxPods: many', 'kubelet.yaml:3:1: maxPods: expected a number; given "many"'],
    ['clusterDNS: 10.96.0.10', 'kubelet.yaml:3:1: clusterDNS: expected a list; given "10.96.0.10"'],
    [
      'evictionHard: {memory.available: 0}',
      'evictionHard.memory.available: expected a text; given the number 0',
    ],
    ['serializeImagePulls: true\nmaxParallelImagePulls: 2', 'maxParallelImagePulls: cannot be larger than 1'],
  ])('refuses %s', (line, message) => {
    expect(() => parseKubeletConfig(`${header}${line}\n`, 'kubelet.yaml')).toThrow(message);
  });

  test.each([
    ['', 1],
    ['serializeImagePulls: false', Number.POSITIVE_INFINITY],
    ['serializeImagePulls: false\nmaxParallelImagePulls: 3', 3],
    ['maxParallelImagePulls: 3', 3],
    ['maxParallelImagePulls: 1', 1],
  ])('pulls images one after the other by default: %j', (lines, expected) => {
    expect(parseKubeletConfig(`${header}${lines}\n`, 'kubelet.yaml').config.parallelPulls).toBe(expected);
  });

  test('rejects a maximum while its gate is off, as the kubelet does', () => {
    const text = `${header}crashLoopBackOff: {maxContainerRestartPeriod: 60s}\n`;
    const { config } = parseKubeletConfig(text, 'kubelet.yaml');
    expect(() => checkRestartPeriod(config, false, 'kubelet.yaml')).toThrow('must not be set');
    checkRestartPeriod(config, true, 'kubelet.yaml');
    const { gates } = kubeletVersion('1.36');
    expect(crashLoopLimits(gates, config.maxContainerRestartPeriod)).toEqual({
      initial: 10_000,
      max: 60_000,
    });
  });
});
