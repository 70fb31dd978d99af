// SPDX-License-Identifier: Apache-2.0
@testable import FarewellSQL
import Farewell
import Testing

@Suite("A connection PostgreSQL refuses")
struct PostgreSQLRefusalTests {
    @Test(
        "BX-4 a temporary error is tried again, an error for a person to fix is marked so, and no server text leaves the process",
        arguments: [
            ("28P01", FarewellError.Family.yoursToFix, "the password was refused"),
            ("3D000", .yoursToFix, "there is no such database"), ("53300", .tryAgain, "too many connections"),
            ("57P03", .tryAgain, "starting up or shutting down"), ("55000", .tryAgain, "accepts no connections"),
            ("XX000", .tryAgain, "such as a full disk"),
        ])
    func families(_ state: String, _ family: FarewellError.Family, _ words: String) {
        let message = "connection to server failed: FATAL:  \(state): could not write \"base/geheim\" for anna@example.org"
        let error = PostgreSQLRefusal(message: message, host: "db").error
        #expect(error.family == family && error.code == .init(rawValue: "sql.\(state)"))
        #expect("\(error)".contains(words) && !"\(error)".contains("geheim") && !"\(error)".contains("anna"))
    }

    @Test(
        "SY-4 without a connection the error has the true cause, as libpq reports it",
        arguments: [
            ("failed: received invalid response to SSL negotiation: H", "sql.08001", "not PostgreSQL"),
            ("failed: expected authentication request from server, but received H", "sql.08001", "not PostgreSQL"),
            ("failed: server does not support SSL, but SSL was required", "sql.tls", "offers no TLS"),
            (#"failed: server certificate for "a" does not match host name "b""#, "sql.tls", "another host's"),
            ("failed: SSL error: certificate verify failed", "sql.tls", "not trusted"),
            (#"failed: root certificate file "/r" does not exist"#, "sql.tls", "no root certificate"),
            ("failed: SSL error: tlsv13 alert certificate required", "sql.tls", "client certificate"),
            ("failed: SSL error: sslv3 alert handshake failure", "sql.tls", "no secured connection"),
            ("failed: No route to host", "sql.08001", "no route there"), ("failed: Connection refused", "sql.08001", "no server listens"),
        ])
    func causes(_ message: String, _ code: String, _ words: String) {
        let error = PostgreSQLRefusal(message: "connection to server at \"db\", port 5432 " + message, host: "db").error
        #expect(error.code.rawValue == code && error.message.contains(words) && error.remedy?.isEmpty == false, "\(error)")
    }

    @Test(
        "SY-4 a parameter that the client library refuses is the user's to fix, by its name and without its value",
        arguments: [
            (#"invalid integer value "geheim" for connection option "port""#, "port is not a number"),
            (#"invalid port number: "99999""#, "port is not a number"),
            (#"invalid target_session_attrs value: "geheim""#, "value of target_session_attrs"),
            (#"invalid "require_auth" value: "geheim""#, "value of require_auth"),
            (#"invalid sslmode value: "geheim""#, "value of sslmode"),
            (#"server at "h" failed: invalid integer value "geheim" for connection option "keepalives""#, "value of keepalives"),
            ("could not match 2 port numbers to 4 hosts", "different numbers"),
            ("could not match 1 host names to 2 hostaddr values", "different numbers"),
            (#"could not parse network address "geheim": Name or service not known"#, "not an IP address"),
            (#"definition of service "geheim" not found"#, "no file defines"),
            (#"Unix-domain socket path "/geheim" is too long (maximum 107 bytes)"#, "too long"),
        ])
    func parameters(_ message: String, _ words: String) {
        let error = PostgreSQLRefusal(message: message, host: "db").error
        #expect(error.code == "sql.bad-address" && error.family == .yoursToFix && error.message.contains(words), "\(error)")
        #expect(!"\(error)".contains("geheim"))
        let ofServer = PostgreSQLRefusal(message: "connection to server failed: FATAL:  57P03: " + message, host: "db").error
        #expect(ofServer.code == "sql.57P03" && ofServer.family == .tryAgain)
    }

    @Test(
        "SY-4 the installed client library refuses wrong parameters before it connects, also of one host among several",
        arguments: [
            "postgres://u@127.0.0.1:abc/x", "postgres://u@127.0.0.1:99999/x", "postgres://u@127.0.0.1:-1/x",
            "postgres://u@127.0.0.1:1,127.0.0.1:0/x", "postgres://u@127.0.0.1:1/x?target_session_attrs=most",
            "postgres://u@127.0.0.1:1/x?sslmode=yes", "postgres://u@127.0.0.1:1/x?keepalives=abc",
            "postgres://u@127.0.0.1:1/x?hostaddr=a", "postgres://u@a,b:1,c,d:2/x?port=1,2", "postgres:///x?service=none-of-ours",
        ])
    func installed(_ address: String) async throws {
        let database = try openDatabase(address)
        let error = await #expect(throws: FarewellError.self) { try await database.withConnection { try await $0.run("SELECT 1") } }
        #expect(error?.code == "sql.bad-address" && error?.family == .yoursToFix, "\(String(describing: error))")
        await database.close()
    }

    @Test(
        "SY-4 DX-1 an error names the server that was tried, and what names it where the address does not",
        arguments: [
            ([:], "/run", "5432", [:], "the local socket /run/.s.PGSQL.5432 (neither the address nor PGHOST names a host)"),
            (["host": "db"], "db", "5433", ["PGHOST": "other"], "db:5433"),
            ([:], "db", "5433", ["PGHOST": "db", "PGPORT": "5433"], "db:5433 (host from PGHOST, port from PGPORT)"),
            ([:], "b", "5432", ["PGHOST": "a,b"], "b:5432 (host from PGHOST)"),
            ([:], "/tmp", "6000", ["PGHOST": "/tmp"], "the local socket /tmp/.s.PGSQL.6000 (host from PGHOST)"),
            ([:], "::1", "5432", ["PGHOSTADDR": "::1"], "[::1]:5432 (host from PGHOSTADDR)"),
            ([:], "db", "6000", ["PGSERVICE": "prod", "PGHOST": "x"], "db:6000 (host from the service prod, port from the service prod)"),
            (["service": "shop", "port": "1"], "db", "1", [:], "db:1 (host from the service shop)"),
            (["hostaddr": "10.0.0.7", "port": "1"], "10.0.0.7", "1", ["PGPORT": "2"], "10.0.0.7:1"), ([:], "", "", [:], "the server"),
            (["host": "a\u{1B}[2J"], "a\u{1B}[2J", "5432", [:], "a\u{FFFD}[2J:5432"),
        ] as [([String: String], String, String, [String: String], String)])
    func tried(_ given: [String: String], _ host: String, _ port: String, _ environment: [String: String], _ text: String) {
        let server = TriedServer(host: host, port: port, database: "d", given: given, namedBy: nil, environment: environment)
        #expect(server.text == text)
        let named = TriedServer(host: host, port: port, database: "d", given: given, namedBy: "database.url", environment: environment)
        #expect(named.text.contains("(address from database.url"))
    }

    @Test(
        "SY-4 DX-1 a host or a port that cannot be one is not shown: it may be a part of a password",
        arguments: [("PW@127.0.0.1", "5432"), ("a", "s3cret"), ("a", "1/s3cret")])
    func uncertain(_ host: String, _ port: String) {
        let given = ["host": host, "port": port]
        let server = TriedServer(host: host, port: port, database: "d", given: given, namedBy: nil, environment: [:])
        #expect(server.text == (host == "a" ? "a" : "the server"))
    }

    @Test(
        "SY-4 DX-1 a parameter of the address that the server or a pooler refuses is for the caller to fix",
        arguments: [
            "42601: invalid command-line argument for server process: x", "22023: invalid value for parameter x",
            "42704: unrecognized configuration parameter x", "55P02: parameter x cannot be changed now",
            "08P01: unsupported startup parameter: options",
        ])
    func startup(_ message: String) {
        let error = PostgreSQLRefusal(message: "connection to server failed: FATAL:  " + message, host: "db").error
        #expect(error.code == "sql.bad-address" && error.family == .yoursToFix, "\(error)")
        #expect(error.remedy?.contains("options") == true && !"\(error)".contains("command-line"))
    }

    @Test("SY-4 DX-1 the error about a missing database names it, and what names it where the address does not")
    func database() {
        func text(_ given: [String: String], _ environment: [String: String]) -> String {
            TriedServer(host: "db", port: "1", database: "shop", given: given, namedBy: nil, environment: environment).databaseText
        }
        #expect(text(["dbname": "shop"], ["PGDATABASE": "shop"]) == "shop")
        #expect(text([:], ["PGDATABASE": "shop"]) == "shop (from PGDATABASE)")
        #expect(text([:], [:]) == "shop (the role's name, because the address names none)")
        let error = PostgreSQLRefusal(message: "FATAL:  3D000: x", host: "db:1", database: text([:], ["PGDATABASE": "shop"])).error
        #expect(error.message == "Connecting to PostgreSQL at db:1 failed: there is no such database: shop (from PGDATABASE) (3D000).")
    }

    @Test("SY-4 DX-1 a server that requires a password gets another try only once the password is given, and the remedy says where")
    func password() {
        let error = PostgreSQLRefusal(message: "connection to server at \"db\" failed: fe_sendauth: no password supplied", host: "db").error
        #expect(error.family == .yoursToFix && error.code == "sql.28P01")
        #expect(error.message.contains("none was given") && error.remedy?.contains("PGPASSWORD") == true, "\(error)")
    }

    @Test("SY-4 only an invalid statement of Farewell counts as its defect; every other class of error is the database's")
    func classes() {
        let theirs = ["58P01", "58P02", "HV00L", "HVABC", "XX000", "XX001", "XX002", "21000", "27000", "2F003", "38000", "39P01", "F0000"]
        for state in theirs { #expect(PostgreSQLFailure.family(state) == .yoursToFix, "\(state)") }
        for state in ["58030", "HV000", "HV00N", "HV001", "57P01", "53200", "40001", "08006", "25006"] {
            #expect(PostgreSQLFailure.family(state) == .tryAgain, "\(state)")
        }
        for state in ["42601", "42P18", "25P02", "26000", "34000", "0A000", "54000"] {
            #expect(PostgreSQLFailure.family(state) == .ours, "\(state)")
        }
    }

    @Test("SY-4 the error about an unreachable foreign table names the cause and a remedy, and is not a defect of Farewell")
    func foreign() async throws {
        try await TestDatabase.postgresql.with { database in
            let error = try await database.withConnection { connection -> FarewellError? in
                for text in [
                    "CREATE EXTENSION file_fdw", "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
                    "CREATE FOREIGN TABLE logins (email text) SERVER files OPTIONS (filename '/missing/canary.csv')",
                ] { try await connection.run(SQLStatement(text)) }
                return await #expect(throws: FarewellError.self) { try await connection.run("SELECT * FROM logins") }
            }
            #expect(error?.code == "sql.58P01" && error?.family == .yoursToFix, "\(String(describing: error))")
            #expect(error?.remedy?.contains("foreign tables") == true)
        }
    }

    @Test("PL-4 a foreign table that allows no deletes is not taken for a published one")
    func unchangeable() async throws {
        try await TestDatabase.postgresql.with { database in
            try await database.withConnection { connection in
                for text in [
                    "CREATE EXTENSION file_fdw", "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
                    "CREATE FOREIGN TABLE logins (email text) SERVER files OPTIONS (filename '/missing/canary.csv')",
                    "CREATE EXTENSION postgres_fdw",
                    "CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1')",
                    "CREATE FOREIGN TABLE visits (email text) SERVER other OPTIONS (updatable 'false')",
                ] { try await connection.run(SQLStatement(text)) }
                for (text, code) in [("DELETE FROM logins", "sql.0A000"), ("DELETE FROM visits", "sql.55000")] {
                    let error = await #expect(throws: FarewellError.self) { try await connection.run(SQLStatement(text)) }
                    #expect(error?.code.rawValue == code && error?.family == .yoursToFix, "\(String(describing: error))")
                    let remedy = error?.remedy ?? ""
                    #expect(remedy.contains("foreign table") && !remedy.contains("REPLICA"), "\(remedy)")
                }
            }
        }
    }

    @Test("OP-6 a server that the database itself cannot reach is a temporary condition, with the remedy")
    func unreached() async throws {
        try await TestDatabase.postgresql.with { database in
            try await database.withConnection { connection in
                for text in [
                    "CREATE EXTENSION postgres_fdw",
                    "CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1')",
                    "CREATE USER MAPPING FOR PUBLIC SERVER other OPTIONS (user 'canary')",
                    "CREATE FOREIGN TABLE visits (email text) SERVER other",
                ] { try await connection.run(SQLStatement(text)) }
                let error = await #expect(throws: FarewellError.self) { try await connection.run("SELECT * FROM visits") }
                #expect(error?.code == "sql.08001" && error?.family == .tryAgain, "\(String(describing: error))")
                #expect(error?.remedy?.contains("worker node") == true && error?.message.contains("canary") == false)
            }
        }
    }

    @Test("OP-6 of a message in several lines, as Citus writes when it misses a worker node, an error has the first")
    func lines() {
        let missed = "connection to the remote node failed with the following error: refused\n\tIs the server running?"
        #expect(
            PostgreSQLFailure.withoutLiterals(missed, "08006")
                == "connection to the remote node failed with the following error: refused")
        #expect(PostgreSQLFailure.withoutLiterals("no \"se\ncret\" here\nor there", "XX001") == "no … here")
    }
}
