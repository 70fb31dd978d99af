// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Shows erasures: running, parked, ended.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show erasures: running, parked, finished.",
        discussion: """
            Works even if the plan does not match the schema: that is when erasures are parked.

              farewell status                          the newest, newest first
              farewell status 0b54c0de-…               one, with its steps
              farewell status --subject 4711           those of one subject
              farewell status --open --json            unfinished erasures, for a monitor

            Exit status 1: an erasure shown is parked. \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Argument(help: ArgumentHelp("The identifier of an erasure.", valueName: "erasure"))
    var id: String?

    @Option(help: ArgumentHelp("Erasures of this subject.", valueName: "key"))
    var subject: String?

    @Flag(help: "Only unfinished erasures.")
    var open = false

    @Option(parsing: .unconditional, help: ArgumentHelp("The largest number to show.", valueName: "number"))
    var limit = 20

    func validate() throws {
        try refuseEmpty([("--subject", subject)])
        guard id == nil || subject == nil else { throw ValidationError("Give an erasure or --subject, not both.") }
        guard id.map({ UUID(text: $0) != nil }) ?? true else {
            throw ValidationError("Name an erasure by its identifier, such as 0b54c0de-….")
        }
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes 1 to 10000.") }
    }

    func run() async throws {
        let (statuses, left) = try await installation.connected(.looking) {
            database -> ([ErasureStatus], Set<UUID>) in
            (try await asked(in: database), try await leftToLaterPlan(in: database))
        }
        if answer.json {
            try Terminal.output.deliver(json: statuses.map { StatusRecord($0, left) })
        } else if id != nil, let status = statuses.first {
            try Terminal.output.deliver { say(status, left, on: $0) }
        } else {
            try Terminal.output.deliver { say(statuses, left, on: $0) }
        }
        guard !statuses.contains(where: { $0.erasure.state == .needsAttention }) else { throw ExitStatus.findings }
    }

    private func asked(in database: any SQLDatabase) async throws -> [ErasureStatus] {
        let archive = ErasureArchive(database)
        if let id = id.flatMap(UUID.init(text:)) {
            guard let status = try await archive.erasure(id) else {
                throw misuse(
                    "run.unknown", "There is no erasure with this identifier.",
                    remedy: "farewell status lists the newest.")
            }
            return [status]
        }
        if let subject {
            let plan = try installation.loadPlan()
            let found = try await installation.erasures(of: subject, under: plan, archive)
            if found.isEmpty { try await refuseImpossible(subject, plan, in: database) }
            return found
        }
        return try await open ? Array(archive.open().prefix(limit)) : archive.newest(limit: limit)
    }

    /// Refuses a key that the key column cannot hold. If the plan does not fit the database, that is unknown, and every
    /// key is accepted.
    ///
    /// - Throws: `subject.malformed`.
    private func refuseImpossible(_ subject: String, _ plan: Plan, in database: any SQLDatabase) async throws {
        let engine = try? await ErasureEngine.looking(
            at: database, plan: plan, folder: installation.folder, environment: .live(log: answer.log))
        do {
            _ = try engine?.subjectHash(of: subject)
        } catch let error as FarewellError where error.code == "subject.malformed" {
            throw error
        } catch {
            // A replacement for erased subjects has no erasures, which is the answer.
        }
    }

    /// The erasures that wait for a later plan than this one, if there is a plan here.
    private func leftToLaterPlan(in database: any SQLDatabase) async throws -> Set<UUID> {
        guard let plan = try? installation.loadPlan() else { return [] }
        return Set(try await ErasureEngine.left(by: plan, folder: installation.folder, limit: 10_000, in: database))
    }

    // MARK: In words

    private func say(_ statuses: [ErasureStatus], _ left: Set<UUID>, on terminal: Terminal) {
        guard !statuses.isEmpty else {
            terminal.line("No erasures.")
            return
        }
        var table = TextTable(["erasure", "requested", "state", ""])
        for status in statuses {
            let erasure = status.erasure
            let cause = Self.reason(status, left)
            table.add([
                ErasureEnding.name(erasure.id), Words.time(erasure.requestedAt), erasure.state.rawValue,
                cause == nil ? progress(status) : "",
            ])
        }
        // A cause has lines of its own at full width, below its erasure.
        let lines = table.lines(width: Int.max)
        lines.prefix(1).forEach { terminal.line($0) }
        for (status, line) in zip(statuses, lines.dropFirst()) {
            terminal.line(line)
            if let cause = Self.reason(status, left) { terminal.paragraph("      ", cause) }
        }
    }

    private func say(_ status: ErasureStatus, _ left: Set<UUID>, on terminal: Terminal) {
        let erasure = status.erasure
        var facts = [
            ("Erasure", ErasureEnding.name(erasure.id)), ("State", erasure.state.rawValue),
            ("Requested", Words.time(erasure.requestedAt)),
        ]
        if let finished = erasure.finishedAt { facts.append(("Ended", Words.time(finished))) }
        facts.append(("Attempts", "\(erasure.attempts)"))
        if let owner = erasure.owner { facts.append(("Held by", owner)) }
        if let place = status.parkedAt { facts.append(("Parked", place)) }
        if let cause = erasure.cause { facts.append(("Cause", cause)) }
        if let until = status.graceUntil, erasure.state == .grace {
            facts.append(("Grace", "the user can cancel until \(Words.time(until))"))
        }
        if let reason = status.holdReason { facts.append(("On hold", reason)) }
        facts += status.failingRetentions.map { ("Retention", "not ended: \($0.place): \($0.trouble)") }
        if let rest = status.rest {
            facts.append(("Resting", rest))
        } else if left.contains(erasure.id) {
            facts.append(("Waiting", Self.laterPlan))
        } else if let pause = status.currentPause(at: world.now()) {
            facts.append(("Waiting", Self.words(pause)))
        } else if status.holdReason == nil, erasure.isAbandoned(in: world) {
            facts.append(("Waiting", Self.abandoned))
        }
        for (name, value) in facts {
            terminal.paragraph(name + String(repeating: " ", count: 11 - name.count), value)
        }
        for step in status.steps {
            let areFiles = step.place == .files
            let gone = areFiles ? step.counts["files"] ?? 0 : step.counts.values.reduce(0, +)
            let condition = status.condition(of: step)
            let mark =
                switch condition {
                case .done: terminal.green("✓")
                case .parked: terminal.red("✗")
                case .running, .waiting: terminal.yellow("…")
                }
            terminal.line(
                "  \(mark) \(Terminal.printable(step.name)): \(condition.rawValue)"
                    + (gone > 0 ? ", \(Words.count(gone, areFiles ? "file" : "row"))" : ""))
        }
        if erasure.state == .needsAttention {
            terminal.line("  → Fix the cause, then: farewell erase --release \(ErasureEnding.name(erasure.id))")
        }
    }

    /// Why it is parked or waits, in words.
    private static func reason(_ status: ErasureStatus, _ left: Set<UUID>) -> String? {
        let hold = status.holdReason.map { "on hold: \($0)" }
        let isInGrace = status.erasure.state == .grace
        let grace = isInGrace ? status.graceUntil.map { "the user can cancel until \(Words.time($0))" } : nil
        let later = left.contains(status.erasure.id) ? laterPlan : nil
        let failing = status.failingRetentions
        let retention = failing.first.map {
            "\(Words.count(failing.count, "retention")) not ended: \($0.place): \($0.trouble)"
        }
        let reasons = [status.parkedCause, hold, later ?? grace, status.rest, retention].compactMap(\.self)
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    private var world: EngineEnvironment { .live(log: answer.log) }

    private func progress(_ status: ErasureStatus) -> String {
        if let finished = status.erasure.finishedAt {
            return "in " + Words.duration(finished.timeIntervalSince(status.erasure.requestedAt))
        }
        let done = status.done.map { "\(Words.count($0, "row")) so far" }
        let isAbandoned = !status.isWaiting && status.erasure.isAbandoned(in: world)
        let waiting = status.currentPause(at: world.now()).map(Self.words) ?? (isAbandoned ? Self.abandoned : nil)
        return [done, waiting].compactMap(\.self).joined(separator: "; ")
    }

    private static func words(_ pause: ErasurePause) -> String {
        let failed = pause.failures == 1 ? "an attempt failed" : "\(pause.failures) attempts failed"
        return "\(failed), see the log of the workers: one tries again at \(Words.time(pause.end)), "
            + "farewell erase --resume at once"
    }

    static let laterPlan =
        "it was accepted under a later plan than this one, and no worker has taken it: see farewell doctor"
    private static let abandoned = "no active worker: a worker or farewell erase --resume continues it"
}

extension ErasureRecord {
    /// Whether it has begun, and is held by no process or by one that is certainly dead.
    func isAbandoned(in world: EngineEnvironment) -> Bool {
        guard [.fenced, .running, .verifying].contains(state) else { return false }
        guard let owner, let leaseUntil else { return true }
        return leaseUntil < world.now() || world.isDead(owner)
    }
}

/// An erasure for programs.
private struct StatusRecord: Encodable {
    struct Step: Encodable {
        let name: String
        let state: String
        let attempts: Int
        let counts: [String: Int]
    }

    struct FailingRetention: Encodable {
        let place: String
        let trouble: String
    }

    let erasure: String
    let state: String
    let cause: String?
    let requestedAt: String
    let finishedAt: String?
    let attempts: Int
    let graceUntil: String?
    let hold: String?
    let rest: String?
    /// Why no worker takes it, if it waits for a later plan than this one.
    let waiting: String?
    /// When a worker tries it again after a failed attempt.
    let nextAttemptAt: String?
    let owner: String?
    let leaseUntil: String?
    let steps: [Step]
    let failingRetentions: [FailingRetention]

    init(_ status: ErasureStatus, _ left: Set<UUID>) {
        let record = status.erasure
        erasure = ErasureEnding.name(record.id)
        state = record.state.rawValue
        cause = record.cause
        requestedAt = UTCTime.text(record.requestedAt)
        finishedAt = record.finishedAt.map(UTCTime.text)
        attempts = record.attempts
        graceUntil = record.state == .grace ? status.graceUntil.map(UTCTime.text) : nil
        hold = status.holdReason
        rest = status.rest
        waiting = left.contains(status.erasure.id) ? StatusCommand.laterPlan : nil
        nextAttemptAt = status.pause.map { UTCTime.text($0.end) }
        owner = record.owner
        leaseUntil = record.leaseUntil.map(UTCTime.text)
        failingRetentions = status.failingRetentions.map { .init(place: $0.place, trouble: $0.trouble) }
        steps = status.steps.map {
            Step(
                name: $0.name, state: status.condition(of: $0).rawValue, attempts: $0.attempts, counts: $0.counts)
        }
    }
}
