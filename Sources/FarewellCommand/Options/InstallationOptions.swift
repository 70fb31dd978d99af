// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// Which database, which plan, which state directory: the same for every command.
struct InstallationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The plan's database: postgresql://user@host/name or sqlite:path. Or set FAREWELL_DATABASE_URL.",
            valueName: "address"))
    var database: String?

    @Option(help: ArgumentHelp("The plan.", valueName: "file"), completion: .file())
    var plan = "farewell.yaml"

    @Option(
        help: ArgumentHelp(
            "The folder of keys, ledger and receipts. Default: .farewell beside the plan.", valueName: "folder"),
        completion: .directory)
    var state: String?

    func validate() throws {
        try refuseEmpty([("--database", database), ("--plan", plan), ("--state", state)])
    }

    /// The base of the plan's relative folders.
    var folder: String {
        guard let end = plan.lastIndex(of: "/") else { return "." }
        return end == plan.startIndex ? "/" : String(plan[..<end])
    }

    var statePath: String { state ?? (folder == "." ? ".farewell" : folder + "/.farewell") }

    func loadPlan() throws -> Plan { try PlanFile.load(path: plan) }

    /// Opens the database for `body` and closes it in every case. Afterwards it writes the receipts that are missing
    /// from the state directory, if that exists and the database answered.
    ///
    /// - Parameters:
    ///   - isComparing: Whether to warn if the ledger's copies differ, after a read-only command. For commands that
    ///     write, the engine compares and restores them.
    ///   - output: Where `body` exports to: it continues an interrupted export there.
    func connected<Value: Sendable>(
        _ access: Access, connections: Int = 4, isComparing: Bool = true, exportingTo output: String? = nil,
        _ body: (any SQLDatabase) async throws -> Value
    ) async throws -> Value {
        var postgresql = PostgreSQLConfiguration(
            maximumConnections: connections, statementTimeout: .seconds(try statementSeconds()),
            lockTimeout: .seconds(20), pooled: try pooled())
        let (address, place) = try address()
        postgresql.namedBy = place
        let database = try openDatabase(
            address,
            sqlite: SQLiteConfiguration(
                access: access == .looking ? .readOnly : .readWrite, maximumConnections: connections,
                journal: access == .writing ? .writeAhead : .unchanged),
            postgresql: postgresql)
        await UnfinishedExports(state: statePath).clean(besides: output)
        do {
            let value = try await body(database)
            if access == .looking, isComparing { await LedgerFacts(database: database, state: statePath).warn() }
            await ReceiptRestoration(database: database, state: statePath).run()
            await database.close()
            return value
        } catch {
            if let status = error as? ExitStatus, status != .tryAgain {
                await ReceiptRestoration(database: database, state: statePath).run()
            }
            await database.close()
            throw error
        }
    }

    enum Access {
        case looking, writing
        /// Writes, and takes everything back.
        case rehearsing
    }

    /// Whether an option or the environment names a database.
    var hasDatabase: Bool { named != nil }

    /// The address, and the option or the variable that holds it.
    private var named: (address: String, place: String)? {
        if let database { return (database, "--database") }
        return Self.plannedDatabase(in: ProcessInfo.processInfo.environment)
    }

    /// The plan's database as the environment names it, and the variable. Where a server has a database of its own,
    /// its variable for the plan's goes first.
    static func plannedDatabase(in environment: [String: String]) -> (address: String, place: String)? {
        for name in ["FAREWELL_ERASURES_DATABASE_URL", "FAREWELL_DATABASE_URL"] {
            if let address = environment[name], !address.isEmpty { return (address, name) }
        }
        return nil
    }

    /// Whether a pooler is in front of PostgreSQL, as in a server's setting; nil detects it.
    private func pooled() throws -> Bool? {
        switch ProcessInfo.processInfo.environment["FAREWELL_DATABASE_POOLED"] {
        case nil, "", "detect": return nil
        case "true": return true
        case "false": return false
        default:
            throw misuse(
                "command.pooled", "FAREWELL_DATABASE_POOLED must be detect, true or false.",
                remedy: "Correct it, or unset it to detect poolers.")
        }
    }

    /// How long one statement on PostgreSQL may run, as in a server's setting.
    private func statementSeconds() throws -> Int {
        let variable = "FAREWELL_DATABASE_STATEMENT_TIMEOUT"
        guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else {
            return PostgreSQLConfiguration.usualStatementSeconds
        }
        guard let seconds = Int(text), (1...86_400).contains(seconds) else {
            throw misuse(
                "command.statement-timeout", "\(variable) must be a number of seconds from 1 to 86400.",
                remedy: "Correct it, or unset it: a statement may then run for "
                    + "\(PostgreSQLConfiguration.usualStatementSeconds) seconds.")
        }
        return seconds
    }

    private func address() throws -> (address: String, place: String) {
        guard let named else {
            throw FarewellError(
                "command.no-database", .yoursToFix, "No database is named.",
                remedy: """
                    Give --database sqlite:app.sqlite or postgresql://user@host/name, or set FAREWELL_DATABASE_URL \
                    (for a server with its own database: FAREWELL_ERASURES_DATABASE_URL).
                    """)
        }
        return named
    }
}

/// How a command answers.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Answer in JSON, for programs.")
    var json = false

    @Flag(help: "Report progress.")
    var verbose = false

    var log: Logger { CommandLog.logger(isVerbose: verbose) }
}

/// Refuses an option with an empty value: a script whose variable is unset would get the default, such as another
/// database.
///
/// - Throws: A usage error, with exit status 2.
func refuseEmpty(_ options: [(name: String, value: String?)]) throws {
    guard let empty = options.first(where: { $0.value?.isEmpty == true }) else { return }
    throw ValidationError("\(empty.name) is empty. Give a value; a variable of your script may be unset.")
}

/// A mistake in how the command was called.
func misuse(_ code: FarewellError.Code, _ message: String, remedy: String) -> FarewellError {
    FarewellError(code, .yoursToFix, message, remedy: remedy)
}
