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
            throw missing(
                name, "the plan does not say where it is",
                remedy: "Name its place in `secrets` of the system in the plan")
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
            switch place {
            case .environment(let variable):
                throw missing(
                    name, "the environment variable \(Shown.name(variable)) is not set, or empty",
                    remedy: "Set the variable where Farewell runs")
            case .file(let path):
                throw missing(
                    name, "the file \(Shown.name(path)) is empty, or cannot be read",
                    remedy: "Put the secret into the file, and let Farewell's user read it")
            }
        }
        return secret
    }

    /// The system was not asked.
    private func missing(_ name: String, _ why: String, remedy: String) -> ConnectorFault {
        ConnectorFault(
            FarewellError(
                "connector.credentials", .yoursToFix,
                "Farewell has no secret \(name) for the system \(system.name): \(why).",
                remedy: "\(remedy); then release the erasure."))
    }
}
