import type {
  ContainerSpec,
  EnvFrom,
  Handler,
  Pod,
  Probe,
  ResourceSource,
  SecurityContext,
  Volume,
  VolumeSource,
} from '../../kubelet/types.js';
import type {
  ApiContainer,
  ApiEnvFrom,
  ApiEnvVar,
  ApiHandler,
  ApiPod,
  ApiProbe,
  ApiResourceReference,
  ApiSecurityContext,
  ApiVolume,
  ApiVolumeSource,
} from './api-pod.js';
import { placementOf } from './placement-from-api.js';
import { toLocalAddress } from './pod-address.js';
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
      ephemeralContainers: spec.ephemeralContainers?.map(({ targetContainerName, ...container }) => ({
        ...containerOf(container),
        targetContainerName,
      })),
      restartPolicy: spec.restartPolicy ?? 'Always',
      terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
      priority: spec.priority,
      activeDeadlineSeconds: spec.activeDeadlineSeconds,
      hostNetwork: spec.hostNetwork ?? false,
      hostPID: spec.hostPID ?? false,
      hostIPC: spec.hostIPC ?? false,
      shareProcessNamespace: spec.shareProcessNamespace ?? false,
      hostname: spec.hostname,
      hostnameOverride: spec.hostnameOverride,
      os: spec.os?.name,
      sysctls:
        spec.securityContext?.sysctls &&
        Object.fromEntries(spec.securityContext.sysctls.map(({ name, value }) => [name, value])),
      nodeName: spec.nodeName,
      runtimeClassName: spec.runtimeClassName,
      serviceAccountName: spec.serviceAccountName,
      imagePullSecrets: (spec.imagePullSecrets ?? []).flatMap(({ name }) => name ?? []),
      readinessGates: spec.readinessGates?.map(({ conditionType }) => conditionType),
      enableServiceLinks: spec.enableServiceLinks,
      hostAliases: spec.hostAliases?.map(({ ip, hostnames = [] }) => ({ ip, hostnames })),
      ...placementOf(spec),
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
    envFrom: (given.envFrom ?? []).flatMap(fromOf),
    ports: (given.ports ?? []).map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })),
    volumeMounts: (given.volumeMounts ?? []).map(({ name, mountPath, readOnly, subPath, subPathExpr }) => ({
      name,
      mountPath,
      readOnly: readOnly ?? false,
      subPath,
      subPathExpr,
    })),
    resources: { limits, requests },
    resizePolicy: given.resizePolicy,
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
  if (fieldPath !== undefined) return { name, value, fieldPath };
  const { configMapKeyRef, secretKeyRef, resourceFieldRef } = valueFrom ?? {};
  const key = configMapKeyRef ?? secretKeyRef;
  if (key !== undefined) {
    const kind = configMapKeyRef === undefined ? 'secret' : 'configMap';
    const { name: object = '', optional = false } = key;
    return { name, value, source: { kind, name: object, key: key.key, optional } };
  }
  return resourceFieldRef === undefined
    ? { name, value }
    : { name, value, source: resourceOf(resourceFieldRef) };
}

const resourceOf = ({ resource, containerName, divisor }: ApiResourceReference): ResourceSource => ({
  kind: 'resource',
  resource,
  container: containerName,
  divisor,
});

function fromOf({ prefix = '', configMapRef, secretRef }: ApiEnvFrom): EnvFrom[] {
  const reference = configMapRef ?? secretRef;
  if (reference === undefined) return [];
  const kind = configMapRef === undefined ? 'secret' : 'configMap';
  return [{ kind, prefix, name: reference.name ?? '', optional: reference.optional ?? false }];
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
      host: httpGet.host && toLocalAddress(httpGet.host),
      path: httpGet.path ?? '/',
      scheme: httpGet.scheme ?? 'HTTP',
      httpHeaders: httpGet.httpHeaders ?? [],
    },
    tcpSocket: tcpSocket && { ...tcpSocket, host: tcpSocket.host && toLocalAddress(tcpSocket.host) },
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

/**
 * A volume has files from the API, or is an empty directory of the pod, whatever its type: also a directory of the host,
 * because the simulated node must not touch this machine's files.
 */
function volumeOf(volume: ApiVolume): Volume {
  const sources = [volume, ...(volume.projected?.sources ?? [])].flatMap(sourceOf);
  return sources.length === 0 ? { name: volume.name } : { name: volume.name, sources };
}

function sourceOf({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken: token,
}: ApiVolumeSource): VolumeSource[] {
  if (token !== undefined) {
    // The default of the API server.
    const { audience = '', expirationSeconds = 3600, path } = token;
    return [{ kind: 'token', audience, expirationSeconds, path }];
  }
  const object = configMap ?? secret;
  if (object !== undefined) {
    const name = secret?.secretName ?? object.name ?? '';
    const kind = configMap === undefined ? 'secret' : 'configMap';
    return [{ kind, name, optional: object.optional ?? false, items: object.items }];
  }
  if (downwardAPI === undefined) return [];
  const items = (downwardAPI.items ?? []).map(({ path, fieldRef, resourceFieldRef }) => ({
    path,
    fieldPath: fieldRef?.fieldPath,
    source: resourceFieldRef && resourceOf(resourceFieldRef),
  }));
  return [{ kind: 'downward', items }];
}
