import { Argument, Command } from 'commander';
import { bashScript } from './completion/bash.js';
import { fishScript } from './completion/fish.js';
import { completionTree } from './completion/tree.js';
import { zshScript } from './completion/zsh.js';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const EXAMPLES = `
Examples:
  $ mockri completion bash > ~/.local/share/bash-completion/completions/mockri
  $ mockri completion zsh > "\${fpath[1]}/_mockri"
  $ mockri completion fish > ~/.config/fish/completions/mockri.fish
  $ source <(mockri completion bash)                      for this shell only

The script completes commands, options, their values and the names of the bundled scenarios. It does not start mockri.
`;

export function completionCommand(load: () => Promise<Command>): Command {
  return new Command('completion')
    .description('print a completion script for bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: keyof typeof scripts) => {
      process.stdout.write(scripts[shell](completionTree(await load())));
    });
}
