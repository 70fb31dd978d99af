// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A system's secrets, read where the plan says they are at the moment they are needed, so that a renewed one counts at
/// once.
package struct SystemSecrets: Sendable {
    private let system: SystemPlan
    private let world: ConnectorWorld

    package init(_ system: SystemPlan, world: ConnectorWorld) {
        self.system = system
        self.world = world
    }

    /// - Throws: `ConnectorFault.credentials` when it is not named, or not there.
    package func required(_ name: String) throws -> String {
        guard let secret = try given(name) else {
            throw ConnectorFault.credentials(system.name, needs: "a secret named \(name)")
        }
        return secret
    }

    /// `nil` when the plan does not name it.
    package func given(_ name: String) throws -> String? {
        guard let place = system.secrets[name] else { return nil }
        let found: String? =
            switch place {
            case .environment(let variable): world.environment[variable]
            case .file(let path): world.read(path).map { String(decoding: $0, as: UTF8.self) }
            }
        let secret = found?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let secret, !secret.isEmpty else {
            throw ConnectorFault.credentials(system.name, needs: "the secret \(name), which is empty or missing")
        }
        return secret
    }
}
