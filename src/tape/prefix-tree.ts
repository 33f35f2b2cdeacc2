interface Node<T> {
  readonly edges: Map<number, Edge<T>>;
  value: T | undefined;
}

interface Edge<T> {
  label: string;
  node: Node<T>;
}

export interface Found<T> {
  readonly value: T;
  readonly end: number;
}

/**
 * Texts with values. Finds the longest text at a position in one walk, regardless of their number. Texts share
 * prefixes, so the tree has at most twice as many nodes as texts.
 */
export class PrefixTree<T> {
  readonly #root: Node<T> = createNode();
  compared = 0;

  set(text: string, value: T): void {
    let node = this.#root;
    for (let at = 0; at < text.length; ) {
      const edge = node.edges.get(text.charCodeAt(at));
      if (edge === undefined) {
        const last: Node<T> = { edges: new Map(), value };
        node.edges.set(text.charCodeAt(at), { label: text.slice(at), node: last });
        return;
      }
      const same = sameLength(edge.label, text, at);
      if (same < edge.label.length) split(edge, same);
      at += same;
      node = edge.node;
    }
    node.value = value;
  }

  delete(text: string): void {
    const path: { readonly node: Node<T>; readonly code: number }[] = [];
    let node = this.#root;
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at);
      const edge = node.edges.get(code);
      if (edge === undefined || !text.startsWith(edge.label, at)) return;
      path.push({ node, code });
      at += edge.label.length;
      node = edge.node;
    }
    node.value = undefined;
    // No other text has the rest as a prefix.
    for (const before of path.reverse()) {
      if (node.value !== undefined || node.edges.size > 0) return;
      before.node.edges.delete(before.code);
      node = before.node;
    }
  }

  longestAt(text: string, start: number): Found<T> | undefined {
    let node = this.#root;
    let found: Found<T> | undefined;
    for (let at = start; ; ) {
      const edge = node.edges.get(text.charCodeAt(at));
      if (edge === undefined) return found;
      const same = sameLength(edge.label, text, at);
      this.compared += same;
      if (same < edge.label.length) return found;
      at += same;
      node = edge.node;
      if (node.value !== undefined) found = { value: node.value, end: at };
    }
  }
}

const createNode = <T>(): Node<T> => ({ edges: new Map(), value: undefined });

function sameLength(label: string, text: string, at: number): number {
  let same = 0;
  while (same < label.length && label.charCodeAt(same) === text.charCodeAt(at + same)) same++;
  return same;
}

function split<T>(edge: Edge<T>, at: number): void {
  const middle = createNode<T>();
  middle.edges.set(edge.label.charCodeAt(at), { label: edge.label.slice(at), node: edge.node });
  edge.label = edge.label.slice(0, at);
  edge.node = middle;
}
