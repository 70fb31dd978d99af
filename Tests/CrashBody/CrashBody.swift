// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import FarewellSQL
import Foundation
import Logging

/// A process that erases people and kills itself, with the signal nobody can catch, right after the n-th recorded
/// transition. What it leaves is what any crash leaves.
///
///     crash-body erase|resume|work ADDRESS PLAN STATE SUBJECT,… DIE-AT LARGE-FROM scan|prompt
///
/// `work` is a worker's part: what was asked for before is claimed or taken over; the subjects' being closed counts as
/// a transition. `scan` searches the whole database at the end, so that every transition is one of its own. `prompt`
/// only reads back, as most do, so that PostgreSQL does all in one transaction; then every use of the database for
/// these people is a point to die at, see `MortalDatabase`. `DIE-AT` is n, or a subject whose being closed kills every
/// worker; 0 lives to the end. Prints the transitions and the outcome.
@main
struct CrashBody {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 9, let large = Int(words[7]) else { exit(64) }
        let dieAfter = Int(words[6]) ?? 0
        let subjects = words[5].split(separator: ",").map(String.init)
        let isPrompt = words[8] == "prompt"
        let countdown = Countdown(dieAfter)
        let options = ErasureOptions(largeAccount: large, deepScan: isPrompt ? .none : .complete)
        let observe: ErasureObserver = { progress in
            print(progress.event)
            countdown.tick()
        }
        let database = try openDatabase(words[2])
        var engine = try await opened(words, on: database)
        let asked = words[1] == "work" ? try await erasures(of: subjects, engine) : []
        let desk = ErasureDesk(engine, rules: rules, bells: WorkBells())
        if isPrompt, dieAfter > 0 {
            let names = subjects + asked.map { $0.uuidString.lowercased() }
            engine = try await opened(words, on: MortalDatabase(database: database, names: names, countdown: countdown))
        }
        switch words[1] {
        case "work":
            let workers = ErasureWorkers(
                engine, rules: rules, options: options, closing: TickingClosing(countdown: countdown, deadly: words[6]),
                bells: desk.bells)
            try await work(workers, desk, asked, observe)
        case "resume":
            for outcome in try await engine.resume(options: options, observe: observe) { print(outcome) }
        default:
            for outcome in try await engine.erase(subjects, options: options, observe: observe) { print(outcome) }
        }
        await database.close()
    }

    private static let rules = ServiceRules(secondLook: 0, lanes: 1, poll: 1)

    private static func opened(_ words: [String], on database: any SQLDatabase) async throws -> ErasureEngine {
        try await ErasureEngine.open(
            database, plan: try PlanFile.load(path: words[3]),
            folder: URL(fileURLWithPath: words[3]).deletingLastPathComponent().path, state: words[4],
            environment: .live(log: Logger(label: "crash-body") { _ in SwiftLogNoOpLogHandler() }))
    }

    private static func erasures(of subjects: [String], _ engine: ErasureEngine) async throws -> [UUID] {
        let desk = ErasureDesk(engine)
        var asked: [UUID] = []
        for subject in subjects {
            guard let erasure = try await desk.latest(of: subject) else { exit(65) }
            asked.append(erasure.id)
        }
        return asked
    }

    /// Works until the erasures have come to stand still.
    private static func work(
        _ workers: ErasureWorkers, _ desk: ErasureDesk, _ asked: [UUID], _ observe: @escaping ErasureObserver
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await workers.run(observe: observe) }
            for id in asked {
                let ended = try await desk.wait(for: id, atMost: 600)
                print(ended?.state.rawValue ?? "gone")
            }
            workers.stop()
            try await group.waitForAll()
        }
    }
}

/// Has no sessions to end, and counts that they were; of one subject it dies.
private struct TickingClosing: SubjectClosing {
    let countdown: Countdown
    let deadly: String

    func close(_ subjects: [String]) async throws {
        if subjects.contains(deadly) { kill(getpid(), SIGKILL) }
        print("closed")
        countdown.tick()
    }
}
