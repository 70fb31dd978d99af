// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that hold IP addresses of visitors. No link compares them, because several people share one address.
enum NetworkAddresses {
    /// Nouns of tables whose rows are about machines, and words of columns for a machine of the app.
    private static let machines: Set<String> = [
        "server", "host", "node", "machine", "worker", "cluster", "instance", "network", "subnet", "router", "gateway",
        "proxy", "listener", "replica", "container", "pod", "relay",
    ]

    private static let endings: Set<String> = [
        "ip address", "ip addr", "remote address", "remote addr", "client addr", "forwarded for",
    ]

    /// Whether a column holds the IP address of a visitor, by its type or its name: `ip`, `client_ip`, `remote_addr`.
    static func hold(_ column: SchemaColumn) -> Bool {
        guard column.kind == .text || column.kind == .other || column.kind == .bytes, column.labels == nil else {
            return false
        }
        let words = PersonNames.words(column.name)
        guard !words.contains(where: machines.contains) else { return false }
        return column.type.lowercased() == "inet" || areNamed(words)
    }

    /// By the words of a name.
    static func areNamed(_ name: [String]) -> Bool {
        let ending = name.suffix(2).joined(separator: " ")
        return name.last.map { ["ip", "ipaddress", "ipaddr", "ipv"].contains($0) } ?? false
            || endings.contains(ending)
    }

    /// The question about such columns of a table that nothing links to a user.
    static func question(_ table: SchemaTable, users: TableName) -> PlanQuestion? {
        guard table.kind == .table || table.kind == .partitioned, !machines.contains(PersonNames.noun(of: table.name))
        else { return nil }
        let names = table.columns.filter(hold).map(\.name)
        guard !names.isEmpty else { return nil }
        return PlanQuestion(
            table: table.name, columns: names,
            reason: "\(Shown.line(names.joined(separator: ", "), limit: 120)) "
                + "\(names.count == 1 ? "contains" : "contain") IP addresses, and nothing links these rows to "
                + "\(Shown.line(users.description, limit: 120)), so an erasure keeps them; if the app deletes them "
                + "after a time, answer `not personal`; if another column says whose they are, give the table a rule "
                + "and a link instead of an answer.",
            answers: [.unrelated])
    }
}
