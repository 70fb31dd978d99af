// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Compares the plan with the live schema.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Compare the plan with the live schema.",
        discussion: """
            The plan must account for every table and column. The check also finds links that no key declares, keys \
            that would block, triggers that copy data, row security that hides rows, missing indexes, and rules that \
            would change other users' rows. Run it in continuous integration: it finds a forgotten table the same day.

              farewell check --database sqlite:app.sqlite
              farewell check --database postgresql://ci@localhost/app --ci
              farewell check --ci --format github   annotate the pull request
              farewell check --sample               also search rows for links
              farewell check --rehearse             also try erasures and roll them back
              farewell check --accept               record the schema and the plan

            Exit status 1: findings (warnings too with --ci) or open questions. \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Flag(help: "Also read rows: values that match subjects' keys reveal links that no name shows.")
    var sample = false

    @Flag(help: "Rehearse the erasure of five subjects and roll it back: see farewell rehearse --help.")
    var rehearse = false

    @Flag(help: "For continuous integration: one finding per line, and warnings fail too.")
    var ci = false

    @Option(
        help: ArgumentHelp(
            "The format of findings: text, json, github (annotations), sarif or junit. Default: text.",
            valueName: "format"))
    var format: FindingsFormat?

    @Flag(
        help: ArgumentHelp(
            "If nothing else is wrong: record the fingerprint of today's schema in the plan. If processes have loaded "
                + "a later plan since, this one counts as the newest again."))
    var accept = false

    func validate() throws {
        if answer.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other.")
        }
    }

    func run() async throws {
        do {
            try await hold()
        } catch let error as FarewellError {
            // Other programs take an empty output for no report; the error is on standard error in any case.
            let reasons = PlacedFinding.all(error, plan: installation.plan)
            switch format {
            case .github: Terminal.output.write(GitHubAnnotations.text(reasons))
            case .sarif: try? Terminal.output.deliver(json: SARIFLog(reasons))
            case .junit: Terminal.output.write(JUnitReport.text(reasons, areWarningsFailures: ci))
            case .text, .json, nil: break
            }
            throw error
        }
    }

    private func hold() async throws {
        let plan = try installation.loadPlan()
        var (schema, findings) = try await installation.connected(rehearse ? .rehearsing : .looking) {
            database -> (Schema, [Finding]) in
            let schema = try await Schema.read(from: database)
            return (schema, try await held(plan, against: schema, database))
        }
        if accept, try record(plan.fingerprint(of: schema), in: plan, findings) {
            findings.removeAll(where: Self.isAboutFingerprint)
            try await makeNewest()
        }
        let errors = findings.filter { $0.severity == .error }.count
        let warnings = findings.filter { $0.severity == .warning }.count
        switch answer.json ? .json : format ?? .text {
        case .text: try Terminal.output.deliver { say(findings, plan, plan.completed(in: schema), on: $0) }
        case .json: try Terminal.output.deliver(json: Report(findings, plan, schema))
        case .github: try Terminal.output.deliver { $0.write(GitHubAnnotations.text(placed(findings))) }
        case .sarif: try Terminal.output.deliver(json: SARIFLog(placed(findings)))
        case .junit: try Terminal.output.deliver(JUnitReport.text(placed(findings), areWarningsFailures: ci))
        }
        guard errors == 0, !ci || warnings == 0 else { throw ExitStatus.findings }
    }

    private func held(_ plan: Plan, against schema: Schema, _ database: any SQLDatabase) async throws -> [Finding] {
        let held =
            try await PlanCheck.findings(plan, schema, fingerprint: plan.fingerprint(of: schema), on: database)
            + SystemFindings.findings(plan)
        let found = sample ? held + (try await PlanSampling().findings(plan, schema, database)) : held
        guard rehearse, !found.contains(where: { $0.severity == .error }) else { return found }
        let engine = try await ErasureEngine.looking(
            at: database, plan: plan, folder: installation.folder, environment: .live(log: answer.log))
        return found + (try await engine.findingsOfRehearsal(sampling: 5))
    }

    private func placed(_ findings: [Finding]) -> [PlacedFinding] {
        PlacedFinding.all(findings, plan: installation.plan)
    }

    // MARK: In words

    private func say(_ findings: [Finding], _ written: Plan, _ plan: Plan, on terminal: Terminal) {
        ci ? findings.forEach { terminal.line(Self.line($0)) } : grouped(findings, written, on: terminal)
        let columns = plan.tables.map(\.columns.count).reduce(0, +)
        let accounted =
            "\(Words.count(plan.tables.count, "table")) and \(Words.count(columns, "column")) are accounted for."
        let counts = Finding.Severity.allCases.compactMap { severity -> String? in
            let count = findings.filter { $0.severity == severity }.count
            return count == 0 ? nil : Words.count(count, severity.rawValue)
        }
        if findings.contains(where: { $0.severity == .error }) {
            terminal.line(
                terminal.red("✗ ") + counts.joined(separator: ", ")
                    + ". No erasure starts until the errors are fixed.")
        } else {
            terminal.line(
                terminal.green("✓ ") + (plan.tables.count == 1 ? "" : "All ") + accounted
                    + (counts.isEmpty ? "" : " " + counts.joined(separator: ", ") + "."))
        }
    }

    private static func line(_ finding: Finding) -> String {
        let remedy = finding.remedy.map { " → \($0)" } ?? ""
        return Terminal.printable(
            "\(finding.severity.rawValue) \(finding.code.rawValue) \(finding.place): \(finding.message)\(remedy)")
    }

    /// More findings than this are grouped by their cause instead of by table.
    private static let greatestByTable = 60
    /// How many places of one cause are named.
    private static let placesOfCause = 10

    private func grouped(_ findings: [Finding], _ plan: Plan, on terminal: Terminal) {
        guard findings.count <= Self.greatestByTable else { return byCause(findings, plan, on: terminal) }
        let byTable = Dictionary(grouping: findings, by: \.table)
        var seen: Set<TableName?> = []
        for table in findings.map(\.table) where seen.insert(table).inserted {
            terminal.line(terminal.bold(Terminal.printable(table.map(\.description) ?? "the plan")))
            for finding in byTable[table] ?? [] { say(finding, on: terminal) }
            terminal.line()
        }
    }

    /// One heading for each cause, with the first places; `--json` and `--ci` name all of them.
    private func byCause(_ findings: [Finding], _ plan: Plan, on terminal: Terminal) {
        let causes = Dictionary(grouping: findings) { Cause(code: $0.code, severity: $0.severity) }
        var seen: Set<Cause> = []
        for cause in findings.map({ Cause(code: $0.code, severity: $0.severity) }) where seen.insert(cause).inserted {
            let found = causes[cause] ?? []
            terminal.line(terminal.bold("\(cause.code.rawValue): \(Words.count(found.count, cause.severity.rawValue))"))
            guard cause.code != "question.open" else {
                OpenQuestions(found, in: plan, path: installation.plan).say(on: terminal)
                terminal.line()
                continue
            }
            for finding in found.prefix(Self.placesOfCause) {
                Paragraph.marked(
                    "  · ", Terminal.printable("\(finding.place): \(finding.message)"), width: terminal.width
                )
                .forEach { terminal.line($0) }
            }
            if found.count > Self.placesOfCause {
                terminal.line("  · and \(Words.grouped(found.count - Self.placesOfCause)) more: see --json or --ci")
            }
            if let remedy = found.first?.remedy { terminal.paragraph("    → ", remedy, terminal.dim) }
            terminal.line()
        }
    }

    private struct Cause: Hashable {
        let code: Finding.Code
        let severity: Finding.Severity
    }

    private func say(_ finding: Finding, on terminal: Terminal) {
        let (mark, paint): (String, (String) -> String) =
            switch finding.severity {
            case .error: ("✗", terminal.red)
            case .warning: ("!", terminal.yellow)
            case .note: ("·", terminal.dim)
            }
        let column = finding.column.map { "\($0): " } ?? ""
        let lines = Paragraph.marked("  \(mark) ", Terminal.printable(column + finding.message), width: terminal.width)
        for (number, line) in lines.enumerated() {
            terminal.line(number == 0 ? paint(String(line.prefix(4))) + line.dropFirst(4) : line)
        }
        if let remedy = finding.remedy { terminal.paragraph("    → ", remedy, terminal.dim) }
    }

    // MARK: Accepting

    private static func isAboutFingerprint(_ finding: Finding) -> Bool {
        ["schema.changed", "schema.unrecorded", "schema.earlier-fingerprint"].contains(finding.code)
    }

    /// Rewrites the one line of the plan that holds the fingerprint; the rest stays as its author wrote it.
    ///
    /// - Returns: Whether the plan now stands for today's schema; not while another error is found.
    private func record(_ fingerprint: String, in plan: Plan, _ findings: [Finding]) throws -> Bool {
        guard !findings.contains(where: { $0.severity == .error && !Self.isAboutFingerprint($0) }) else { return false }
        guard plan.schemaFingerprint != fingerprint else { return true }
        let path = installation.plan
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var lines = text.components(separatedBy: "\n")
        let written = "schema: \"\(fingerprint)\""
        if let place = lines.firstIndex(where: { $0.hasPrefix("schema:") }) {
            lines[place] = written
        } else if let place = lines.firstIndex(where: { $0.hasPrefix("tables:") }) {
            lines.insert(written, at: place)
        } else {
            throw misuse(
                "plan.unaccepted", "The plan has no line for the fingerprint.",
                remedy: "Add the line \(written) before tables.")
        }
        let changed = lines.joined(separator: "\n")
        guard try PlanFile.read(Array(changed.utf8), path: path).schemaFingerprint == fingerprint else {
            throw misuse(
                "plan.unaccepted", "The fingerprint could not be recorded.",
                remedy: "Write the line \(written) yourself.")
        }
        try OutputFile.write(changed, to: path)
        return true
    }

    /// Erasures that were accepted under a later plan continue under this one, which was changed back.
    private func makeNewest() async throws {
        let (plan, folder) = (try installation.loadPlan(), installation.folder)
        let standing = try await installation.connected(.looking, isComparing: false) {
            try await ErasureEngine.standing(of: plan, folder: folder, in: $0)
        }
        guard [.superseded, .outdated].contains(standing) else { return }
        let now = EngineEnvironment.live(log: answer.log).now()
        let isChanged = try await installation.connected(.writing) {
            try await ErasureEngine.makeNewest(plan, folder: folder, in: $0, at: now)
        }
        if isChanged {
            Terminal.error.line("This plan counts as the newest again. Erasures that waited for a later one continue.")
        }
    }
}

/// The findings for programs.
private struct Report: Encodable {
    struct Entry: Encodable {
        let code: String
        let severity: String
        let place: String
        let table: String?
        let column: String?
        let message: String
        let remedy: String?
    }

    let findings: [Entry]
    let errors: Int
    let warnings: Int
    let planSchema: String?
    let schema: String

    init(_ findings: [Finding], _ plan: Plan, _ schema: Schema) {
        self.findings = findings.map {
            Entry(
                code: $0.code.rawValue, severity: $0.severity.rawValue, place: $0.place, table: $0.table?.description,
                column: $0.column, message: $0.message, remedy: $0.remedy)
        }
        errors = findings.filter { $0.severity == .error }.count
        warnings = findings.filter { $0.severity == .warning }.count
        planSchema = plan.schemaFingerprint
        self.schema = plan.fingerprint(of: schema)
    }
}
