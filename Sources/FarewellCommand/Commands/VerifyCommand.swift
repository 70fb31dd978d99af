// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Looks for remaining data of a subject, or checks the audit log.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Search for data left of a subject, or check the audit log.",
        discussion: """
            Reads the planned places again. With --deep, it searches every other column for the subject's key and for \
            other identifiers that you give, up to --deep-rows rows of each table. After an erasure Farewell no longer \
            knows the user's e-mail address: give it, best in a file, because other users of the machine see arguments.

            An identifier matches as a whole value or a whole word. A match is "left" if it can hardly mean another \
            person. It is "similar" if it may mean another person: a single first name, or a number in a column whose \
            name does not refer to the subject. Columns that cannot be searched, such as bytes, are "not searched".

              farewell verify --subject 4711 --database sqlite:app.sqlite
              farewell verify --subject 4711 --deep --identifier-file former-addresses.txt
              farewell verify --subject 4711 --deep --deep-rows 100000
              farewell verify --audit
              farewell verify --audit --head audit-head.jws

            Exit status 1: data is "left", an erasure of the subject is not finished, or the audit log was changed; \
            3: the database has neither data nor an erasure of the subject, so the key may be mistyped. \
            \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions
    @OptionGroup var scan: DeepScanOptions

    @Option(help: ArgumentHelp("The subject: its key in the subject's table.", valueName: "key"))
    var subject: String?

    @Option(
        parsing: .singleValue, help: ArgumentHelp("A further identifier to find. May be repeated.", valueName: "text"))
    var identifier: [String] = []

    @Option(
        help: ArgumentHelp("A file with other identifiers of the subject, one per line.", valueName: "file"),
        completion: .file())
    var identifierFile: String?

    @Flag(help: "Check the audit log from its first entry to its last.")
    var audit = false

    @Option(
        help: ArgumentHelp("A signed head that farewell audit head wrote earlier.", valueName: "file"),
        completion: .file())
    var head: String?

    func validate() throws {
        try refuseEmpty([("--subject", subject), ("--identifier-file", identifierFile), ("--head", head)])
        guard audit != (subject != nil) else {
            throw ValidationError(audit ? "Give --subject or --audit, not both." : "Give --subject or --audit.")
        }
        guard head == nil || audit else { throw ValidationError("--head needs --audit.") }
        guard scan.deep || (identifier.isEmpty && identifierFile == nil) else {
            throw ValidationError("--identifier and --identifier-file need --deep.")
        }
    }

    func run() async throws {
        guard let subject else { return try await checkAudit() }
        let plan = try installation.loadPlan()
        let identifiers = try NameList(.identifiers, named: identifier, file: identifierFile).names
        guard identifiers.allSatisfy(SearchedSubject.isSearched) else {
            throw misuse(
                "command.identifier-short",
                "An identifier is too short to search for: it would match anything.",
                remedy: "Give identifiers of \(SearchedSubject.shortest) characters or more.")
        }
        let report = ScanReport(isShown: !answer.json)
        let (found, open, isKnown) = try await installation.connected(.looking) {
            database -> (SubjectVerification, ErasureRecord?, Bool) in
            let engine = try await ErasureEngine.looking(
                at: database, plan: plan, folder: installation.folder,
                connectors: try PlanSystems.connecting(plan), environment: .live(log: answer.log))
            let found = try await engine.verify(subject, identifiers: identifiers, extent: scan.extent) { done, of in
                await report.advance(done, of)
            }
            let open = try await self.open(of: subject, plan, ErasureArchive(database))
            guard !found.hasRows, found.isClean, open == nil else { return (found, open, true) }
            return (found, nil, try await self.isRecorded(subject, engine))
        }
        await report.close()
        guard isKnown else {
            throw FarewellError(
                "subject.unknown", .yoursToFix,
                "No data of this subject was found, and no erasure of it is recorded with this state directory.",
                remedy: "Check the key, the database and --state.")
        }
        let output = Terminal.output
        try answer.json
            ? output.deliver(json: Findings(found, open)) : output.deliver { say(found, open, on: $0) }
        guard found.isClean, open == nil else { throw ExitStatus.findings }
    }

    /// The subject's unfinished erasure. It may have found rows that a search by the key alone does not find: rows that
    /// name deleted rows.
    private func open(of subject: String, _ plan: Plan, _ archive: ErasureArchive) async throws -> ErasureRecord? {
        do {
            return try await installation.erasures(of: subject, under: plan, archive).map(\.erasure)
                .first(where: \.state.isLive)
        } catch let error as FarewellError where error.code == "state.missing" || error.code == "keys.missing" {
            return nil
        } catch let error as FarewellError where error.family != .tryAgain {
            // A role that may read the rows may lack the right to read this.
            let what = "The command cannot find out whether an erasure of this subject is running. \(error.message)"
            Terminal.error.line(Terminal.error.yellow("! ") + Terminal.printable(what))
            return nil
        }
    }

    /// Whether the subject was erased here. Nothing is said about a subject whose records cannot be read.
    private func isRecorded(_ subject: String, _ engine: ErasureEngine) async throws -> Bool {
        do {
            return try await engine.isRecorded(subject, state: installation.statePath)
        } catch let error as FarewellError where error.family != .tryAgain {
            let what = "The command cannot find out whether this subject was ever erased. \(error.message)"
            Terminal.error.line(Terminal.error.yellow("! ") + Terminal.printable(what))
            return true
        }
    }

    private func say(_ open: ErasureRecord, on terminal: Terminal) {
        let name = ErasureEnding.name(open.id)
        guard open.state == .needsAttention else {
            terminal.line(terminal.red("✗ ") + "Erasure \(name) of this subject is not finished.")
            terminal.line("  → See farewell status \(name)")
            return
        }
        let cause = Terminal.printable(open.cause ?? "")
        terminal.line(terminal.red("✗ ") + "Erasure \(name) of this subject is parked: \(cause)")
        terminal.line("  → Fix the cause, then: farewell erase --release \(name)")
    }

    private func say(_ found: SubjectVerification, _ open: ErasureRecord?, on terminal: Terminal) {
        if let open { say(open, on: terminal) }
        let places = Words.count(found.places, "planned place")
        if found.left.isEmpty {
            terminal.line(terminal.green("✓ ") + "Nothing is left in \(places).")
        } else {
            terminal.line(terminal.red("✗ ") + "In \(places) there is still:")
            for (place, rows) in found.left.sorted(by: { $0.key < $1.key }) {
                terminal.line("    \(Terminal.printable(place)): \(Words.grouped(rows))")
            }
        }
        for (system, why) in found.unanswered.sorted(by: { $0.key < $1.key }) {
            terminal.line(terminal.red("✗ ") + Terminal.printable("\(system) did not answer. \(why)"))
        }
        for (_, why) in found.unproved.sorted(by: { $0.key < $1.key }) {
            terminal.line(terminal.red("✗ ") + Terminal.printable(why))
        }
        for table in found.unknownTables {
            let text = "\(table.place) is \(table.reason). The subject's rows may be left there without a name."
            terminal.line(terminal.yellow("! ") + Terminal.printable(text))
        }
        for view in found.copyingViews {
            terminal.line(terminal.yellow("! ") + Terminal.printable("Not searched: \(view.place) is \(view.reason)."))
        }
        if !found.unread.isEmpty {
            let names = Terminal.printable(found.unread.joined(separator: ", "))
            terminal.line(terminal.yellow("! ") + "Not verifiable: \(names).")
        }
        guard found.deepScan.extent != .none else {
            guard scan.deep else { return }
            return terminal.line(
                terminal.yellow("! ") + "No other column was searched: every identifier of the subject is too short. "
                    + "Give one with --identifier.")
        }
        say(found.deepScan, isWhole: found.unknownTables.isEmpty, on: terminal)
        if let bound = scan.deepRows, found.deepScan.extent == .bounded {
            let most = "at most \(Words.grouped(bound)) of each table"
            terminal.line(terminal.yellow("! ") + "Not every row was searched: \(most).")
        }
    }

    /// The findings of the search, in the words of receipts: left, similar, not searched.
    ///
    /// - Parameter isWhole: Whether each row of the subject's names the subject or is planned.
    private func say(_ scan: ReceiptVerification.DeepScan, isWhole: Bool, on terminal: Terminal) {
        let searched = "\(Words.count(scan.rows, "row")) in \(Words.count(scan.columns, "column"))"
        if scan.left == 0 {
            let mark = isWhole ? terminal.green("✓ ") : terminal.yellow("! ")
            let names = isWhole ? "No identifier" : "No known identifier"
            terminal.line(mark + "\(names) of the subject is left in \(searched).")
        } else {
            let values = Words.count(scan.left, "value")
            terminal.line(terminal.red("✗ ") + "Left: identifiers of the subject in \(values) of \(searched):")
            for place in scan.leftIn { terminal.line("    \(Terminal.printable(place))") }
        }
        if scan.similar > 0 {
            let values = Words.count(scan.similar, "value")
            terminal.line(terminal.yellow("! ") + "Similar, and perhaps not the subject's: \(values) in:")
            for place in scan.similarIn { terminal.line("    \(Terminal.printable(place))") }
        }
        if !scan.notSearched.isEmpty {
            terminal.line(terminal.yellow("! ") + "Not searched:")
            for place in scan.notSearched {
                terminal.line("    \(Terminal.printable("\(place.place): \(place.reason)"))")
            }
        }
    }

    private func checkAudit() async throws {
        let exported = try head.map { try AuditFiles(state: installation.statePath).head(at: $0) }
        switch try await installation.connected(.looking, { try await ErasureArchive($0).auditVerdict(head: exported) })
        {
        case .intact(let count, _):
            if answer.json {
                try Terminal.output.deliver(json: ["entries": count])
            } else {
                let entries = Words.count(count, "entry", "entries")
                let output = Terminal.output
                try output.deliver(output.green("✓ ") + "The audit log is complete: \(entries).")
            }
        case .broken(let damage):
            throw FarewellError(
                "audit.broken", .yoursToFix, "The audit log was changed. \(damage)",
                remedy: "Compare it with a back-up or an export.")
        }
    }
}

/// A redrawn line on a terminal while a scan reads.
private actor ScanReport {
    private let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown && Terminal.error.isInteractive }

    func advance(_ done: Int, _ of: Int) {
        if isShown { Terminal.error.write("\r\u{1B}[K  searching: \(done) of \(of) tables") }
    }

    func close() {
        if isShown { Terminal.error.write("\r\u{1B}[K") }
    }
}

/// The findings, for programs.
private struct Findings: Encodable {
    let isClean: Bool
    /// The unfinished erasure of the subject, and its state.
    let erasure: String?
    let state: String?
    let places: Int
    let left: [String: Int]
    let unanswered: [String]
    let unproved: [String]
    let unread: [String]
    let unknownTables: [UnsearchedPlace]
    let copyingViews: [UnsearchedPlace]
    let deepScan: ReceiptVerification.DeepScan

    init(_ found: SubjectVerification, _ open: ErasureRecord?) {
        isClean = found.isClean && open == nil
        erasure = open.map { ErasureEnding.name($0.id) }
        state = open?.state.rawValue
        places = found.places
        left = found.left
        unanswered = found.unanswered.keys.sorted()
        unproved = found.unproved.keys.sorted()
        unread = found.unread
        unknownTables = found.unknownTables
        copyingViews = found.copyingViews
        deepScan = found.deepScan
    }
}
