// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import FarewellServer
import Foundation

/// Reports whether an erasure can run with this set-up.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check that everything is ready for an erasure.",
        discussion: """
            Checks the database, the role's rights, the plan, the state directory and unfinished erasures, and \
            sends each system of the plan a harmless request with the real credentials. Changes nothing in the \
            database or the systems; compares the receipt files with the database and restores missing or \
            broken ones.

            If the clock jumps by more than a day, irreversible actions stop until --confirm-clock confirms that the \
            clock is right. On PostgreSQL it is the database's clock, and this machine's clock must agree with it.

              farewell doctor --database sqlite:app.sqlite
              farewell doctor --database postgresql://app@db.example/app --json
              farewell doctor --permissions > policy.json  # the rights for its systems
              farewell doctor --confirm-clock --database sqlite:app.sqlite
              farewell doctor --supabase                    # each step beside Supabase

            Exit status 1: something must be fixed first. \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Flag(help: "Print exactly the rights that the plan's systems need; sends no requests.")
    var permissions = false

    @Flag(help: "Also check each step of the setup beside a Supabase project.")
    var supabase = false

    @Option(
        help: ArgumentHelp("The server's settings (YAML), for --supabase and the sign-up.", valueName: "file"),
        completion: .file())
    var settings: String?

    @Flag(help: "Confirm that the clock is right.")
    var confirmClock = false

    func validate() throws { try refuseEmpty([("--settings", settings)]) }

    func run() async throws {
        if permissions { return try PermissionReport(of: installation.loadPlan()).deliver(isJSON: answer.json) }
        let facts = try await installation.connected(.looking, isComparing: false) { try await looked(at: $0) }
        try answer.json ? Terminal.output.deliver(json: facts) : Terminal.output.deliver { say(facts, on: $0) }
        guard !facts.contains(where: { $0.verdict == .bad }) else { throw ExitStatus.findings }
    }

    private func looked(at database: any SQLDatabase) async throws -> [DatabaseHealth.Fact] {
        let schema = try await Schema.read(from: database)
        let environment = EngineEnvironment.live(log: answer.log)
        var facts = [DatabaseHealth.Fact("farewell", .good, "\(CommandVersion.running.text) on \(Self.system)")]
        facts += try await DatabaseHealth(database).facts(schema: schema, now: environment.now)
        if confirmClock { try confirm(environment.reading, facts) }
        do {
            let plan = try installation.loadPlan()
            facts += try await findings(plan, schema, database)
            facts += try await order(of: plan, database)
            facts += folders(plan)
            facts += try await systems(plan)
        } catch let error as FarewellError {
            facts.append(
                .init("plan", error.code == "plan.missing" ? .warning : .bad, error.message, remedy: error.remedy))
        }
        if supabase { facts += try await steps(schema) }
        facts += signUp()
        let newer = try await newerStore(in: database)
        facts += newer
        // The state directory belongs to the newer version too.
        if newer.isEmpty { facts += await StateFacts(database: database, state: installation.statePath).facts() }
        facts += clock(environment.reading)
        let audit = AuditFact(database: database, state: installation.statePath)
        facts.append(try await Self.fact("audit log") { try await audit.fact() })
        facts.append(try await Self.fact("erasures") { try await erasures(database, environment) })
        facts.append(try await Self.fact("retentions") { try await Self.retentions(database) })
        return facts
    }

    /// A fact that cannot be read is reported as such, and the others are still read.
    private static func fact(
        _ name: String, _ read: () async throws -> DatabaseHealth.Fact
    ) async throws -> DatabaseHealth.Fact {
        do {
            return try await read()
        } catch let error as FarewellError where error.family == .yoursToFix {
            return .init(name, .bad, error.message, remedy: error.remedy)
        }
    }

    private static var system: String {
        #if swift(>=6.3)
        let swift = "Swift 6.3+"
        #else
        let swift = "Swift 6.2"
        #endif
        return "\(ProcessInfo.processInfo.operatingSystemVersionString), \(swift)"
    }

    private func findings(
        _ plan: Plan, _ schema: Schema, _ database: any SQLDatabase
    ) async throws -> [DatabaseHealth.Fact] {
        let all = try await PlanCheck.findings(plan, schema, fingerprint: plan.fingerprint(of: schema), on: database)
        let rights = all.filter { $0.code == "right.missing" && $0.severity == .error }
        let findings = all.filter { !rights.contains($0) }
        var facts = rights.map {
            DatabaseHealth.Fact("rights", .bad, "\($0.place): \($0.message)", remedy: $0.remedy)
        }
        if rights.isEmpty, schema.dialect.hasRights {
            facts.append(.init("rights", .good, "all that the plan needs"))
        }
        facts.append(summary(findings, plan.completed(in: schema)))
        return facts
    }

    /// Whether processes have loaded a later plan than this one, and erasures wait because of that.
    private func order(of plan: Plan, _ database: any SQLDatabase) async throws -> [DatabaseHealth.Fact] {
        let standing = try await ErasureEngine.standing(of: plan, folder: installation.folder, in: database)
        if let trouble = standing.trouble { return [.init("plan", .bad, trouble.message, remedy: trouble.remedy)] }
        guard standing == .superseded else { return [] }
        return [
            .init(
                "plan", .warning, "a process has loaded a later one",
                remedy: "Use the later plan. If this one is right because you changed the plan back, run farewell "
                    + "check --accept.")
        ]
    }

    /// Each folder's root: whether it is there, and can be read and changed.
    private func folders(_ plan: Plan) -> [DatabaseHealth.Fact] {
        plan.folders.map { folder -> DatabaseHealth.Fact in
            let name = "folder \(folder.name)"
            do {
                let entries = try FolderRoot(folder, base: installation.folder).look()
                let words = entries ? "can be read and changed" : "can be read and changed, and is empty"
                return .init(name, entries || folder.mayBeEmpty ? .good : .warning, words)
            } catch let error as FarewellError {
                return .init(name, .bad, error.message, remedy: error.remedy)
            } catch {
                return .init(name, .bad, "its root cannot be looked at")
            }
        }
    }

    /// Each system's answer to harmless requests: whether the place is the right one, and which right is missing.
    private func systems(_ plan: Plan) async throws -> [DatabaseHealth.Fact] {
        let connectors = try PlanSystems.connecting(plan)
        var facts = SecretFile.open(of: plan).map { path in
            DatabaseHealth.Fact(
                "secrets", .bad, "\(path) can be read or changed by other users of this machine",
                remedy: SecretFile.remedy)
        }
        for system in plan.systems {
            let name = "system \(system.name)"
            do {
                let evidence = [
                    try await connectors[system.name]?.prove(), try await connectors[system.name]?.proveRights(),
                ].compactMap(\.self)
                facts.append(
                    evidence.isEmpty
                        ? .init(
                            name, .warning,
                            "not checked: a system of the kind \(system.kind) has no request without a subject")
                        : .init(name, .good, evidence.joined(separator: "; ")))
            } catch {
                // One failing system does not prevent the checks of the others.
                let fault =
                    (error as? ConnectorFault)?.error ?? error as? FarewellError
                    ?? ConnectorFault.passing(system.name, "its connector failed unexpectedly").error
                facts.append(.init(name, .bad, fault.message, remedy: fault.remedyBeforehand))
            }
        }
        return facts
    }

    /// A warning if an open sign-up of the server reveals addresses, or if the named settings cannot be read.
    /// Unreadable settings do not concern an erasure.
    private func signUp() -> [DatabaseHealth.Fact] {
        guard #available(macOS 15, *) else { return [] }
        do {
            let read = try ServeSettings.read(path: settings, environment: ProcessInfo.processInfo.environment)
            guard let exposure = read.completed().signUpExposure else { return [] }
            return [.init("sign-up", .warning, exposure.message, remedy: exposure.remedy)]
        } catch {
            // With --supabase a step has named the error.
            guard settings != nil, !supabase, let error = error as? FarewellError else { return [] }
            return [.init("settings", .warning, error.message, remedy: error.remedy)]
        }
    }

    private func steps(_ schema: Schema) async throws -> [DatabaseHealth.Fact] {
        guard #available(macOS 15, *) else { return [] }
        let world = ConnectorWorld.live()
        do {
            let read = try ServeSettings.read(path: settings, environment: ProcessInfo.processInfo.environment)
            let plan = try? installation.loadPlan()
            let facts = await SupabaseChecks(schema: schema, plan: plan, settings: read, world: world).facts()
            try await world.close()
            return facts
        } catch let error as FarewellError {
            try await world.close()
            return [.init("settings", .bad, error.message, remedy: error.remedy)]
        }
    }

    private func summary(_ findings: [Finding], _ plan: Plan) -> DatabaseHealth.Fact {
        let errors = findings.filter { $0.severity == .error }.count
        let warnings = findings.filter { $0.severity == .warning }.count
        if errors > 0 {
            return .init(
                "plan", .bad, "\(Words.count(errors, "error")): no erasure starts", remedy: "See farewell check.")
        }
        if warnings > 0 {
            return .init("plan", .warning, Words.count(warnings, "warning"), remedy: "See farewell check.")
        }
        let all = plan.tables.count == 1 ? "" : "all "
        return .init("plan", .good, "accounts for \(all)\(Words.count(plan.tables.count, "table"))")
    }

    /// A control store of a newer version, which every command that erases refuses.
    private func newerStore(in database: any SQLDatabase) async throws -> [DatabaseHealth.Fact] {
        do {
            try await ErasureEngine.refuseNewerStore(in: database)
            return []
        } catch let error as FarewellError where error.family == .yoursToFix {
            // Other facts report a store that cannot be read.
            guard error.code == "control.newer" else { return [] }
            return [.init("control store", .bad, error.message, remedy: error.remedy)]
        }
    }

    /// Compares this machine's clock with the mark. Another fact reports a difference of PostgreSQL's clock.
    private func clock(_ reading: ClockReading) -> [DatabaseHealth.Fact] {
        // The check of the state directory has reported one that cannot be used.
        guard let directory = try? StateDirectory.existing(at: installation.statePath) else { return [] }
        do {
            switch try ClockFile(directory).standing(of: reading) {
            case nil: return []
            case .trusted: return [.init("clock", .good, "as before")]
            case let standing?:
                let text = "\(standing.trouble ?? "") \(ClockStanding.consequence)"
                return [.init("clock", .bad, text, remedy: standing.remedy)]
            }
        } catch let error as FarewellError {
            let text = "\(error.message) \(ClockStanding.consequence)"
            return [.init("clock", .bad, text, remedy: error.remedy)]
        } catch {
            return []
        }
    }

    private func confirm(_ reading: ClockReading, _ facts: [DatabaseHealth.Fact]) throws {
        guard !facts.contains(where: { $0.name == "clocks" && $0.verdict == .bad }) else {
            throw misuse(
                "doctor.clocks-apart",
                "PostgreSQL's clock decides, and this machine's differs from it by more than a minute.",
                remedy: "Set both clocks by NTP, then confirm.")
        }
        try ClockFile(try StateDirectory.existing(at: installation.statePath)).confirm(reading)
    }

    private func erasures(
        _ database: any SQLDatabase, _ world: EngineEnvironment
    ) async throws -> DatabaseHealth.Fact {
        let open = try await ErasureArchive(database).open()
        let parked = open.count { $0.erasure.state == .needsAttention }
        let pausing = open.count { $0.currentPause(at: world.now()) != nil }
        let abandoned = open.count { !$0.isWaiting && $0.erasure.isAbandoned(in: world) } - pausing
        let waiting = open.count { $0.isWaiting }
        if parked > 0 {
            return .init(
                "erasures", .bad, "\(Words.count(parked, "erasure")) parked", remedy: "See farewell status --open.")
        }
        if abandoned > 0 {
            return .init(
                "erasures", .warning, "\(Words.count(abandoned, "erasure")) abandoned",
                remedy: "Run farewell erase --resume.")
        }
        if pausing > 0 {
            return .init(
                "erasures", .warning, "\(Words.count(pausing, "erasure")) waiting for another attempt after a failure",
                remedy: "See the log of the servers and workers, and farewell status --open.")
        }
        let overdue = open.count { status in
            status.erasure.state == .requested && status.holdReason == nil
                && status.dueAt.map { $0 < world.now() } == true
        }
        if overdue > 0 {
            return .init(
                "erasures", .warning, "\(Words.count(overdue, "erasure")) overdue: no worker takes them",
                remedy: "Start farewell serve or farewell work.")
        }
        let running = open.count - waiting
        var words: [String] = []
        if running > 0 { words.append("\(Words.count(running, "erasure")) running") }
        if waiting > 0 { words.append("\(Words.count(waiting, "erasure")) waiting: see farewell status --open") }
        return .init("erasures", .good, words.isEmpty ? "none is open" : words.joined(separator: ", "))
    }

    /// Retained rows whose last day is over, and that a worker could not erase or empty.
    private static func retentions(_ database: any SQLDatabase) async throws -> DatabaseHealth.Fact {
        let failing = try await ErasureArchive(database).failingRetentions()
        guard let first = failing.first else { return .init("retentions", .good, "none failed to end") }
        let places = Set(failing.map(\.place)).sorted()
        return .init(
            "retentions", .bad,
            "rows of \(places.prefix(5).joined(separator: ", ")) could not be erased or emptied after their last day: "
                + first.trouble,
            remedy: "Fix the cause; a worker tries again within a day.")
    }

    private func say(_ facts: [DatabaseHealth.Fact], on terminal: Terminal) {
        let width = facts.map(\.name.count).max() ?? 0
        for fact in facts {
            let mark =
                switch fact.verdict {
                case .good: terminal.green("✓")
                case .warning: terminal.yellow("!")
                case .bad: terminal.red("✗")
                }
            let name = fact.name + String(repeating: " ", count: width - fact.name.count + 2)
            let lines = Paragraph.marked(name, Terminal.printable(fact.text), width: max(terminal.width - 2, 40))
            for (number, line) in lines.enumerated() { terminal.line((number == 0 ? mark : " ") + " " + line) }
            guard let remedy = fact.remedy else { continue }
            let blank = String(repeating: " ", count: width + 4)
            terminal.paragraph(blank + "→ ", remedy)
        }
    }
}
