// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Why a connection was not made, from libpq's message, the only place that says it.
struct PostgreSQLRefusal {
    /// Never passed on as it is.
    let message: String
    let host: String
    /// The database that was asked for, as messages name it.
    var database: String?

    var error: FarewellError {
        if state == nil, let words = refusedParameter {
            return make(
                "sql.bad-address", .yoursToFix, words,
                "Correct the address, or the variable or file that the value comes from.")
        }
        if let state, isAboutParameters(state) {
            return make(
                "sql.bad-address", .yoursToFix, "the server refuses a parameter of the connection (\(state))",
                "Correct options and the other parameters of the address, or PGOPTIONS.")
        }
        if isOfAnotherProgram {
            let words = "the server there is not PostgreSQL, or speaks another protocol"
            return make("sql.08001", .tryAgain, words, "Check the host and the port.")
        }
        if isAboutTLS { return make("sql.tls", .yoursToFix, troubleWithTLS.words, troubleWithTLS.remedy) }
        if message.contains("no password supplied") {
            return make(
                "sql.28P01", .yoursToFix, "a password is required and none was given",
                "Give it in the address, in PGPASSWORD or in a password file (~/.pgpass).")
        }
        guard let state else {
            return make("sql.08001", .tryAgain, words, "Check that the server runs and can be reached.")
        }
        // Elsewhere a mistake of the caller's or a fault of the server's; here a database that is closed for a while,
        // or has not even the room to begin a session.
        let family = state == "55000" || state.hasPrefix("XX") ? .tryAgain : PostgreSQLFailure.family(state)
        return make("sql.\(state)", family, "\(words) (\(state))", remedy(state))
    }

    private func make(
        _ code: String, _ family: FarewellError.Family, _ reason: String, _ remedy: String?
    ) -> FarewellError {
        FarewellError(
            .init(rawValue: code), family, "Connecting to PostgreSQL at \(host) failed: \(reason).", remedy: remedy)
    }

    /// The fault of a parameter that the client library refuses before it tries a server. Names parameters, and none of
    /// their values.
    private var refusedParameter: String? {
        // libpq's own words; the names of other parameters are in the message, and of letters only.
        let invalid =
            message.firstMatch(of: #/invalid integer value ".*" for connection option "([a-z_]{1,40})"/#)
            ?? message.firstMatch(of: #/(?:^|: )invalid "?([a-z_]{1,40})"? value: /#)
        if message.contains("invalid port number: ") || invalid?.1 == "port" {
            return "the port is not a number from 1 to 65535"
        }
        if let invalid { return "the value of \(invalid.1) is not valid" }
        if message.contains(#/could not match [0-9]+ (host names|port numbers) to [0-9]+ host/#) {
            return "it has different numbers of hosts, addresses and ports"
        }
        if message.contains("could not parse network address ") { return "hostaddr is not an IP address" }
        if message.contains(#/definition of service ".*" not found|service file ".*" not found/#) {
            return "no file defines the service"
        }
        if message.contains(#/Unix-domain socket path ".*" is too long/#) {
            return "the path of the local socket is too long"
        }
        return nil
    }

    /// The code of the server's refusal: `FATAL:  28P01: password authentication failed …`.
    private var state: String? {
        guard let mark = message.ranges(of: "FATAL:  ").last else { return nil }
        let code = message[mark.upperBound...].prefix(5)
        let isCode = code.utf8.count == 5 && code.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIICapital }
        return isCode ? String(code) : nil
    }

    /// Before a session has begun, a server reads only the parameters that the address and the environment give it. A
    /// pooler refuses those that it does not know.
    private func isAboutParameters(_ state: String) -> Bool {
        ["22023", "42601", "42602", "42704", "55P02"].contains(state)
            || message.contains("unsupported startup parameter")
    }

    private var isAboutTLS: Bool {
        let lower = message.lowercased()
        return state == nil && (lower.contains("ssl") || lower.contains("certificate"))
    }

    /// For example a web server, with TLS requested or without.
    private var isOfAnotherProgram: Bool {
        ["received invalid response to SSL negotiation", "expected authentication request from server"].contains {
            message.contains($0)
        }
    }

    private var troubleWithTLS: (words: String, remedy: String) {
        func says(_ words: String) -> Bool { message.contains(words) }
        if says("server does not support SSL") {
            return ("the server offers no TLS, and sslmode requires it", "Set up TLS on the server, or check sslmode.")
        }
        if says("does not match host name") {
            return ("its certificate is another host's", "Check the host, or sslmode (verify-ca compares no name).")
        }
        if says("certificate verify failed") {
            return ("its certificate is not trusted here, or not valid now", "Check sslrootcert and the clock.")
        }
        if says("root certificate file") {
            return ("there is no root certificate to check its certificate with", "Check sslrootcert.")
        }
        if says("certificate required") || says("requires a valid client certificate") {
            return ("the server wants a client certificate", "Check sslcert and sslkey.")
        }
        return ("no secured connection came about", "Check sslmode and the certificates.")
    }

    private var words: String {
        switch state {
        case "28P01": "the password was refused"
        case "28000": "the role or its authentication was refused"
        case "3D000": "there is no such database" + (database.map { ": \($0)" } ?? "")
        case "53300": "too many connections"
        case "55000": "the database accepts no connections now"
        case "57P03": "the server is starting up or shutting down"
        case .some(let state) where state.hasPrefix("XX"): "the server has a fault, such as a full disk"
        case .some: "the server refused it"
        case nil: unreachable
        }
    }

    private var unreachable: String {
        if message.contains("could not translate host name") { return "the host name is unknown" }
        if message.contains("Connection refused") { return "no server listens there" }
        if message.contains("No route to host") || message.contains("Network is unreachable") {
            return "the network has no route there"
        }
        if message.contains("server closed the connection unexpectedly") { return "the server closed the connection" }
        let waits = ["session is read-only", "server is in hot standby mode", "server is not in hot standby mode"]
        if waits.contains(where: message.contains) {
            return "it accepts no writes now: it is a replica, or another server is about to take over"
        }
        return "the server cannot be reached"
    }

    private func remedy(_ state: String) -> String? {
        switch state.prefix(2) {
        case "28": "Check the user name and the password."
        case "3D": "Check the name of the database."
        default: "Try again."
        }
    }
}
