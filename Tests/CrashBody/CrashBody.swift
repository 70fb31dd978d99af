// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// A process that erases subjects and kills itself with SIGKILL right after the n-th recorded transition. It leaves the same state as any
/// crash.
///
///     crash-body erase|resume|work|reerase|retain ADDRESS PLAN STATE SUBJECT,… DIE-AT LARGE-FROM scan|prompt
///
/// `work` is a worker's part: earlier requests are claimed or taken over; closing the subjects counts as
/// a transition. `reerase` erases subjects of the ledger that are back. `retain` is a worker's duty: ending what was
/// retained of the subjects, whose last day is over. `scan` searches the whole database at the end, so that every
/// transition is one of its own. `prompt` only reads back, as most do, so that PostgreSQL does all in one transaction;
/// then every use of the database for these people is a point to die at, see `MortalDatabase`. `DIE-AT` is n, or a
/// subject whose being closed kills every worker; 0 lives to the end. Prints the transitions and the outcome.
@main
struct CrashBody {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 9, let large = Int(words[7]) else { exit(64) }
        let dieAfter = Int(words[6]) ?? 0
        let subjects = words[5].split(separator: ",").map(String.init)
        let isSingleTransaction = words[8] == "prompt"
        let countdown = Countdown(dieAfter)
        let options = ErasureOptions(largeAccount: large, deepScan: isSingleTransaction ? .none : .complete)
        let observe: ErasureObserver = { progress in
            print(progress.event)
            countdown.tick()
        }
        let database = try openDatabase(words[2])
        var engine = try await opened(words, on: database)
        let asked = ["work", "retain"].contains(words[1]) ? try await erasures(of: subjects, engine) : []
        let requests = ErasureRequests(engine, rules: rules, signals: WakeSignals())
        if isSingleTransaction, dieAfter > 0 {
            // A number of one or two digits occurs everywhere.
            let names = subjects.filter { $0.utf8.count > 2 } + asked.map { $0.uuidString.lowercased() }
            engine = try await opened(words, on: MortalDatabase(database: database, names: names, countdown: countdown))
        }
        switch words[1] {
        case "work":
            let workers = ErasureWorkers(
                engine, rules: rules, options: options,
                closing: TickingClosing(countdown: countdown, deadly: Int(words[6]) == nil ? words[6] : nil),
                signals: requests.signals)
            try await work(workers, requests, asked, observe)
        case "retain": try await endRetentions(engine, in: database)
        case "reerase":
            let returned = try await engine.findReturned().certain
            for outcome in try await engine.erase(returned, options: options, observe: observe) { print(outcome) }
        case "resume":
            for outcome in try await engine.resume(options: options, observe: observe) { print(outcome) }
        default:
            for outcome in try await engine.erase(subjects, options: options, observe: observe) { print(outcome) }
        }
        await database.close()
    }

    private static let rules = ServiceRules(secondLook: 0, concurrency: 1, poll: 1)

    private static func opened(_ words: [String], on database: any SQLDatabase) async throws -> ErasureEngine {
        var environment = EngineEnvironment.live(log: Logger(label: "crash-body") { _ in SwiftLogNoOpLogHandler() })
        if words[1] == "retain" {
            // Locks of a dead process's connection are checked again at once, not in five minutes.
            let rest = environment.sleep
            environment.sleep = { try await rest(min($0, .milliseconds(50))) }
        }
        return try await ErasureEngine.open(
            database, plan: try PlanFile.load(path: words[3]),
            folder: URL(fileURLWithPath: words[3]).deletingLastPathComponent().path, state: words[4],
            environment: environment)
    }

    private static func erasures(of subjects: [String], _ engine: ErasureEngine) async throws -> [UUID] {
        var asked: [UUID] = []
        for subject in subjects {
            guard let newest = try await engine.statuses(ofSubject: subject).first else { exit(65) }
            asked.append(newest.erasure.id)
        }
        return asked
    }

    /// Works until the erasures have come to stand still.
    private static func work(
        _ workers: ErasureWorkers, _ requests: ErasureRequests, _ asked: [UUID], _ observe: @escaping ErasureObserver
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await workers.run(observe: observe) }
            for id in asked {
                let ended = try await requests.wait(for: id, atMost: 600)
                print(ended?.state.rawValue ?? "gone")
            }
            workers.stop()
            try await group.waitForAll()
        }
    }

    /// Looks after the duties, and nothing else, until nothing is kept any longer.
    private static func endRetentions(_ engine: ErasureEngine, in database: any SQLDatabase) async throws {
        let workers = ErasureWorkers(engine, rules: ServiceRules(secondLook: 0, concurrency: 0, poll: 1))
        let table = database.dialect == .postgresql ? "farewell.retentions" : "farewell_retentions"
        let kept = SQLStatement("SELECT count(*) FROM \(table) WHERE ended_at IS NULL")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await workers.run() }
            try await eventually { try await database.withConnection { try await $0.run(kept).scalar?.integer } == 0 }
            workers.stop()
            try await group.waitForAll()
        }
    }
}

/// Has no sessions to end, and counts that they were; of one subject, if any, it dies.
private struct TickingClosing: SubjectClosing {
    let countdown: Countdown
    let deadly: String?

    func close(_ subjects: [String]) async throws {
        if let deadly, subjects.contains(deadly) { kill(getpid(), SIGKILL) }
        print("closed")
        countdown.tick()
    }
}
