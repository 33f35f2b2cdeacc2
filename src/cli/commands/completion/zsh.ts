import { shellWord } from '../../../base/markup/shell-word.js';
import type { CompletionNode } from './tree.js';

export const zshScript = (nodes: readonly CompletionNode[]): string => `#compdef mockri
# Completion of mockri for zsh.
_mockri() {
  local place='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      ${nodes.flatMap(pathsOf).join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  local -a commands options values
  local previous=\${words[CURRENT-1]}
  # --option=value is one word.
  if [[ $PREFIX == --*=* ]]; then previous=\${PREFIX%%=*}; compset -P '*='; fi
  case "$place $previous" in
${nodes.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${nodes.map(nodeCase).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  else
    (( \${#commands} )) && _describe command commands
    (( \${#values} )) && compadd -a values
    (( \${#commands} )) || _files
  fi
}
if [ "$funcstack[1]" = _mockri ]; then _mockri "$@"; else compdef _mockri mockri; fi
`;

const pathsOf = ({ path, commands }: CompletionNode): string[] =>
  commands.map(({ word }) => shellWord(`${path} ${word}`));

const nodeCase = ({ path, commands, options, words }: CompletionNode): string =>
  [
    `    ${shellWord(path)})`,
    `      commands=(${commands.map(described).join(' ')})`,
    `      options=(${options.map(described).join(' ')})`,
    `      values=(${words.map(shellWord).join(' ')}) ;;`,
  ].join('\n');

const described = ({ word, about }: { readonly word: string; readonly about: string }): string =>
  shellWord(`${word}:${about.replaceAll('\\', '').replaceAll(':', '\\:')}`);

const valueCases = ({ path, options }: CompletionNode): string[] =>
  options.flatMap(({ word, values }) => {
    if (values === undefined) return [];
    const reply = values.length > 0 ? `compadd -- ${values.map(shellWord).join(' ')}` : '_files';
    return [`    ${shellWord(`${path} ${word}`)}) ${reply}; return ;;`];
  });
