// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell
import Foundation

/// A `postgresql://` address, which may hold a password and so never appears in any text.
struct PostgreSQLAddress: Sendable {
    private let url: String
    /// The servers that it names, in their order.
    private let hosts: [PostgreSQLHost]
    /// Which of them answered last, where only one of them can be the right one.
    private let last = Guarded(0)
    private let keepsLast: Bool
    private let timeout: Duration?
    /// The parameters that the address has, without those that hold secrets.
    private let given: [String: String]
    /// The option, setting or variable that holds the address; nil if the caller did not say.
    private let namedBy: String?
    /// The address's own statement about a pooler.
    let pooled: Bool?

    /// - Parameters:
    ///   - given: May have the parameter `pgbouncer=true` or `false`, which libpq does not know.
    ///   - namedBy: The option, setting or variable that holds the address.
    /// - Throws: `sql.bad-address` when it does not read as an address.
    init(_ given: String, namedBy: String? = nil) throws {
        try AddressAmbiguity(given).refuse(of: namedBy)
        let (url, pooled) = Self.withoutPooler(given)
        self.pooled = pooled
        var reason: UnsafeMutablePointer<CChar>?
        guard !url.utf8.contains(0), let options = PQconninfoParse(url, &reason) else {
            // libpq's reason may quote the password, so it is dropped.
            if let reason { PQfreemem(reason) }
            throw FarewellError(
                "sql.bad-address", .yoursToFix,
                "The PostgreSQL address\(namedBy.map { " of \($0)" } ?? "") cannot be read.",
                remedy: "Write postgresql://user@host:5432/database, special characters percent-encoded.")
        }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.url = url
        self.namedBy = namedBy
        self.given = found.filter { Self.shownParameters.contains($0.key) }
        hosts = PostgreSQLHost.all(in: found)
        keepsLast = ["read-write", "primary"].contains(found["target_session_attrs"])
        timeout = found["connect_timeout"].flatMap(Int.init).flatMap { $0 > 0 ? .seconds($0) : nil }
    }

    private static let shownParameters: Set = ["host", "hostaddr", "port", "dbname", "service"]

    /// The address without its word about a pooler.
    private static func withoutPooler(_ given: String) -> (url: String, pooled: Bool?) {
        for (word, pooled) in [("pgbouncer=true", true), ("pgbouncer=false", false)] {
            for mark in ["?", "&"] {
                if given.hasSuffix(mark + word) { return (String(given.dropLast(mark.count + word.count)), pooled) }
                guard let found = given.firstRange(of: mark + word + "&") else { continue }
                return (given[..<found.lowerBound] + mark + given[found.upperBound...], pooled)
            }
        }
        return (given, nil)
    }

    /// Connects and signs in. Blocks (name look-up, TLS), so it runs on a thread of its own.
    ///
    /// Several servers are tried one after the other, each for the whole time: the first may be switched off without
    /// answering.
    ///
    /// - Parameter hearing: Learns of each answer of a server.
    func connect(
        _ configuration: PostgreSQLConfiguration, hearing: ServerHearing? = nil
    ) throws -> ServerHandle {
        let first = keepsLast ? last.withLock { $0 } : 0
        var failures: [FarewellError] = []
        for place in hosts.indices.map({ (first + $0) % hosts.count }) {
            do {
                let server = try connect(configuration, to: hosts[place], hearing)
                last.withLock { $0 = place }
                return server
            } catch let error as FarewellError {
                failures.append(error)
            }
        }
        // A wrong address stays wrong; an error that another attempt may clear is reported before a refusal.
        let wrong = failures.first { $0.code == "sql.bad-address" }
        throw wrong ?? failures.first { $0.family == .tryAgain } ?? failures[0]
    }

    private func connect(
        _ configuration: PostgreSQLConfiguration, to host: PostgreSQLHost, _ hearing: ServerHearing?
    ) throws -> ServerHandle {
        let connectTimeout = Int((configuration.connectTimeout / .seconds(1)).rounded(.up))
        // Parameters of the address come after these, and so override them.
        let defaults = Self.liveliness + [("connect_timeout", "\(connectTimeout)")]
        let pointer = Self.withCStrings(
            defaults + [
                ("dbname", url), ("fallback_application_name", configuration.applicationName),
                ("client_encoding", "UTF8"),
            ] + host.parameters
        ) { PQconnectStartParams($0, $1, 1) }
        guard let pointer else {
            throw FarewellError("sql.53200", .tryAgain, "There is no memory for a connection to PostgreSQL.")
        }
        let server = ServerHandle(pointer)
        // Only this form has the codes of refusals; notices may hold rows and are dropped.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        PQsetNoticeReceiver(pointer, { _, _ in }, nil)
        do {
            try finish(server, timeout ?? configuration.connectTimeout, hearing)
        } catch {
            PQfinish(pointer)
            throw error
        }
        PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
        return server
    }

    /// A vanished peer is noticed after about two minutes at the latest. A shorter time would also end connections to a
    /// server that waits for a lock and therefore reads nothing of a long pipeline.
    private static let liveliness = [
        ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "6"),
        ("tcp_user_timeout", "120000"),
    ]

    /// The server that was tried last.
    private func tried(_ server: ServerHandle) -> TriedServer {
        TriedServer(
            host: server.host, port: server.port, database: server.database, given: given, namedBy: namedBy,
            environment: ProcessInfo.processInfo.environment)
    }

    private func finish(_ server: ServerHandle, _ timeout: Duration, _ hearing: ServerHearing?) throws {
        let deadline = ContinuousClock.now + timeout
        var state = server.isBad ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw refusal(server) }
            let remaining = ((deadline - ContinuousClock.now) / .milliseconds(1)).rounded(.up)
            var waited = pollfd(
                fd: server.socket, events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
            guard remaining > 0, poll(&waited, 1, Int32(min(remaining, Double(Int32.max)))) != 0 else {
                throw FarewellError(
                    "sql.08001", .tryAgain, "PostgreSQL at \(tried(server).text) did not answer within \(timeout).",
                    remedy: "Check that the server runs and can be reached.")
            }
            if state == PGRES_POLLING_READING { hearing?.noteAnswer() }
            guard let next = server.polled() else { throw PostgreSQLLink.unsent }
            state = next
        }
        guard PQsetnonblocking(server.pointer, 1) == 0, PQenterPipelineMode(server.pointer) == 1 else {
            throw FarewellError("sql.08P01", .ours, "PostgreSQL's client library refuses pipeline mode.")
        }
    }

    private func refusal(_ server: ServerHandle) -> FarewellError {
        let tried = tried(server)
        return PostgreSQLRefusal(message: server.message, host: tried.text, database: tried.databaseText).error
    }

    private static func withCStrings<Value>(
        _ pairs: [(String, String)],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let keywords = pairs.map { strdup($0.0) }
        let values = pairs.map { strdup($0.1) }
        defer { (keywords + values).forEach { free($0) } }
        return body(
            keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
    }
}

extension ServerHandle {
    fileprivate var isBad: Bool { PQstatus(pointer) == CONNECTION_BAD }

    /// Goes on connecting; `nil` if a message could not be sent on a socket that is connected.
    ///
    /// libpq hides such a failure and waits for an answer that never comes. libpq itself reports a failed connection or
    /// tries the next address. Other system calls, such as looking for certificates, leave other errors behind.
    fileprivate func polled() -> PostgresPollingStatusType? {
        let (before, begun) = (socket, PQstatus(pointer))
        errno = 0
        let state = PQconnectPoll(pointer)
        let failure = errno
        let isConnecting = [CONNECTION_NEEDED, CONNECTION_STARTED]
        guard Self.sendFailures.contains(failure), state != PGRES_POLLING_FAILED, socket == before,
            !isConnecting.contains(begun), !isConnecting.contains(PQstatus(pointer))
        else { return state }
        return nil
    }

    private static let sendFailures: Set = [
        ENOBUFS, ENOMEM, EIO, EPERM, EPIPE, ECONNRESET, ENOTCONN, ENETDOWN, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT,
    ]
}
