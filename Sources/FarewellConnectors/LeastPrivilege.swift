// SPDX-License-Identifier: Apache-2.0

public import Farewell
import Foundation

/// The rights that a plan's systems need, and no others, as each system's own tools take them.
public struct LeastPrivilege: Sendable, Hashable {
    /// The rights that one system's key needs.
    public struct Scope: Sendable, Hashable {
        public var system: String
        public var kind: String
        /// In the system's own words.
        public var permissions: [String]
    }

    /// The systems of AWS together, as a policy of IAM (JSON); `nil` when the plan names none.
    public let policy: String?
    /// The other systems, in the plan's order.
    public let scopes: [Scope]

    /// - Parameter connectors: Those of the plan, by its systems' names.
    public init(of plan: Plan, _ connectors: [String: any Connector]) throws {
        var statements: [Statement] = []
        var scopes: [Scope] = []
        for system in plan.systems {
            guard let declaration = connectors[system.name]?.declaration else { continue }
            guard !declaration.grants.isEmpty else {
                scopes.append(
                    Scope(system: system.name, kind: system.kind, permissions: declaration.permissions))
                continue
            }
            for grant in declaration.grants { statements.append(Statement(system.name, statements.count, grant)) }
        }
        self.scopes = scopes
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        policy =
            statements.isEmpty
            ? nil : String(decoding: try encoder.encode(Policy(Statement: statements)), as: UTF8.self)
    }

    /// As IAM spells it.
    private struct Policy: Encodable {
        let Version = "2012-10-17"
        let Statement: [Statement]
    }

    private struct Statement: Encodable {
        let Sid: String
        let Effect = "Allow"
        let Action: [String]
        let Resource: String

        /// A name there is made of letters and digits.
        init(_ system: String, _ number: Int, _ grant: ConnectorDeclaration.Grant) {
            Sid = system.filter { $0.isASCII && ($0.isLetter || $0.isNumber) } + String(number + 1)
            Action = grant.actions.sorted()
            Resource = grant.resource
        }
    }
}
