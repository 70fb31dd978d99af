// SPDX-License-Identifier: Apache-2.0

/// A third-party system that holds data of subjects, and its connection.
public struct SystemPlan: Sendable, Hashable {
    /// The system's name in receipts, steps and answers, e.g. `stripe`.
    public var name: String
    /// The kind of system, which selects the connector, e.g. `cognito`.
    public var kind: String
    public var person: Person
    public var stage: Stage
    /// The connector's public settings.
    public var settings: [String: String]
    /// The places of its secrets. A plan never contains the secrets themselves.
    public var secrets: [String: SecretPlace]
    /// The table of the app's database that lists the subject's items of the system; `nil` if there is none.
    public var owned: OwnedItems?
    /// The part of its data that an export contains.
    public var export = SystemExportRule()

    /// The system's name for the subject.
    public enum Person: Sendable, Hashable {
        /// The subject's key.
        case key
        /// The values of a column of the subject's rows; all of them if there are several.
        case column(ColumnName)
    }

    /// The stage of the run in which the system is erased.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Before files and rows, concurrently with the others.
        case first
        /// After everything else: users sign in by it, and until it is deleted they can request the erasure again.
        case identity
    }

    public init(
        name: String, kind: String, person: Person = .key, stage: Stage = .first, settings: [String: String] = [:],
        secrets: [String: SecretPlace] = [:]
    ) {
        self.name = name
        self.kind = kind
        self.person = person
        self.stage = stage
        self.settings = settings
        self.secrets = secrets
    }

    /// The name of its step.
    public var step: String { "system: \(name)" }
}

extension Plan {
    /// The systems whose turn it is at a stage, in the plan's order.
    public func systems(_ stage: SystemPlan.Stage) -> [SystemPlan] { systems.filter { $0.stage == stage } }
}
