// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `farewell completions`: prints a completion script for a shell.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print completions for bash, zsh or fish.",
        discussion: """
            The packages install these scripts. After an installation by hand, write the output into your shell's \
            file:

              farewell completions bash > FILE

              bash   ~/.local/share/bash-completion/completions/farewell
              zsh    ~/.zsh/completions/_farewell
              fish   ~/.config/fish/completions/farewell.fish

            zsh reads the file if its folder is in fpath before compinit runs.

            \(ExitStatus.pointer)
            """)

    @Argument(help: "The shell.")
    var shell: Shell

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var kind: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    func run() throws { try Terminal.output.deliver(FarewellCommand.completionScript(for: shell.kind) + "\n") }
}
