import { useEffect, useRef, useState } from 'preact/hooks';
import { type Container, get, podsAt, type Rule, type Sandbox, send } from './control.js';

interface PanelInput {
  readonly changes: number;
  readonly node?: string | undefined;
}

export function LivePanel({ changes, node }: PanelInput) {
  const { pods, rules, look } = useServer(changes, node);
  const [problem, setProblem] = useState('');
  const [notes, setNotes] = useState<readonly string[]>([]);
  const act = async (method: string, path: string, body?: object) => {
    setProblem('');
    setNotes([]);
    try {
      const { notes: made } = await send<{ notes?: string[] }>(method, path, body);
      setNotes(made ?? []);
      return true;
    } catch (error) {
      setProblem((error as Error).message);
      return false;
    } finally {
      await look();
    }
  };
  // Nodes have no route for it.
  const end = (id: string, exit: object) => act('POST', `/v1/containers/${id}/exit`, exit);
  return (
    <div class="now">
      <h2>Fault rules</h2>
      <NewRule onAdd={(shorthand) => act('POST', '/v1/faults', { shorthand, ...(node && { node }) })} />
      {problem !== '' && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {rules.length === 0 ? (
        <p>There are no fault rules.</p>
      ) : (
        <>
          <RuleTable
            rules={rules}
            onRemove={(name) => act('DELETE', `/v1/faults/${encodeURIComponent(name)}`)}
          />
          <button type="button" onClick={() => act('POST', '/v1/reset')}>
            Reset: remove all rules
          </button>
        </>
      )}
      <h2>Pods now</h2>
      {pods === undefined && <p>The server has not answered yet.</p>}
      {pods === 'elsewhere' && <p>The state of this runtime is in another process.</p>}
      {pods?.length === 0 && <p>There are no pods.</p>}
      {(pods === undefined || pods === 'elsewhere' ? [] : pods).map((pod) => (
        <PodSection key={pod.id} pod={pod} onEnd={node === undefined ? end : undefined} />
      ))}
    </div>
  );
}

/** The server's state, refreshed when `changes` increases, and by `look`. */
function useServer(changes: number, node: string | undefined) {
  /** `elsewhere` if the server does not have the state; undefined before its first answer. */
  const [pods, setPods] = useState<readonly Sandbox[] | 'elsewhere'>();
  const [rules, setRules] = useState<readonly Rule[]>([]);
  const looking = useRef({ isUnderWay: false, again: false });

  /** One request at a time, so that a slow server is not flooded. */
  const statePath = node === undefined ? '/v1/state' : `/v1/nodes/${encodeURIComponent(node)}/state`;
  const look = async () => {
    const now = looking.current;
    now.again = true;
    if (now.isUnderWay) return;
    now.isUnderWay = true;
    while (now.again) {
      now.again = false;
      const [state, faults] = await Promise.all([
        podsAt(statePath),
        get<{ faults: Rule[] }>('/v1/faults').catch(() => undefined),
      ]);
      if (state !== undefined) setPods(state);
      if (faults !== undefined) setRules(faults.faults);
    }
    now.isUnderWay = false;
  };
  useEffect(() => void look(), [changes]);
  return { pods, rules, look };
}

/** Input for a rule in shorthand; cleared when the server has accepted it. */
function NewRule({ onAdd }: { readonly onAdd: (shorthand: string) => Promise<boolean> }) {
  const [shorthand, setShorthand] = useState('');
  const add = async (event: Event) => {
    event.preventDefault();
    if (await onAdd(shorthand)) setShorthand('');
  };
  return (
    <form onSubmit={add}>
      <input
        aria-label="Fault rule in shorthand"
        placeholder="StartContainer=1*error(UNAVAILABLE)"
        spellcheck={false}
        value={shorthand}
        onInput={({ currentTarget }) => setShorthand(currentTarget.value)}
      />
      <button type="submit">Add</button>
    </form>
  );
}

interface RuleTableInput {
  readonly rules: readonly Rule[];
  readonly onRemove: (name: string) => void;
}

function RuleTable({ rules, onRemove }: RuleTableInput) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Seen</th>
          <th scope="col">Applied</th>
          <th scope="col">Left</th>
          <th scope="col">
            <span class="hidden">Remove</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map(({ name, text, seen, applied, left }) => (
          <tr key={name}>
            <td>
              {name} <small>{text}</small>
            </td>
            <td>{seen}</td>
            <td>{applied}</td>
            <td>{left ?? '∞'}</td>
            <td>
              <button type="button" aria-label={`Remove rule ${name}`} onClick={() => onRemove(name)}>
                ×
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PodInput {
  readonly pod: Sandbox;
  readonly onEnd: ((id: string, exit: object) => void) | undefined;
}

function PodSection({ pod, onEnd }: PodInput) {
  return (
    <section class="pod" aria-label={`Pod ${pod.namespace}/${pod.name}`}>
      <h3>
        {pod.namespace}/{pod.name} <small>{pod.state.toLowerCase()}</small>
      </h3>
      <ul>
        {pod.containers.map((container) => (
          <ContainerLine
            key={container.id}
            container={container}
            onEnd={onEnd && ((exit) => onEnd(container.id, exit))}
          />
        ))}
      </ul>
    </section>
  );
}

interface ContainerInput {
  readonly container: Container;
  readonly onEnd: ((exit: object) => void) | undefined;
}

function ContainerLine({ container: { name, attempt, state, exitCode, reason }, onEnd }: ContainerInput) {
  const isOver = state === 'EXITED';
  const end = isOver
    ? `exit ${exitCode}${reason && reason !== 'Completed' ? ` ${reason}` : ''}`
    : state.toLowerCase();
  return (
    <li>
      <span class={`state ${state === 'RUNNING' ? 'good' : isOver && exitCode !== 0 ? 'bad' : 'idle'}`}>
        {end}
      </span>
      <span>
        {name}
        {attempt > 0 ? ` #${attempt}` : ''}
      </span>
      {state === 'RUNNING' && onEnd !== undefined && (
        <>
          <button
            type="button"
            aria-label={`End ${name} with exit code 1`}
            onClick={() => onEnd({ exitCode: 1 })}
          >
            End
          </button>
          <button
            type="button"
            aria-label={`OOM: end ${name} as if it used too much memory`}
            onClick={() => onEnd({ exitCode: 137, reason: 'OOMKilled' })}
          >
            OOM
          </button>
        </>
      )}
    </li>
  );
}
