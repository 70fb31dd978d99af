// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Restricts calls to the addresses that the plan allows: public addresses, and networks that it names.
///
/// A host is looked up once for each call, and the call goes to the checked address, even if the name changes a moment
/// later.
package struct NetworkGate: Sendable {
    private let system: String
    private let allowed: [NetworkBlock]
    private let world: ConnectorWorld

    /// - Parameter text: Networks, `10.20.0.0/16, ::1`, from the setting `allow`.
    /// - Throws: `plan.system` for a text that is no list of networks.
    package init(_ text: String?, of settings: SystemSettings, world: ConnectorWorld) throws {
        system = settings.system.name
        self.world = world
        allowed = try (text ?? "").split(separator: ",").map { word in
            guard let block = NetworkBlock(String(word.filter { $0 != " " })) else {
                throw settings.fault("has a setting allow that is not a list of networks")
            }
            return block
        }
    }

    /// The address that a call may go to.
    ///
    /// - Throws: `ConnectorFault.misconfigured` for a forbidden address; `passing` if the name cannot be resolved.
    package func pin(_ address: SystemAddress) async throws -> String {
        let host = address.hostName
        guard let text = await world.resolve(host, address.port), let found = NetworkAddress(text) else {
            throw ConnectorFault.passing(system, "its host name cannot be resolved")
        }
        let isNamed = allowed.contains { $0.holds(found) || $0.holds(found.meant) }
        guard found.isPublic || isNamed else {
            throw ConnectorFault.misconfigured(
                system, "its host is in a private network that `allow` does not name")
        }
        guard address.scheme == "https" || found.isLoopback else {
            throw ConnectorFault.misconfigured(system, "its address begins with http: others could read the data")
        }
        return text
    }
}
