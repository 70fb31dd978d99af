// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell

/// An error of the server, without any value of any row: DETAIL and HINT are never read, of CONTEXT only names, and
/// literals in the primary message are cut out; other names come from the fields made for them.
struct PostgreSQLFailure {
    let state: String
    private let primary: String
    private let sourceFunction: String
    private let place: String
    /// The table in the field made for it.
    private let table: String?
    private let context: PostgreSQLContext
    /// The tables that the statement itself changes.
    private let changed: ChangedTables
    /// Whether the statement ends a transaction, when deferred constraints are checked and deferred triggers run.
    private let isEnding: Bool
    /// Whether the statement changes the schema: Farewell does so for its own tables and functions alone.
    private let isOfSchema: Bool

    /// - Parameter statement: The text that the server was at.
    init(_ result: ServerResult, statement: String? = nil) {
        // A connection that broke gives an error of libpq itself, which has no state.
        state = result.field(Int32(UInt8(ascii: "C"))) ?? "08006"
        primary = result.field(Int32(UInt8(ascii: "M"))) ?? ""
        sourceFunction = result.field(Int32(UInt8(ascii: "R"))) ?? ""
        context = PostgreSQLContext(result.field(Int32(UInt8(ascii: "W"))) ?? "")
        changed = ChangedTables(statement ?? "")
        isEnding = statement.map { SQLVerb($0) == .commit } ?? false
        isOfSchema = statement.map(SQLVerb.isOfSchema) ?? false
        func name(_ field: UInt8) -> String? { result.field(Int32(field)).map(NameSpelling.of) }
        let table = name(UInt8(ascii: "t")).map { table in
            [name(UInt8(ascii: "s")), table].compactMap(\.self).joined(separator: ".")
        }
        self.table = table
        place = [
            table.map { "table \(Self.shown($0))" },
            name(UInt8(ascii: "c")).map { "column \(Self.shown($0))" },
            name(UInt8(ascii: "n")).map { "constraint \(Self.shown($0))" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// The prepared plan no longer fits the schema, or the server has forgotten it: prepare again. Not if a function
    /// reports it, about a statement of its own or for a reason of its author's.
    var isStalePlan: Bool {
        guard context.function == nil, !isRaised else { return false }
        return state == "26000" || (state == "0A000" && sourceFunction == "RevalidateCachedQuery")
    }

    /// Whether pgbouncer refuses a transaction; it has no code for that.
    var isStatementPooling: Bool { primary.contains("not allowed in statement pooling mode") }

    /// Whether the server takes no writes: a replica, or a primary that has stepped down. Another server may.
    var isReadOnly: Bool {
        state == "25006" || (state == "55000" && sourceFunction == "LockAcquireExtended")
    }

    var error: FarewellError {
        if isRaised, let function = context.function { return raised(by: function) }
        if let loss = CitusNodeLoss.error(state: state, function: sourceFunction, message: primary) { return loss }
        if isReadOnly {
            return FarewellError("sql.25006", .tryAgain, sentence + suffix + ".", remedy: remedy)
        }
        // A statement of a function is not ours, whatever is wrong with it.
        let family = Self.family(state)
        let isOfDatabase = context.function != nil || isOfUnchangeableTable
        return FarewellError(
            .init(rawValue: "sql.\(state)"), family == .ours && isOfDatabase ? .yoursToFix : family,
            sentence + suffix + ".", remedy: remedy,
            refusedPlace: context.function.map { .init(table: table ?? context.table ?? changed.only, function: $0) })
    }

    // MARK: Errors that a function raised

    /// Whether the author of a function says so (`RAISE`, `ASSERT`). Nothing of it is passed on: neither its text nor
    /// the names it gives, which may hold anything.
    private var isRaised: Bool { sourceFunction == "exec_stmt_raise" || sourceFunction == "exec_stmt_assert" }

    private func raised(by function: String) -> FarewellError {
        let table = context.table ?? changed.only
        let family = Self.family(state)
        if isOfSchema, table == nil {
            return FarewellError(
                .init(rawValue: "sql.\(state)"), family == .ours ? .yoursToFix : family,
                "An event trigger refused a change of the schema with \(state) (function \(Self.shown(function))).",
                remedy: "Farewell makes tables and functions of its own in the schema farewell. Let the event trigger "
                    + "allow that to Farewell's role, or disable it meanwhile (ALTER EVENT TRIGGER … DISABLE).")
        }
        let subject =
            if let table {
                "A trigger of \(Self.shown(table)) refused the change"
            } else if isEnding {
                "A trigger refused the change when the transaction ended"
            } else if !changed.names.isEmpty {
                "A trigger of one of the tables \(Self.shown(changed.names)) refused the change"
            } else {
                "A function of the database refused the statement"
            }
        return FarewellError(
            .init(rawValue: "sql.\(state)"), family == .ours ? .yoursToFix : family,
            "\(subject) with \(state) (function \(Self.shown(function))).",
            remedy: remedyOfOwn(table) ?? Self.remedyOfRaised(state),
            refusedPlace: .init(table: table, function: function))
    }

    /// The remedy where the refusing table is Farewell's own.
    private func remedyOfOwn(_ table: String?) -> String? {
        table.flatMap { ControlTables.own($0, .postgresql) }.map(ControlTables.remedy)
    }

    /// The remedy when a function of the database refuses.
    static func remedyOfRaised(_ state: String) -> String {
        "Read the function's conditions, then let it allow the change or give the table another rule in the plan."
            + (state == "42501" ? " No right is missing." : "")
    }

    // MARK: The server's own errors

    private var suffix: String {
        var parts = place.isEmpty ? [] : [place]
        if table == nil, let changed = context.table ?? changed.only { parts.append("table \(Self.shown(changed))") }
        if let function = context.function { parts.append("in the function \(Self.shown(function))") }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }

    private static func shown(_ name: String) -> String { Shown.line(name, limit: 120) }

    private static func shown(_ names: [String]) -> String {
        names.prefix(5).map(shown).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    }

    /// Whether a row would fall between the partitions of its table, or outside its own. These share the state of a
    /// check constraint, and no constraint is named.
    private var isWithoutPartition: Bool {
        state == "23514" && ["ExecFindPartition", "ExecPartitionCheckEmitError"].contains(sourceFunction)
    }

    /// Whether the table takes no such change: a foreign table, by its wrapper or an option (`CheckValidResultRel`, and
    /// `CheckValidResultRelNew` in some minor versions).
    private var isOfUnchangeableTable: Bool {
        ["0A000", "55000"].contains(state) && sourceFunction.hasPrefix("CheckValidResultRel")
    }

    /// The server's functions that write to its disk: their errors share the state of those that read.
    private static let writers: Set<String> = [
        "mdcreate", "mdextend", "mdzeroextend", "mdwrite", "mdwritev", "mdtruncate", "mdimmedsync", "mdsyncfiletag",
        "register_dirty_segment", "BufFileDumpBuffer", "XLogFileInit", "XLogFileInitInternal",
    ]

    private var sentence: String {
        if state == "58030", Self.writers.contains(sourceFunction) { return WriteObstacle.failedWrites[1] }
        if isWithoutPartition { return "No partition takes the changed row" }
        switch state.prefix(2) {
        case "23": return Self.violations[state] ?? "A constraint was violated"
        case "P0": return "A function or trigger of the database raised an error"
        // Another server's text may hold anything.
        case "HV": return "A foreign data wrapper could not use its foreign table or server (\(state))"
        case "XX": return "PostgreSQL or one of its extensions reports an internal fault (\(state))"
        default: break
        }
        // Text written by a function's author may hold anything.
        if isRaised || primary.isEmpty {
            return "PostgreSQL refused the statement with \(state)"
        }
        return "PostgreSQL refused the statement with \(state): \(Self.withoutLiterals(primary, state))"
    }

    private static let violations = [
        "23502": "A column must not be null", "23503": "A foreign key would be broken",
        "23505": "A key already exists", "23514": "A check constraint was violated",
        "23P01": "An exclusion constraint was violated", "23001": "A restricting key forbids the change",
    ]

    /// States whose quoted words are names of tables, columns, roles, types or databases.
    private static let namesThings: Set<String> = [
        "42P01", "42703", "42704", "42883", "42501", "42P06", "42P07", "42701", "42710", "42804", "3D000",
        "3F000", "28000", "28P01", "428C9", "42809", "55000", "55P03",
    ]

    /// Looks at scalars, not at characters: a quote with a combining mark after it is still a quote.
    static func withoutLiterals(_ text: String, _ state: String) -> String {
        let text = text.streamSafe
        let scalars = text.unicodeScalars
        if state.hasPrefix("22") {
            let kept = String(scalars.prefix { $0 != "\"" && $0 != "'" && $0 != ":" })
            return kept.split(separator: " ").joined(separator: " ")
        }
        if namesThings.contains(state) { return text }
        guard let first = scalars.firstIndex(where: { $0 == "\"" || $0 == "'" }),
            let last = scalars.lastIndex(where: { $0 == "\"" || $0 == "'" })
        else { return firstLine(text) }
        return firstLine(String(scalars[..<first]) + "…" + String(scalars[scalars.index(after: last)...]))
    }

    /// An error that a server passes on from another server has further lines with advice.
    private static func firstLine(_ text: String) -> String {
        String(text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" })
    }

    /// The party that can usually solve it. Only what Farewell itself writes wrongly is a defect of Farewell: the
    /// statements, their order, their values.
    static func family(_ state: String) -> FarewellError.Family {
        switch state {
        case "42601", "42P18", "42P02": return .ours
        case "25006", "25P03", "25P04", "55P03", "55006", "57014", "57P01", "57P02", "57P03", "57P05", "58030", "HV000",
            "HV001", "HV00N":
            return .tryAgain
        default: break
        }
        switch state.prefix(2) {
        case "08", "40", "53": return .tryAgain
        // Statements that fit no cursor, savepoint, prepared statement or transaction; values and sizes from Farewell.
        case "00", "01", "02", "03", "07", "0A", "0B", "24", "25", "26", "2D", "34", "3B", "54": return .ours
        default: return .yoursToFix
        }
    }

    private var remedy: String? {
        if state.hasPrefix("23"), let own = remedyOfOwn(table) { return own }
        return switch state {
        case "42501" where sourceFunction == "ExecWithCheckOptions" || sourceFunction == "get_row_security_policies":
            "Let a policy of the table allow the change to Farewell's role, or give the role BYPASSRLS."
        case "42501" where sourceFunction == "be_lo_unlink":
            "Make Farewell's role the owner of the large objects (ALTER LARGE OBJECT … OWNER TO), or a member of the "
                + "owner's role."
        case "55000" where sourceFunction == "CheckCmdReplicaIdentity":
            "Give the table a replica identity (ALTER TABLE … REPLICA IDENTITY), or remove it from the publication."
        // Not of a connection to this server: that gives an error of libpq, without a text of the server's.
        case "08001" where !primary.isEmpty, "08006" where !primary.isEmpty:
            "Start the server that the database could not reach, such as a worker node of Citus (farewell doctor "
                + "names it) or that of a foreign table. Then try again."
        case _ where isOfUnchangeableTable:
            "The wrapper of a foreign table, or its option updatable, allows no such change. Allow it, or erase the "
                + "data at its source and call the foreign table not personal."
        case "428C9": "Leave the column out of the plan's rules, and change the columns that it is computed from."
        case "42501": "Grant the missing right to Farewell's role."
        case _ where isReadOnly:
            "Try again: it may be a replica, or a failover. If the address names several servers, end it with "
                + "target_session_attrs=read-write. On a primary server, set default_transaction_read_only to off for "
                + "the role and the database."
        case _ where isWithoutPartition:
            "Erase the rows, give the column a value that a partition takes, or add a partition such as a default one."
        case "53100": "Free space on the server's disk, then try again."
        case "57014":
            "Try again, or allow the statement more time: database.statement-timeout, and statement_timeout of the "
                + "role and the database, of which the shortest applies. It may wait for a lock, or for the server of "
                + "a foreign table."
        case "55P03": "Try again when the lock is free."
        case "53300": "Try again, or allow more connections."
        case _ where state.hasPrefix("HV"):
            "Check the foreign tables: their servers and files, their options, and the user mapping of Farewell's role."
        case "58P01" where sourceFunction == "internal_load_library":
            "Restart the database server if its programs were upgraded while it ran; otherwise install the library "
                + "that it names."
        case _ where state.hasPrefix("58"):
            "Check the server's disk and the files that the database uses, such as those of foreign tables."
        case _ where state.hasPrefix("XX"):
            "Read the server's log. Check its disk, and the extensions and foreign tables that the statement uses."
        case _ where isOfPath:
            "Correct the function, then try again. If it is right for the app's role, it has names without a schema, "
                + "and Farewell's role has another search_path: "
                + "ALTER FUNCTION \(Self.shown(context.function ?? "…")) SET search_path = …."
        case _ where context.function != nil: "Correct the function, then try again."
        case _ where state.hasPrefix("27"): "Correct the trigger: it changes a row that the statement is changing."
        case _ where Self.isOfRoutine(state): "Read the server's log, and correct the function, view or trigger."
        default: nil
        }
    }

    /// Whether a function of the database lacks something that its text may name without a schema.
    private var isOfPath: Bool {
        guard context.function != nil, ["42P01", "42703", "42704", "42883"].contains(state) else { return false }
        return state == "42703" || !primary.utf8.prefix { $0 != UInt8(ascii: "(") }.contains(UInt8(ascii: "."))
    }

    /// Whether the state belongs to a class of errors in functions, views and triggers of the database.
    private static func isOfRoutine(_ state: String) -> Bool {
        ["09", "0Z", "10", "20", "21", "2F", "38", "39"].contains { state.hasPrefix($0) }
    }
}
