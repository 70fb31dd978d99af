// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("Connecting to PostgreSQL")
struct PostgreSQLConnectingTests {
    @Test("an unknown host, a closed port, an unknown database and a silent server give an error that says so")
    func unreachable() async throws {
        #expect(try await code("postgresql://u:s3cret@no-such-host.invalid/db") == "sql.08001")
        #expect(try await code("postgresql://u:s3cret@127.0.0.1:1/db") == "sql.08001")
        #expect(try await code(try TestDatabase.serverAddress(database: "no_such_database")) == "sql.3D000")
        #expect(try await code(try TestDatabase.serverAddress(user: "no_such_role")) == "sql.28000")
        // Listens, but never answers.
        let silent = try SilentServer()
        let configuration = PostgreSQLConfiguration(connectTimeout: .milliseconds(200))
        #expect(try await code("postgresql://u:s3cret@127.0.0.1:\(silent.port)/db", configuration) == "sql.08001")
    }

    @Test("several complaints of a server at the end of a pipeline give one error, and crash no process")
    func complaints() async throws {
        let server = try ComplainingServer()
        #expect(try await code("postgresql://u:s3cret@127.0.0.1:\(server.port)/db?sslmode=disable") != nil)
        withExtendedLifetime(server) {}
    }

    @Test(
        "OP-6 a worker node that Citus loses during a statement is a temporary condition; an error of that node's own is not",
        arguments: [
            ("RReportResultError", "Mserver closed the connection unexpectedly\n\tThis probably means that it ended.", "sql.08006"),
            ("RReportResultError", "Mcould not receive data from server: Connection reset by peer", "sql.08006"),
            ("RReportResultError", "Mconnection not open", "sql.08006"),
            ("RReportResultError", "Minvalid socket", "sql.08006"),
            ("RReportResultError", "MSSL error: unexpected eof while reading", "sql.08006"),
            ("RReportResultError", "M", "sql.08006"),
            ("RMarkRemoteTransactionFailed", "Mfailure on connection marked as essential: node:5432", "sql.08006"),
            ("RCheckRemoteTransactionsHealth", "Mfailure on connection marked as essential: node:5432", "sql.08006"),
            (
                "RScheduleNextPlacementExecution",
                "Mexecution cannot recover from multiple connection failures. Last node failed node:5432", "sql.08006"
            ),
            ("RReportResultError", "Mcannot connect to node:5432 to fetch intermediate results", "sql.08006"),
            (
                "RErrorIfPostCommitFailedShardPlacements",
                "Mcould not commit transaction for shard 102008 on at least one active node", "sql.08006"
            ),
            ("RReportResultError", "Minvalid memory alloc request size 8", "sql.XX000"),
            ("Rpalloc", "Mserver closed the connection unexpectedly", "sql.XX000"),
        ])
    func lostNode(_ function: String, _ message: String, _ expected: String) async throws {
        let server = try ComplainingServer(["CXX000", message, function])
        #expect(try await code("postgresql://u:s3cret@127.0.0.1:\(server.port)/db?sslmode=disable") == expected)
        withExtendedLifetime(server) {}
    }

    @Test("a connection works with any connect timeout that an address allows", arguments: ["2147484", "2147483647"])
    func patience(_ seconds: String) async throws {
        let database = try PostgreSQLDatabase(url: TestDatabase.serverAddress(query: "connect_timeout=\(seconds)"))
        try await database.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
        await database.close()
    }

    @Test("Item 49: sslmode=require against a server without TLS fails, and the error gives the reason")
    func noTLS() async throws {
        #expect(try await code(try TestDatabase.serverAddress(query: "sslmode=require")) == "sql.tls")
    }

    @Test("the server demands a password, and the error about a wrong one does not show it")
    func passwords() async throws {
        try await TestServer.with { server in
            try await server.ask(for: "CREATE ROLE guest LOGIN PASSWORD 'right'")
            try await server.write("host all guest 127.0.0.1/32 scram-sha-256\nhost all all all trust\n", "pg_hba.conf")
            #expect(try await code(server.address("guest:s3cret")) == "sql.28P01")
            #expect(try await code(server.address("guest")) == "sql.28P01")
            let database = try PostgreSQLDatabase(url: server.address("guest:right"))
            try await database.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
            await database.close()
        }
    }

    @Test("Item 49: a certificate without a trusted issuer is refused when verification is on")
    func certificates() async throws {
        try await TestServer.with { server in
            try await server.secure()
            #expect(
                try await code(
                    server.address("farewell", "sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt"))
                    == "sql.tls")
            // The certificate itself, as its own root, vouches for one host and no other.
            let root = "sslrootcert=\(server.certificate)"
            func elsewhere(_ mode: String) -> String {
                server.address("farewell", "sslmode=\(mode)&\(root)&hostaddr=127.0.0.1")
                    .replacing("@127.0.0.1", with: "@elsewhere.example")
            }
            for address in [server.address("farewell", "sslmode=verify-full&\(root)"), elsewhere("verify-ca")] {
                let verified = try PostgreSQLDatabase(url: address)
                try await verified.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
                await verified.close()
            }
            #expect(try await code(elsewhere("verify-full")) == "sql.tls")
            let database = try PostgreSQLDatabase(url: server.address("farewell", "sslmode=require"))
            let bytes = [UInt8](repeating: 7, count: 3_000_000)
            try await database.withConnection { connection in
                try await connection.expect(
                    "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", gives: [[.bool(true)]])
                // Much more than one TLS record, both ways.
                try await connection.expect("SELECT $1", [.bytes(bytes)], gives: [[.bytes(bytes)]])
                let many = try await connection.pipeline(
                    (0..<3000).map { SQLStatement("SELECT $1, repeat('x', 300)", [.integer($0)]) })
                #expect(many.last?.scalar == .integer(2999))
            }
            await database.close()
        }
    }

    @Test("after a crash and restart of the server the pool works again")
    func crash() async throws {
        try await TestServer.with { server in
            let database = try PostgreSQLDatabase(url: server.url)
            try await server.ask(for: "CREATE TABLE t (a int)")
            let waiting = Task { try await database.withConnection { try await $0.run("SELECT pg_sleep(600)") } }
            let lost = await #expect(throws: FarewellError.self) {
                try await database.withConnection { connection in
                    while try await connection.run(Self.sleepers).rows.isEmpty {}
                    let pid = try await connection.run("SELECT pg_backend_pid()").scalar?.integer ?? 0
                    kill(pid_t(pid), SIGKILL)
                    try await connection.run("SELECT pg_sleep(600)")
                }
            }
            #expect(lost?.code == "sql.08006")
            let other = await #expect(throws: FarewellError.self) { try await waiting.value }
            #expect(other?.code == "sql.08006")
            var answer: SQLValue?
            while answer == nil {
                do {
                    answer = try await database.withConnection { try await $0.run("SELECT count(*) FROM t").scalar }
                } catch let error as FarewellError where error.family == .tryAgain {
                    await Task.yield()
                }
            }
            #expect(answer == .integer(0))
            await database.close()
        }
    }

    private static let sleepers = SQLStatement(
        """
        SELECT 1 FROM pg_stat_activity
        WHERE state = 'active' AND query LIKE '%sleep(600)%' AND pid <> pg_backend_pid()
        """
    )

    private func code(
        _ url: String, _ configuration: PostgreSQLConfiguration = PostgreSQLConfiguration()
    ) async throws -> String? {
        let database = try PostgreSQLDatabase(url: url, configuration: configuration)
        let error = await #expect(throws: FarewellError.self) {
            try await database.withConnection { _ = try await $0.run("SELECT 1") }
        }
        await database.close()
        #expect(error.map { !"\($0)".contains("s3cret") } ?? false)
        return error?.code.rawValue
    }
}
