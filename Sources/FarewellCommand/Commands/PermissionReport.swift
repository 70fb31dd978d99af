// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors

/// The rights that the systems of a plan need: standard output has the policy, ready for a file, and the other output
/// has the rights to grant elsewhere.
struct PermissionReport {
    private let rights: LeastPrivilege

    init(of plan: Plan) throws { rights = try LeastPrivilege(of: plan, PlanSystems.connecting(plan)) }

    func deliver(isJSON: Bool) throws {
        let output = Terminal.output
        if isJSON { return try output.deliver(json: Record(rights)) }
        guard let policy = rights.policy else {
            // Without a policy the words are the requested output. Without systems there is none for a file.
            if rights.scopes.isEmpty { Terminal.error.line("The plan names no systems.") }
            return try output.deliver { say(on: $0) }
        }
        try output.deliver(policy)
        say(on: .error)
    }

    private func say(on terminal: Terminal) {
        for scope in rights.scopes {
            terminal.line("\(Terminal.printable(scope.system)) (\(Terminal.printable(scope.kind)))")
            for permission in scope.permissions { terminal.line("  \(permission)") }
        }
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
