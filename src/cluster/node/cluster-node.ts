import type { CriClient } from '../../cri/client/client.js';
import type { NodePod } from '../../kubelet/hosts/kubelet.js';
import type { KubeletFiles, NodeReady } from '../../kubelet/index.js';
import type { Assembly } from '../../runtime/assembly/assembly.js';
import type { RuntimeOrigin } from '../../runtime/assembly/origin.js';
import type { Runtime } from '../../runtime/engine/runtime.js';
import type { Tape } from '../../tape/tape.js';
import type { NodeStreams } from './node-streams.js';

/** A node in this process: a runtime with fault rules in front of it, and a restartable kubelet. */
export interface ClusterNode {
  readonly name: string;
  /** The runtime as the kubelet calls it: fault rules and restarts apply. */
  readonly cri: CriClient;
  readonly streams: NodeStreams;
  /** Log files are real files of this machine. */
  readonly files: KubeletFiles;
  readonly assembly: Assembly;
  /** Without fault rules. */
  readonly runtime: Runtime;
  /** Without fault rules. */
  readonly service: RuntimeOrigin['service'];
  /** Receives every call, applied fault and decision of the kubelet, while it has listeners. */
  readonly tape: Tape;
  /** Empty while the kubelet is not running. */
  pods(): readonly NodePod[];
  readonly up: boolean;
  /** The last reported Ready condition; undefined before the first report. */
  readonly ready: NodeReady['status'] | undefined;
  /** The kubelet finds the pods that the runtime still has. Does nothing while it runs. */
  startKubelet(): Promise<void>;
  /** Stops the kubelet like SIGKILL. Pods keep running. */
  stopKubelet(): void;
  /** Stops the kubelet and ends all containers. */
  close(): Promise<void>;
}
