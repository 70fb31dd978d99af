// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A plan's settings of a system, read strictly: an unknown one is a fault, because it may have been meant as a
/// protection.
///
/// Every kind has `rate`: the most calls a second that this process makes to the system, 1 to 1,000, if the default is
/// more than the vendor's quota leaves, or less than it allows.
package struct SystemSettings: Sendable {
    package let system: SystemPlan

    /// - Throws: `plan.system` naming the setting or secret that the kind does not have.
    package init(_ system: SystemPlan, of kind: SystemKind) throws {
        self.system = system
        if !system.export.omit.isEmpty || !system.export.keep.isEmpty, !kind.namesValues {
            throw fault("has no values with names, so its `export` is `yes` or `no`")
        }
        if system.owned != nil, !kind.takesItems { throw fault("cannot erase single items, so it has no `owned`") }
        let settings = Set((kind.settings + [SystemKind.rate]).map(\.name))
        for name in system.settings.keys.sorted() where !settings.contains(name) {
            throw fault("has an unknown setting, \(name)", remedy: Self.known(settings, "setting"))
        }
        let secrets = Set(kind.secrets.map(\.name))
        for name in system.secrets.keys.sorted() where !secrets.contains(name) {
            throw fault("has an unknown secret, \(name)", remedy: Self.known(secrets, "secret"))
        }
    }

    /// The remedy for an unknown name.
    private static func known(_ names: Set<String>, _ what: String) -> String {
        names.isEmpty
            ? "Remove it: the kind needs no \(what)." : "Its \(what)s are \(names.sorted().joined(separator: ", "))."
    }

    package subscript(name: String) -> String? { system.settings[name] }

    package func required(_ name: String) throws -> String {
        guard let value = system.settings[name], !value.isEmpty else { throw fault("needs the setting \(name)") }
        return value
    }

    /// One of some words; the first if none is given.
    package func word(_ name: String, of words: [String]) throws -> String {
        let value = system.settings[name] ?? words[0]
        guard words.contains(value) else {
            throw fault("has a setting \(name) that is not one of \(words.joined(separator: ", "))")
        }
        return value
    }

    /// A whole number within bounds; `nil` if none is given.
    package func number(_ name: String, in bounds: ClosedRange<Int>) throws -> Int? {
        guard let text = system.settings[name] else { return nil }
        guard let number = Int(text), bounds.contains(number) else {
            throw fault("has a setting \(name) that is not a number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    /// A kind's declaration, with the budget of calls that the plan gives the system.
    package func paced(_ usual: ConnectorDeclaration) throws -> ConnectorDeclaration {
        guard let rate = try number("rate", in: 1...1_000) else { return usual }
        var declaration = usual
        declaration.budget = RateBudget(burst: rate, perSecond: Double(rate))
        return declaration
    }

    /// The address of the setting `endpoint`, or the usual one.
    package func address(else usual: String) throws -> SystemAddress {
        try SystemAddress(system.settings["endpoint"] ?? usual, system: system.name)
    }

    /// The setting `prefix`, split before and after the subject's name. It ends with a slash and the name is between
    /// slashes, so that no longer name with the same beginning is reached.
    package func prefix() throws -> (before: String, after: String) {
        let parts = try required("prefix").parts(around: "{person}")
        guard parts.count == 2, parts[1].hasBytePrefix("/"), parts[1].hasByteSuffix("/"),
            parts[0].isEmpty || parts[0].hasByteSuffix("/")
        else { throw fault("needs a prefix with {person} between slashes and a slash at its end") }
        return (parts[0], parts[1])
    }

    /// The setting `path`, in the parts before and after the subject's name, which is one whole part of it: so no
    /// longer name with the same beginning is reached.
    package func path() throws -> (before: [String], after: [String]) {
        let parts = try required("path").slashParts
        guard let place = parts.firstIndex(of: "{person}"), !parts.contains(where: \.isEmpty),
            parts.count(where: { $0.parts(around: "{person}").count > 1 }) == 1
        else { throw fault("needs a path of parts between slashes, one of which is {person}") }
        return (Array(parts[..<place]), Array(parts[(place + 1)...]))
    }

    /// The setting `empty`: whether the place may be completely empty, according to the author of the plan.
    package func mayBeEmpty() throws -> Bool { try word("empty", of: ["refused", "allowed"]) == "allowed" }

    /// The setting `mixed`: whether other systems of the plan erase names of other forms in the same place.
    func isMixed() throws -> Bool { try word("mixed", of: ["refused", "allowed"]) == "allowed" }

    /// The setting `name` as a template with `{person}` in it; the subject's name alone without one.
    func template(_ name: String) throws -> NameTemplate? {
        guard let text = system.settings[name] else { return nil }
        guard let template = NameTemplate(text) else { throw fault("needs {person} once in its setting \(name)") }
        return template
    }

    package func fault(_ what: String, remedy: String = "Correct `systems` in the plan.") -> FarewellError {
        FarewellError(
            "plan.system", .yoursToFix, "The plan's system \(system.name), of the kind \(system.kind), \(what).",
            remedy: remedy)
    }
}
