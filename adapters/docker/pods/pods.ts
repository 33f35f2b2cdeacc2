import { notFound } from '../../../src/cri/errors.js';
import type { Inventory, RecoveredContainer, RecoveredSandbox } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import type { DockerEvent, Listed } from '../daemon/monitor.js';
import { inTurns } from '../in-turns.js';
import { DockerContainer, LOST } from './docker-container.js';
import { DockerSandbox } from './docker-sandbox.js';
import { removeListed } from './recover.js';
import { removeFromDocker } from './removal.js';
import { dockerSignal } from './signals.js';
import { noteWritten } from './written-places.js';

export class Pods {
  readonly sandboxes = new Map<string, DockerSandbox>();
  readonly containers = new Map<string, DockerContainer>();
  readonly #context: () => Context;

  constructor(context: () => Context) {
    this.#context = context;
  }

  sandbox(id: string): DockerSandbox {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) throw notFound(`Docker has no sandbox ${id}`);
    return sandbox;
  }

  container(id: string): DockerContainer {
    const container = this.containers.get(id);
    if (container === undefined) throw notFound(`Docker has no container ${id}`);
    return container;
  }

  /** Resolves when the exit has been reported; the exit of a container that Docker no longer has is unknown. */
  async stopContainer(id: string, timeout: number, signal: AbortSignal): Promise<void> {
    const container = this.containers.get(id);
    if (container !== undefined) await container.stop(timeout, signal);
    else this.#context().host.containerExited({ containerId: id, ...LOST });
  }

  async adopt({ sandboxes, containers }: Inventory): Promise<void> {
    for (const one of sandboxes) this.#adoptSandbox(one);
    for (const { spec } of containers) await noteWritten(this.#context(), spec);
    await Promise.all(containers.map((one) => this.#adoptContainer(one)));
  }

  #adoptSandbox({ spec, ready }: RecoveredSandbox): void {
    this.sandboxes.set(spec.id, new DockerSandbox(this.#context(), spec, ready));
  }

  async #adoptContainer({ spec, runtime, state, startedAt }: RecoveredContainer): Promise<void> {
    const container = new DockerContainer(this.#context(), spec, dockerSignal(runtime.stopSignal));
    this.containers.set(spec.id, container);
    await container.adopt(state === 'running', state === 'exited' && startedAt > 0n);
  }

  /** Compensates for missed events. Exits are checked before this resolves. */
  async reconcile(listing: readonly Listed[]): Promise<void> {
    const listed = new Map(listing.map((one) => [one.id, one]));
    for (const id of this.containers.keys()) if (!listed.has(id)) await this.#containerGone(id);
    for (const id of this.sandboxes.keys()) if (!listed.has(id)) await this.#sandboxGone(id);
    const isKnown = ({ id }: Listed) => this.sandboxes.has(id) || this.containers.has(id);
    const unknown = inTurns(
      listing.filter((one) => !isKnown(one)),
      (one) => this.#check(one),
    );
    await Promise.all([unknown, ...listing.filter(isKnown).map((one) => this.#check(one))]);
  }

  async #check(one: Listed): Promise<void> {
    const known = this.sandboxes.get(one.id) ?? this.containers.get(one.id);
    if (known === undefined) {
      const removal = this.#removeUnlessKnown(one);
      // The creation of this container waits for Docker, perhaps longer than this may wait.
      if (!this.#context().making.has(one.id)) await removal;
    } else if (one.state !== 'running') await known.checkEnd();
    else this.#checkStart(one);
  }

  /** Removes containers whose reply was lost or whose server was killed: Docker creates them anyway, however late. */
  async #removeUnlessKnown({ id, dockerId }: Pick<Listed, 'id' | 'dockerId'>): Promise<void> {
    const context = this.#context();
    await context.making.untilMade(id);
    if (!this.sandboxes.has(id) && !this.containers.has(id)) await removeListed(context, dockerId);
  }

  /** Only a client may start a container. */
  #checkStart({ id, dockerId }: Pick<Listed, 'id' | 'dockerId'>): void {
    const container = this.containers.get(id);
    container?.resume();
    if (container?.isIdle === true)
      void this.#context()
        .docker.getContainer(dockerId)
        .kill({ signal: 'SIGKILL' })
        .catch(() => {});
  }

  event(event: DockerEvent): void {
    const { id, kind, action, exit } = event;
    if (action === 'create') void this.#removeUnlessKnown(event);
    else if (action === 'start') this.#checkStart(event);
    else if (action === 'destroy') this.#gone(kind, id);
    else if (kind === 'container') void this.containers.get(id)?.checkEnd(exit);
    else void this.sandboxes.get(id)?.checkEnd();
  }

  #gone(kind: DockerEvent['kind'], id: string): void {
    const leaving = kind === 'container' ? this.#containerGone(id) : this.#sandboxGone(id);
    leaving.catch((error: unknown) => this.#context().warn(`${kind} ${id} can't be let go`, error));
  }

  async #containerGone(id: string): Promise<void> {
    const container = this.containers.get(id);
    if (container === undefined || container.removing) return;
    // Reports its end first; a concurrent stop waits for that.
    await container.end();
    this.containers.delete(id);
    this.#context().host.containerVanished(id);
  }

  /** Its containers can't live without its namespaces. */
  async #sandboxGone(id: string): Promise<void> {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined || sandbox.removing) return;
    this.sandboxes.delete(id);
    sandbox.close();
    const members = [...this.containers.values()].filter(({ spec }) => spec.sandboxId === id);
    for (const { spec, docker } of members) {
      await this.#containerGone(spec.id);
      await removeFromDocker(docker).catch(() => {});
    }
    this.#context().host.sandboxVanished(id);
  }

  async close(): Promise<void> {
    for (const sandbox of this.sandboxes.values()) sandbox.close();
    await Promise.all([...this.containers.values()].map((container) => container.close()));
  }
}
