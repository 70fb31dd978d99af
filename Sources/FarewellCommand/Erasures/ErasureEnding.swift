// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Reports how erasures ended, and where their receipts are.
struct ErasureEnding {
    let database: any SQLDatabase
    let installation: InstallationOptions
    let engine: ErasureEngine
    let keeping: ReceiptKeeping
    /// The requested subjects; empty for a resumption.
    let subjects: [String]
    /// The words for a call that tried no erasure.
    let none: String?

    /// - Parameter others: The state of the erasures that were not resumed.
    /// - Returns: The most serious of all statuses.
    func report(
        _ outcomes: [ErasureOutcome], besides others: ExitStatus = .done, took: Double, isJSON: Bool
    ) async throws -> ExitStatus {
        let ends = try await ends(outcomes)
        let status = ExitStatus.gravest(ends.map(\.status) + [others])
        if isJSON {
            let positions = Positions(engine, subjects)
            Terminal.output.json(
                Summary(status: status.rawValue, outcomes: ends.map { EndRecord($0, positions) }))
        } else {
            ends.count == 1 ? one(ends[0], took) : many(ends, took)
        }
        return status
    }

    /// An outcome with what belongs to it.
    struct End {
        let outcome: ErasureOutcome
        /// The path of its receipt; `nil` if it could not be written.
        var receiptFile: String?
        /// The earlier erasure of a subject without any data.
        var former: ErasureRecord?
        /// Why an operator holds the erasure that the subject has already: no process works on it.
        var holdReason: String?

        var status: ExitStatus {
            switch outcome {
            case .done(let receipt, _): receipt.isComplete ? .done : .findings
            case .parked: .findings
            case .unfinished(_, _, let error): error.family == .tryAgain ? .tryAgain : ExitStatus(error)
            case .interrupted: .interrupted
            case .running: .runningElsewhere
            case .unknown: former == nil ? .unknownSubject : .done
            }
        }
    }

    private func ends(_ outcomes: [ErasureOutcome]) async throws -> [End] {
        let receipts = Receipts(state: installation.statePath)
        var ends: [End] = []
        for outcome in outcomes {
            var end = End(outcome: outcome)
            if case .done(let receipt, _) = outcome, keeping.isKept(receipt.id) {
                end.receiptFile = receipts.path(of: receipt.id)
            }
            if case .unknown(let subject) = outcome {
                let all = try await ErasureArchive(database).erasures(of: engine.subjectHash(of: subject))
                end.former = all.map(\.erasure).first { $0.state == .done }
            }
            if case .running(let record, _) = outcome {
                end.holdReason = try await ErasureArchive(database).erasure(record.id)?.holdReason
            }
            ends.append(end)
        }
        return ends
    }

    // MARK: In words

    private func one(_ end: End, _ took: Double) {
        let terminal = Terminal.output
        switch end.outcome {
        case .done(let receipt, _):
            terminal.line()
            terminal.text(ReceiptText.text(receipt))
            terminal.line()
            if let path = end.receiptFile {
                terminal.line("Signed receipt: \(Terminal.printable(path))")
                terminal.line("As a page: farewell receipt page \(Self.name(receipt.id)) --output receipt.html")
            }
            terminal.line("Took \(Words.duration(took)).")
        case .parked(let id, let cause):
            terminal.line(terminal.red("✗ ") + "Parked: " + Terminal.printable(cause))
            terminal.line("  → Fix the cause, then: farewell erase --release \(Self.name(id))")
        case .unfinished(let id, _, let error):
            terminal.line(terminal.yellow("! ") + "Not finished: " + Terminal.printable(error.message))
            if let remedy = error.remedy { terminal.line("  → " + Terminal.printable(remedy)) }
            terminal.line("  → Erasure \(Self.name(id)) resumes with: farewell erase --resume")
        case .interrupted(let id, _):
            terminal.line("Interrupted. Erasure \(Self.name(id)) resumes with: farewell erase --resume")
        case .running(let record, _):
            if let reason = end.holdReason {
                terminal.line(Self.held(record.id, reason))
            } else {
                terminal.line("Erasure \(Self.name(record.id)) is already erasing this subject.")
            }
            terminal.line("  → See farewell status \(Self.name(record.id))")
        case .unknown:
            if let former = end.former {
                let day = UTCTime.text(former.finishedAt ?? former.requestedAt).prefix(10)
                terminal.line("No data of this subject is left: erasure \(Self.name(former.id)) erased it on \(day).")
                return
            }
            terminal.line("No data of this subject was found. Nothing was changed.")
            terminal.line("  → Check the key and the database.")
        }
    }

    private func many(_ all: [End], _ took: Double) {
        let terminal = Terminal.output
        guard !all.isEmpty else {
            if let none { terminal.line(none) }
            return
        }
        var (erased, anonymised, retained) = (0, 0, 0)
        var ends: [ExitStatus: Int] = [:]
        var (done, held) = (0, 0)
        for end in all {
            if end.holdReason != nil {
                held += 1
                continue
            }
            guard case .done(let receipt, _) = end.outcome else {
                ends[end.status, default: 0] += 1
                continue
            }
            done += 1
            erased += receipt.totals.erased
            anonymised += receipt.totals.anonymised
            retained += receipt.totals.retained
        }
        terminal.line(
            "\(Words.count(done, "subject")) erased in \(Words.duration(took)): "
                + "\(Words.count(erased, "row")) erased, \(Words.grouped(anonymised)) anonymised, "
                + "\(Words.grouped(retained)) kept.")
        let others: [(ExitStatus, String)] = [
            (.done, "already erased, no data left"), (.unknownSubject, "without data"),
            (.runningElsewhere, "already being erased by another process"),
            (.findings, "parked: see farewell status"),
            (.tryAgain, "not finished: farewell erase --resume"),
            (.interrupted, "interrupted: farewell erase --resume"),
            (.unusable, "not finished: see farewell status"), (.ours, "not finished: see farewell status"),
        ]
        for (status, words) in others {
            if let count = ends[status] { terminal.line("  \(Words.grouped(count)) \(words)") }
        }
        if held > 0 { terminal.line("  \(Words.grouped(held)) on hold: see farewell status") }
        for cause in ErasureCauses(all.map(\.outcome)).lines { terminal.line(cause) }
        if all.contains(where: { $0.receiptFile != nil }) {
            terminal.line("Signed receipts: \(Terminal.printable(installation.statePath))/receipts")
        }
    }

    static func name(_ id: UUID) -> String { id.text }

    /// An erasure that waits because an operator holds it.
    static func held(_ id: UUID, _ reason: String) -> String {
        "Erasure \(name(id)) is on hold, and nothing is erased until an operator ends the hold: "
            + Terminal.printable(reason)
    }
}

/// Which of the requested subjects an outcome is about: programs need it, and the key need not be repeated.
private struct Positions {
    private let hashes: [String: Int]
    private let keys: [ExactText: Int]

    init(_ engine: ErasureEngine, _ subjects: [String]) {
        keys = Dictionary(subjects.enumerated().map { (ExactText($1), $0 + 1) }) { first, _ in first }
        hashes = Dictionary(
            subjects.enumerated().compactMap { number, subject in
                (try? engine.subjectHash(of: subject)).map { ($0.rawValue, number + 1) }
            }
        ) { first, _ in first }
    }

    func position(key: String) -> Int? { keys[ExactText(key)] ?? keys[ExactText(key.uppercased())] }
    func position(hash: String) -> Int? { hashes[hash] }
}

private struct Summary: Encodable {
    let status: Int32
    let outcomes: [EndRecord]
}

/// One outcome for programs.
private struct EndRecord: Encodable {
    let outcome: String
    /// The place of the subject in the request, from 1.
    var position: Int?
    var erasure: String?
    var erased: Int?
    var anonymised: Int?
    var retained: Int?
    var isComplete: Bool?
    var receipt: String?
    var receiptFile: String?
    var cause: String?

    init(_ end: ErasureEnding.End, _ positions: Positions) {
        switch end.outcome {
        case .done(let receipt, let signed):
            outcome = "done"
            erasure = ErasureEnding.name(receipt.id)
            position = positions.position(hash: receipt.subject)
            (erased, anonymised, retained) = (receipt.totals.erased, receipt.totals.anonymised, receipt.totals.retained)
            isComplete = receipt.isComplete
            self.receipt = signed
            receiptFile = end.receiptFile
        case .parked(let id, let cause):
            outcome = "parked"
            erasure = ErasureEnding.name(id)
            self.cause = cause
        case .unfinished(let id, let subject, let error):
            outcome = "unfinished"
            erasure = ErasureEnding.name(id)
            position = positions.position(key: subject)
            cause = error.message
        case .interrupted(let id, let subject):
            outcome = "interrupted"
            erasure = ErasureEnding.name(id)
            position = positions.position(key: subject)
        case .running(let record, _):
            outcome = "running"
            erasure = ErasureEnding.name(record.id)
            position = positions.position(hash: record.subjectHash)
            cause = end.holdReason.map { "on hold: \($0)" }
        case .unknown(let subject):
            outcome = end.former == nil ? "unknown" : "erased before"
            erasure = end.former.map { ErasureEnding.name($0.id) }
            position = positions.position(key: subject)
        }
    }
}
