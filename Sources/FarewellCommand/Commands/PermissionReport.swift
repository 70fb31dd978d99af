// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors

/// The rights that the systems of a plan need: standard output has the policy, ready for a file, and the other output
/// has the rights to grant elsewhere.
struct PermissionReport {
    private let rights: LeastPrivilege

    init(of plan: Plan) throws { rights = try LeastPrivilege(of: plan, PlanSystems.connecting(plan)) }

    func say(isJSON: Bool) {
        if isJSON { return Terminal.output.json(Record(rights)) }
        if let policy = rights.policy { Terminal.output.line(policy) }
        // Without a policy the words are the requested output.
        let terminal = rights.policy == nil ? Terminal.output : Terminal.error
        for scope in rights.scopes {
            terminal.line("\(Terminal.printable(scope.system)) (\(Terminal.printable(scope.kind)))")
            for permission in scope.permissions { terminal.line("  \(permission)") }
        }
        if rights.policy == nil, rights.scopes.isEmpty { terminal.line("The plan names no systems.") }
    }

    private struct Record: Encodable {
        struct Scope: Encodable {
            let system: String
            let kind: String
            let permissions: [String]
        }

        let policy: String?
        let systems: [Scope]

        init(_ rights: LeastPrivilege) {
            policy = rights.policy
            systems = rights.scopes.map { .init(system: $0.system, kind: $0.kind, permissions: $0.permissions) }
        }
    }
}
