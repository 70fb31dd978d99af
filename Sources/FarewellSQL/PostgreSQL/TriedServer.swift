// SPDX-License-Identifier: Apache-2.0

import CLibPQ
import Farewell
import Foundation

/// The server that a connection tried, as messages name it, with the places that name what the address leaves open: the
/// service's file, then the environment, then libpq's defaults (libpq, 34.1.2, 34.15 and 34.17). Holds no password.
struct TriedServer: Sendable {
    /// A host's name, its address, or the folder of a socket; empty if libpq does not say.
    let host: String
    let port: String
    /// The name of the database.
    let database: String
    /// The parameters that the address itself has.
    let given: [String: String]
    /// The option, setting or variable that holds the address; nil if the caller did not say.
    let namedBy: String?
    let environment: [String: String]

    /// For example `10.0.0.7:5432 (address from --database, host from PGHOST)`.
    var text: String {
        let places = [namedBy.map { "address from \($0)" }, hostPlace, portPlace].compactMap(\.self)
        return place + (places.isEmpty ? "" : " (\(places.joined(separator: ", ")))")
    }

    /// The database's name, and where it comes from if the address has none.
    var databaseText: String {
        let name = Shown.line(database, limit: 120)
        guard isMissing("dbname") else { return name }
        if let place = source("PGDATABASE", of: database) { return "\(name) (from \(place))" }
        return "\(name) (the role's name, because the address names none)"
    }

    private var place: String {
        // A port or a host that cannot be one may be a part of a password.
        guard !host.isEmpty, isSocket || !host.utf8.contains(UInt8(ascii: "@")) else { return "the server" }
        let host = Shown.line(host, limit: 255)
        guard port.utf8.allSatisfy({ $0.isASCIIDigit }) else { return host }
        if isSocket { return "the local socket \(host)/.s.PGSQL.\(port)" }
        return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private var isSocket: Bool { host.utf8.first == UInt8(ascii: "/") || host.utf8.first == UInt8(ascii: "@") }

    private var hostPlace: String? {
        guard isMissing("host"), isMissing("hostaddr"), !host.isEmpty else { return nil }
        for variable in ["PGHOST", "PGHOSTADDR"] where isValue(host, of: variable) { return "host from \(variable)" }
        guard !isSocket, let service else { return "neither the address nor PGHOST names a host" }
        return "host from the service \(service)"
    }

    private var portPlace: String? {
        guard isMissing("port"), !host.isEmpty, port != "5432" else { return nil }
        return source("PGPORT", of: port).map { "port from \($0)" }
    }

    /// The variable that has a value, or else the service, which libpq reads first.
    private func source(_ variable: String, of value: String) -> String? {
        isValue(value, of: variable) ? variable : service.map { "the service \($0)" }
    }

    private var service: String? {
        (given["service"] ?? environment["PGSERVICE"]).flatMap { $0.isEmpty ? nil : Shown.line($0, limit: 120) }
    }

    private func isMissing(_ parameter: String) -> Bool { given[parameter]?.isEmpty != false }

    /// Whether a variable has a value, if only as one of several.
    private func isValue(_ value: String, of variable: String) -> Bool {
        environment[variable]?.split(separator: ",").contains { $0.utf8.elementsEqual(value.utf8) } ?? false
    }
}

extension ServerHandle {
    /// The host that the connection uses or tried last.
    var host: String { PQhost(pointer).map { String(cString: $0) } ?? "" }
    var port: String { PQport(pointer).map { String(cString: $0) } ?? "" }
    var database: String { PQdb(pointer).map { String(cString: $0) } ?? "" }
}
