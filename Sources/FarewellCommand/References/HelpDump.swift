// SPDX-License-Identifier: Apache-2.0

/// The command's description of itself, as ArgumentParser writes it in JSON.
struct HelpDump: Decodable {
    let command: Command

    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let arguments: [Argument]?
        let subcommands: [Command]?
        let shouldDisplay: Bool?

        /// The sub-commands that the help shows, without `help` itself.
        var shown: [Command] { (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" } }
    }

    struct Argument: Decodable {
        let kind: String
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let defaultValue: String?
        let allValues: [String]?
        let isRepeating: Bool?
        let shouldDisplay: Bool?

        /// Whether the documentation lists it; every command has `--help` and `--version`.
        var isDocumented: Bool {
            shouldDisplay != false && !["help", "version"].contains(names?.last?.name ?? "")
        }

        /// `--database <address>`, `--json`, `<plan>`.
        var written: String {
            let value = "<\(valueName ?? "value")>"
            guard kind != "positional" else { return value }
            let names = (names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name }.joined(separator: ", ")
            return kind == "flag" ? names : "\(names) \(value)"
        }

        /// The help, with the accepted words. ArgumentParser gives the negative form of a flag the positive one's help.
        var meaning: String {
            if kind == "flag", let name = names?.first?.name, name.hasPrefix("no-") {
                return "Without \("--\(name.dropFirst(3))".asCode)."
            }
            let words = allValues.map { " One of \($0.map(\.asCode).joined(separator: ", "))." } ?? ""
            let repeating = isRepeating == true && abstract?.contains("repeated") != true ? " May be repeated." : ""
            return (abstract ?? "") + words + repeating
        }
    }

    struct Name: Decodable {
        let kind: String
        let name: String
    }
}
