// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellSQL
import FarewellServer
import FarewellSessions
import Foundation

/// `farewell keys`: the keys that sign access tokens, looked after while servers run.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List, rotate and remove the keys that sign access tokens.",
        discussion: """
            Uses the settings, the database and the state directory of farewell serve, and works while servers run: \
            they see a change at their next call. Nothing is restarted, no user is signed out, and no private key \
            is ever shown. Before the first start of a server it creates nothing.

              farewell keys list
              farewell keys rotate --settings farewell.server.yaml
              farewell keys remove --id Pq2…                        # an emergency

            farewell keys adopt concerns other keys: those of the state directory, which sign receipts and recognise \
            erased subjects. Use it only if they are lost.

            \(ExitStatus.pointer)
            """,
        subcommands: [List.self, Rotate.self, Remove.self, KeysAdoptCommand.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the keys: which one signs, when the next one starts, how long old ones verify.",
            discussion: """
                  farewell keys list --database postgresql://app@db/app
                  farewell keys list --json

                \(ExitStatus.pointer)
                """)

        @OptionGroup var authority: AuthorityOptions
        @OptionGroup var answer: OutputOptions

        func run() async throws {
            let keys = try await ServerAssembly.visiting(authority.settings(), access: .readOnly, log: answer.log) {
                try await $0.signingKeys()
            }
            let output = Terminal.output
            try answer.json
                ? output.deliver(json: keys.map(KeyEntry.init)) : output.deliver { KeyText.say(keys, on: $0) }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a new key that signs in ten minutes; the previous key still verifies.",
            discussion: """
                The new key is published at once and signs ten minutes later, when every service that caches the key \
                set knows it. The previous key verifies until its last token has expired.

                  farewell keys rotate
                  farewell keys rotate --settings farewell.server.yaml --json

                \(ExitStatus.pointer)
                """)

        @OptionGroup var authority: AuthorityOptions
        @OptionGroup var answer: OutputOptions

        func run() async throws {
            let (made, keys) = try await ServerAssembly.visiting(
                authority.settings(), access: .readWrite, log: answer.log
            ) { authority -> (String, [SigningKeyRecord]) in
                let made = try await authority.rotateSigningKey()
                return (made, try await authority.signingKeys())
            }
            guard !answer.json else {
                return try Terminal.output.deliver(json: KeyChange(made: made, removed: nil, keys))
            }
            let terminal = Terminal.output
            terminal.line(terminal.green("✓ ") + "Key \(made) is created and published.")
            KeyText.say(keys, on: terminal)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a key at once: for a key that may have leaked.",
            discussion: """
                Every server refuses tokens of the key at its next call. If it was the signing key, the next key signs \
                at once, or a new one is created; an older one never signs again. Shows the key and asks you to type \
                its identifier. Apps refresh their tokens and continue: no key signs refresh tokens. Services that \
                verify tokens themselves refuse them when they fetch the key set again (docs/operations.md).

                  farewell keys remove --id Pq2…
                  farewell keys remove --id Pq2… --yes --json

                \(ExitStatus.pointer)
                """)

        @OptionGroup var authority: AuthorityOptions
        @OptionGroup var answer: OutputOptions

        // An identifier may begin with a dash.
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The key's identifier (kid), as farewell keys list shows it.", valueName: "kid"))
        var id: String

        @Flag(help: "Do not ask.")
        var yes = false

        func validate() throws { try refuseEmpty([("--id", id)]) }

        func run() async throws {
            let keys = try await ServerAssembly.visiting(
                authority.settings(), access: .readWrite, log: answer.log
            ) { authority -> [SigningKeyRecord] in
                let key = try await authority.signingKey(id)
                if !yes { try ask(about: key) }
                try await authority.removeSigningKey(key.id)
                return try await authority.signingKeys()
            }
            guard !answer.json else {
                return try Terminal.output.deliver(json: KeyChange(made: nil, removed: id, keys))
            }
            let terminal = Terminal.output
            let name = Terminal.printable(id)
            terminal.line(terminal.green("✓ ") + "Key \(name) is removed: its tokens are refused from now on.")
            KeyText.say(keys, on: terminal)
        }

        /// - Throws: `command.unconfirmed` if no user can answer; `ExitStatus.unusable` if the answer is no.
        private func ask(about key: SigningKeyRecord) throws {
            let terminal = Terminal.error
            guard isatty(FileHandle.standardInput.fileDescriptor) == 1, terminal.isInteractive else {
                throw misuse(
                    "command.unconfirmed", "There is no terminal for the confirmation. Nothing was removed.",
                    remedy: "Check with farewell keys list, then add --yes.")
            }
            KeyText.say([key], on: terminal)
            terminal.write("This cannot be undone. Type the key's identifier to continue: ")
            guard readLine()?.trimmingCharacters(in: .whitespaces) == key.id else {
                terminal.line("The text does not match. Nothing was removed.")
                throw ExitStatus.unusable
            }
        }
    }
}

/// Signing keys in words.
private enum KeyText {
    static func say(_ keys: [SigningKeyRecord], on terminal: Terminal) {
        if keys.isEmpty { terminal.line("A shared secret signs the tokens; there are no keys.") }
        for key in keys {
            terminal.line("\(terminal.bold(Terminal.printable(key.id)))  \(Terminal.printable(key.algorithm))")
            terminal.line("  created \(Words.time(key.madeAt)), \(standing(of: key))")
        }
    }

    private static func standing(of key: SigningKeyRecord) -> String {
        switch key.standing {
        case .coming: "signs from \(Words.time(key.signsFrom))"
        case .signing: "signs now"
        case .verifying(until: let end?): "still verifies until \(Words.time(end))"
        case .verifying(until: nil): "still verifies until it is removed"
        }
    }
}

/// A signing key for programs.
private struct KeyEntry: Encodable {
    let kid: String
    let algorithm: String
    let state: String
    let madeAt: String
    let signsFrom: String
    let verifiesUntil: String?

    init(_ key: SigningKeyRecord) {
        kid = key.id
        algorithm = key.algorithm
        madeAt = UTCTime.text(key.madeAt)
        signsFrom = UTCTime.text(key.signsFrom)
        state =
            switch key.standing {
            case .coming: "coming"
            case .signing: "signing"
            case .verifying: "verifying"
            }
        verifiesUntil = if case .verifying(until: let end?) = key.standing { UTCTime.text(end) } else { nil }
    }
}

/// The change of the keys, and their present state, for programs.
private struct KeyChange: Encodable {
    let made: String?
    let removed: String?
    let keys: [KeyEntry]

    init(made: String?, removed: String?, _ keys: [SigningKeyRecord]) {
        self.made = made
        self.removed = removed
        self.keys = keys.map(KeyEntry.init)
    }
}
