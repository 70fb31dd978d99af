// SPDX-License-Identifier: Apache-2.0

import Farewell

/// How a service's emulator is found, as Google's own clients find it. An emulator takes the token `owner` and asks for
/// no credentials.
///
/// https://firebase.google.com/docs/emulator-suite/connect_and_prototype
struct GoogleEmulator: Sendable {
    /// Variables that name it (`FIRESTORE_EMULATOR_HOST`), the first that is set counts.
    let variables: [String]
    /// The prefix of every path there.
    var base = ""
    /// The plan's `endpoint` is a database's name, not its place: the variable overrides it, and the emulator gets the
    /// database's name, the first part of the host's (`ns`). For all others an `endpoint` overrides the variable.
    var namesDatabase = false

    /// The emulator's address, and the additions to every call; `nil` if none is configured.
    ///
    /// - Throws: `plan.system` or `connector.misconfigured` if it is not an address.
    func place(
        _ settings: SystemSettings, _ world: ConnectorWorld
    ) throws -> (address: SystemAddress, query: [(name: String, value: String)])? {
        let endpoint = settings["endpoint"]
        // As the client takes it, the database's address may be the emulator's own: `http://127.0.0.1:9000?ns=app`.
        if namesDatabase, let endpoint, endpoint.hasBytePrefix("http://") {
            let parts = endpoint.parts(around: "?ns=")
            guard parts.count == 2, !parts[1].isEmpty else { return nil }
            return (try SystemAddress(parts[0], system: settings.system.name), [("ns", parts[1])])
        }
        guard endpoint == nil || namesDatabase,
            let variable = variables.first(where: { world.variable($0) != nil }), let host = world.variable(variable)
        else { return nil }
        guard let address = SystemAddress(emulator: host, base: base) else {
            throw ConnectorFault.misconfigured(
                settings.system.name, "the variable \(variable) is not an address such as 127.0.0.1:8080"
            ).error
        }
        guard namesDatabase else { return (address, []) }
        let database = try SystemAddress(try settings.required("endpoint"), system: settings.system.name).hostName
        return (address, [("ns", String(decoding: database.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self))])
    }
}
