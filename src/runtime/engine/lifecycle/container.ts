import { CriError, invalid, notFound, unsupported } from '../../../cri/errors.js';
import type {
  ContainerConfig,
  ContainerMetadata,
  Image,
  LinuxContainerResources,
  Mount,
  PodSandboxConfig,
} from '../../../cri/gen/runtime/v1/api.js';
import { type ContainerRuntime, type ContainerSpec, StartFailure } from '../backend.js';
import { type CheckedConfig, checkContainer } from '../checks/container.js';
import { resolveLogPath } from '../checks/log-path.js';
import { checkSandboxMetadata } from '../checks/sandbox.js';
import { cancelled, type Engine, uncancelled } from '../engine.js';
import type { ContainerPhase, ContainerRecord, SandboxRecord } from '../state/records.js';
import { containerConfig, encodeContainer, shownImage } from '../state/status.js';
import { unknownId } from '../state/store.js';
import { heldName, type NameScope, refuseTaken, reserving } from './container-names.js';
import { markExited } from './exits.js';

/** Makes a checked container: created by default, or restored from a checkpoint. */
export type MakeContainer = (spec: ContainerSpec, signal: AbortSignal) => Promise<ContainerRuntime>;

export interface Creation {
  readonly sandbox: SandboxRecord;
  readonly config: ContainerConfig | undefined;
  readonly sandboxConfig: PodSandboxConfig | undefined;
  readonly make: MakeContainer;
  readonly signal: AbortSignal;
}

/** Creates a container in the pod's queue; its name is reserved immediately. */
export async function createContainer(engine: Engine, creation: Creation): Promise<ContainerRecord> {
  const { sandbox, sandboxConfig, make, signal } = creation;
  if (sandboxConfig === undefined)
    throw invalid('sandbox_config is missing', { name: 'no-config', object: 'sandbox' });
  const pod = checkSandboxMetadata(sandboxConfig, engine.rules);
  if (engine.rules.lookupFirst) checkBefore(engine, { sandbox, pod }, creation.config?.metadata);
  const config = checkContainer(creation.config, sandbox, engine);
  engine.store.requireRoom(config);
  const record = await reserving(engine, { sandbox, pod }, config.metadata, (id) =>
    engine.queue.run(sandbox.id, signal, async () => {
      const spec = await specOf(engine, sandbox, id, config, sandboxConfig);
      return addContainer(engine, sandbox, spec, make, signal);
    }),
  );
  await engine.bus.room(signal);
  return record;
}

/** The checks that some runtimes do before those of the config. */
function checkBefore(engine: Engine, place: NameScope, metadata: ContainerMetadata | undefined): void {
  const { id, state } = place.sandbox;
  engine.transitions.allowSandbox('CreateContainer', id, state);
  if (metadata !== undefined) refuseTaken(engine, place, metadata);
}

/**
 * Runs in the pod's queue: checks the config and resolves references. Throws the first error of sandbox, image or
 * rules.
 */
async function specOf(
  engine: Engine,
  sandbox: SandboxRecord,
  id: string,
  checked: CheckedConfig,
  sandboxConfig: PodSandboxConfig,
): Promise<ContainerSpec> {
  const { store } = engine;
  if (!store.sandboxes.has(sandbox.id)) throw unknownId('sandbox', sandbox.id);
  engine.transitions.allowSandbox('CreateContainer', sandbox.id, sandbox.state);
  const { checks, stopSignals, sharesLogDirectory } = engine.rules;
  const config = stopSignals ? checked : { ...checked, stopSignal: 0 };
  const directory = sandboxConfig.logDirectory || (sharesLogDirectory ? sandbox.logDirectory : '');
  const logPath = resolveLogPath(directory, config.logPath, checks !== undefined);
  const image = await requireImage(engine, checked.image.image);
  checks?.container(
    config,
    sandbox,
    (wanted) => {
      const found = store.containers.find(wanted);
      return found && { sandboxId: found.sandbox.id, state: found.phase.state };
    },
    logPath,
  );
  const createdAt = engine.timestamps.next();
  return { id, sandboxId: sandbox.id, config, sandboxConfig, image, logPath, createdAt };
}

/** Runs in the pod's queue. If the client has disconnected meanwhile, removes the new container again (INV-17). */
async function addContainer(
  engine: Engine,
  sandbox: SandboxRecord,
  spec: ContainerSpec,
  make: MakeContainer,
  signal: AbortSignal,
): Promise<ContainerRecord> {
  const { backend, store, timestamps } = engine;
  const { id, config, createdAt } = spec;
  const mounts: Mount[] = [];
  for (const mount of config.mounts) mounts.push(await withImageRef(engine, mount));
  const runtime = await make(spec, signal);
  let record: ContainerRecord;
  try {
    if (signal.aborted) throw cancelled('CreateContainer');
    const shownSince = engine.rules.statusCreatedLater ? timestamps.next() : createdAt;
    const shown = { ...spec, config: { ...config, mounts } };
    record = containerRecord(engine, sandbox, shown, runtime, { shownSince });
    store.addContainer(record);
  } catch (error) {
    await backend.removeContainer(id, uncancelled());
    throw error;
  }
  if (engine.rules.findsProgramFirst) await checkProgram(engine, record);
  engine.announce('CREATED', record);
  return record;
}

async function checkProgram({ backend, store }: Engine, record: ContainerRecord): Promise<void> {
  try {
    if (record.startFault !== undefined) throw new StartFailure(record.startFault);
    await backend.checkProgram?.(record.id);
  } catch (error) {
    store.removeContainer(record);
    await backend.removeContainer(record.id, uncancelled());
    throw error instanceof StartFailure ? startFailed(error) : error;
  }
}

/** Returns the mount as ContainerStatus shows it. Throws if its image is not present. */
async function withImageRef(engine: Engine, mount: Mount): Promise<Mount> {
  if (mount.image === undefined || mount.image.image === '') return mount;
  const { id } = await requireImage(engine, mount.image.image, true);
  return engine.rules.mountedImageRefs ? { ...mount, image: { ...mount.image, imageRef: id } } : mount;
}

async function requireImage(engine: Engine, reference: string, mounted = false): Promise<Image> {
  const image = await engine.backend.images.find(reference);
  if (image === undefined)
    throw notFound(
      `${mounted ? 'ImageVolumeMountFailed: ' : ''}image "${reference}" is not present: pull it first`,
      {
        name: 'absent-image',
        image: reference,
        mounted,
      },
    );
  return image;
}

interface RecordOptions {
  readonly phase?: ContainerPhase;
  /** created_at in its status, in Unix nanoseconds; default: createdAt. */
  readonly shownSince?: bigint;
}

export function containerRecord(
  { rules }: Pick<Engine, 'rules'>,
  sandbox: SandboxRecord,
  spec: ContainerSpec,
  runtime: ContainerRuntime,
  { phase = { state: 'CREATED' }, shownSince = spec.createdAt }: RecordOptions = {},
): ContainerRecord {
  const { id, config, createdAt, logPath } = spec;
  const metadata = config.metadata as NonNullable<typeof config.metadata>;
  return {
    id,
    sandbox,
    name: metadata.name,
    attempt: metadata.attempt,
    heldName: heldName(rules, spec),
    startFault: rules.checks?.start(config, id, logPath),
    labels: config.labels,
    image: shownImage(spec),
    tty: config.tty,
    createdAt,
    encodings: encodeContainer(spec, runtime, rules, shownSince),
    resources: rules.resources(runtime.resources),
    phase,
  };
}

/** Runs in the pod's queue. A process that can't be started leaves the container EXITED (INV-2). */
export async function startContainer(
  engine: Engine,
  record: ContainerRecord,
  signal: AbortSignal,
): Promise<void> {
  const { store, transitions, timestamps } = engine;
  if (!store.containers.has(record.id)) throw unknownId('container', record.id);
  const before = record.phase;
  transitions.allowContainer('StartContainer', record.id, before.state);
  if (before.state === 'RUNNING') return;
  allowInSandbox(engine, record);
  if (record.startFault !== undefined) failStart(engine, record, new StartFailure(record.startFault));
  store.setPhase(record, { state: 'CREATED', starting: true });
  try {
    await engine.backend.startContainer(record.id, { signal });
  } catch (error) {
    store.setPhase(record, before);
    if (error instanceof StartFailure) failStart(engine, record, error);
    throw error;
  }
  const startedAt = engine.backend.startedAt?.(record.id) ?? timestamps.next();
  const earlyExit = 'starting' in record.phase ? record.phase.exit : undefined;
  store.setPhase(record, { state: 'RUNNING', startedAt });
  engine.announce('STARTED', record);
  if (earlyExit !== undefined) markExited(engine, record, startedAt, earlyExit);
}

/** In some runtimes, a start in a stopped sandbox makes the container EXITED, like one that can't be started. */
function allowInSandbox(engine: Engine, record: ContainerRecord): void {
  const { id, state } = record.sandbox;
  try {
    engine.transitions.allowSandbox('StartContainer', id, state);
  } catch (error) {
    if (engine.rules.startsAlone(() => containerConfig(record))) return;
    const message = engine.rules.failedInStoppedSandbox(id);
    if (message !== undefined) endUnstarted(engine, record, message);
    throw error;
  }
}

function failStart(engine: Engine, record: ContainerRecord, failure: StartFailure): never {
  endUnstarted(engine, record, engine.rules.startFailure(failure.message));
  throw startFailed(failure);
}

const startFailed = (failure: StartFailure): CriError =>
  new CriError('internal', failure.message, {
    cause: failure,
    problem: { name: 'start-failed', text: failure.message },
  });

function endUnstarted(engine: Engine, record: ContainerRecord, message: string): void {
  const { rules, store, timestamps } = engine;
  const exit = { ...rules.startError(message), message, finishedAt: timestamps.next() };
  if (rules.failedListedCreated)
    store.setPhase(record, { state: 'CREATED', failed: { ...exit, startedAt: 0n } });
  else markExited(engine, record, 0n, exit, rules.failedStartEvent);
}

/** Runs in the pod's queue: removes a container that isn't running. */
export async function removeStopped(engine: Engine, record: ContainerRecord): Promise<void> {
  await engine.backend.removeContainer(record.id, uncancelled());
  removeRecord(engine, record);
}

export function removeRecord({ store, names, announce }: Engine, record: ContainerRecord): void {
  store.removeContainer(record);
  if (record.heldName !== undefined) names.release(record.heldName, record.id);
  announce('DELETED', record);
}

/** Runs in the pod's queue. All or nothing: the status changes only when the backend has applied everything. */
export async function updateResources(
  engine: Engine,
  record: ContainerRecord,
  linux: LinuxContainerResources | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { backend, store, transitions } = engine;
  if (!backend.capabilities.updateResources)
    throw unsupported('this runtime cannot change the resources of a container');
  if (linux === undefined && !engine.rules.updatesNothing)
    throw invalid('linux resources are missing: windows ones cannot be applied here');
  if (!store.containers.has(record.id)) throw unknownId('container', record.id);
  transitions.allowContainer('UpdateContainerResources', record.id, record.phase.state);
  if (linux === undefined) return;
  store.requireRoom(linux);
  const resources = await backend.updateContainerResources(record.id, linux, { signal });
  store.setContainerResources(record, engine.rules.resources(resources) ?? resources);
}
