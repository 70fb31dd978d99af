// SPDX-License-Identifier: Apache-2.0

/// One of the servers that an address names (libpq, 34.1.1.3, several hosts).
struct PostgreSQLHost: Sendable {
    /// The parameters with which libpq connects to this host; empty if it is the only one.
    let parameters: [(String, String)]

    /// The servers of an address by its parameters. They are one entry if libpq itself must choose among them.
    static func all(in found: [String: String]) -> [PostgreSQLHost] {
        let (names, addresses) = (list(found["host"]), list(found["hostaddr"]))
        let ports = list(found["port"])
        let count = max(names.count, addresses.count)
        let chooses = found["target_session_attrs"] == "prefer-standby" || found["load_balance_hosts"] == "random"
        // Lists that do not fit together are libpq's to refuse.
        let fits =
            [names.count, addresses.count].allSatisfy { $0 == 0 || $0 == count }
            && [0, 1, count].contains(ports.count)
        guard count > 1, fits, !chooses else {
            return [.init(parameters: [])]
        }
        return (0..<count).map { place in
            var parameters: [(String, String)] = []
            if !names.isEmpty { parameters.append(("host", names[place])) }
            if !addresses.isEmpty { parameters.append(("hostaddr", addresses[place])) }
            if !ports.isEmpty { parameters.append(("port", ports[ports.count == 1 ? 0 : place])) }
            return .init(parameters: parameters)
        }
    }

    private static func list(_ text: String?) -> [String] {
        text.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
    }
}
