import type { ContainerSpec, Handler, Pod, Probe, SecurityContext, Volume } from '../../kubelet/types.js';
import type {
  ApiContainer,
  ApiEnvVar,
  ApiHandler,
  ApiPod,
  ApiProbe,
  ApiSecurityContext,
  ApiVolume,
} from './api-pod.js';
import { statusFromApi } from './status-from-api.js';
import { fromTime } from './time.js';

/**
 * A pod of the API server as the kubelet takes it. The server has checked and defaulted it, so that fields of a newer
 * API than ours are let through; the defaults here are for what the server leaves out when it is empty.
 */
export function podFromApi({ metadata, spec, status }: ApiPod): Pod {
  return {
    source: 'api',
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace ?? 'default',
      uid: metadata.uid,
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
      generation: metadata.generation,
      creationTimestamp: fromTime(metadata.creationTimestamp),
      deletionTimestamp: fromTime(metadata.deletionTimestamp),
      deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
    },
    spec: {
      initContainers: (spec.initContainers ?? []).map(containerOf),
      containers: spec.containers.map(containerOf),
      restartPolicy: spec.restartPolicy ?? 'Always',
      terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
      activeDeadlineSeconds: spec.activeDeadlineSeconds,
      hostNetwork: spec.hostNetwork ?? false,
      hostPID: spec.hostPID ?? false,
      hostIPC: spec.hostIPC ?? false,
      shareProcessNamespace: spec.shareProcessNamespace ?? false,
      hostname: spec.hostname,
      nodeName: spec.nodeName,
      runtimeClassName: spec.runtimeClassName,
      serviceAccountName: spec.serviceAccountName,
      dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
      securityContext: securityOf(spec.securityContext),
      volumes: (spec.volumes ?? []).map(volumeOf),
    },
    status: statusFromApi(status),
  };
}

function containerOf(given: ApiContainer): ContainerSpec {
  const { limits = {}, requests = {} } = given.resources ?? {};
  return {
    name: given.name,
    image: given.image,
    imagePullPolicy: given.imagePullPolicy ?? 'IfNotPresent',
    command: given.command ?? [],
    args: given.args ?? [],
    workingDir: given.workingDir ?? '',
    env: (given.env ?? []).map(variableOf),
    ports: (given.ports ?? []).map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })),
    volumeMounts: (given.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      readOnly: readOnly ?? false,
    })),
    resources: { limits, requests },
    livenessProbe: given.livenessProbe && probeOf(given.livenessProbe),
    readinessProbe: given.readinessProbe && probeOf(given.readinessProbe),
    startupProbe: given.startupProbe && probeOf(given.startupProbe),
    lifecycle: given.lifecycle && {
      postStart: given.lifecycle.postStart && handlerOf(given.lifecycle.postStart),
      preStop: given.lifecycle.preStop && handlerOf(given.lifecycle.preStop),
    },
    terminationMessagePath: given.terminationMessagePath ?? '/dev/termination-log',
    terminationMessagePolicy: given.terminationMessagePolicy ?? 'File',
    securityContext: securityOf(given.securityContext),
    stdin: given.stdin ?? false,
    stdinOnce: given.stdinOnce ?? false,
    tty: given.tty ?? false,
    restartPolicy: given.restartPolicy,
    restartPolicyRules: (given.restartPolicyRules ?? []).flatMap(({ action, exitCodes }) =>
      exitCodes === undefined
        ? []
        : [{ action, exitCodes: { operator: exitCodes.operator, values: exitCodes.values ?? [] } }],
    ),
  };
}

function variableOf({ name, value = '', valueFrom }: ApiEnvVar): ContainerSpec['env'][number] {
  const fieldPath = valueFrom?.fieldRef?.fieldPath;
  return { name, value, ...(fieldPath !== undefined && { fieldPath }) };
}

function probeOf(given: ApiProbe): Probe {
  return {
    ...handlerOf(given),
    initialDelaySeconds: given.initialDelaySeconds ?? 0,
    timeoutSeconds: given.timeoutSeconds ?? 1,
    periodSeconds: given.periodSeconds ?? 10,
    successThreshold: given.successThreshold ?? 1,
    failureThreshold: given.failureThreshold ?? 3,
    terminationGracePeriodSeconds: given.terminationGracePeriodSeconds,
  };
}

function handlerOf({ exec, httpGet, tcpSocket, grpc, sleep }: ApiHandler): Handler {
  return {
    exec: exec && { command: exec.command ?? [] },
    httpGet: httpGet && {
      ...httpGet,
      path: httpGet.path ?? '/',
      scheme: httpGet.scheme ?? 'HTTP',
      httpHeaders: httpGet.httpHeaders ?? [],
    },
    tcpSocket,
    grpc: grpc && { port: grpc.port, service: grpc.service ?? '' },
    sleep,
  };
}

function securityOf(given: ApiSecurityContext = {}): SecurityContext {
  const { capabilities, runAsUser, runAsGroup, runAsNonRoot, privileged } = given;
  return {
    runAsUser,
    runAsGroup,
    runAsNonRoot,
    privileged,
    readOnlyRootFilesystem: given.readOnlyRootFilesystem,
    allowPrivilegeEscalation: given.allowPrivilegeEscalation,
    capabilities: capabilities && { add: capabilities.add ?? [], drop: capabilities.drop ?? [] },
  };
}

const volumeOf = ({ name, hostPath, emptyDir }: ApiVolume): Volume => ({
  name,
  hostPath: hostPath && { path: hostPath.path },
  emptyDir,
});
