// SPDX-License-Identifier: Apache-2.0

/// A system of somebody else that holds data of people, and how it is reached.
public struct SystemPlan: Sendable, Hashable {
    /// The system's name in receipts, steps and answers, e.g. `stripe`.
    public var name: String
    /// Which connector erases there, e.g. `cognito`.
    public var kind: String
    public var person: Person
    public var stage: Stage
    /// What the connector must know, and anybody may.
    public var settings: [String: String]
    /// Where its secrets are found. They themselves never stand in a plan.
    public var secrets: [String: SecretPlace]
    /// Where the app's database lists what of the system's items is the subject's; `nil` where it does not.
    public var owned: OwnedItems?

    /// What the system calls the person.
    public enum Person: Sendable, Hashable {
        /// The subject's key.
        case key
        /// What stands in a column of the person's rows; everything where there are several.
        case column(ColumnName)
    }

    /// When the system's turn comes.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Before files and rows, side by side with the others.
        case first
        /// After everything else: people sign in by it, and until it is gone they can ask again.
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
