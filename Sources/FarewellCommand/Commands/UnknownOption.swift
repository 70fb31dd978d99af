// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// An option on the command line that the command does not have.
enum UnknownOption {
    /// The first one, up to its equals sign; `nil` if there is none.
    static func first(in arguments: [String]) -> String? {
        guard let dump = try? JSONDecoder().decode(HelpDump.self, from: Data(FarewellCommand._dumpHelp().utf8)) else {
            return nil
        }
        return first(in: arguments, of: dump.command)
    }

    /// The same for a command whose arguments these are.
    static func first(in arguments: [String], of command: HelpDump.Command) -> String? {
        if let name = arguments.first, let next = command.subcommands?.first(where: { $0.commandName == name }) {
            return first(in: Array(arguments.dropFirst()), of: next)
        }
        let known = Set((command.arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)).union(["help", "version"])
        return arguments.prefix { $0 != "--" }.lazy.filter { $0.hasPrefix("--") }
            .map { String($0.prefix { $0 != "=" }) }.first { !known.contains(String($0.dropFirst(2))) }
    }
}
