// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import FarewellSQL
import Foundation
import Logging

/// A process that erases one person and kills itself, with the signal nobody can catch, right after the n-th
/// recorded transition. What it leaves is what any crash leaves.
///
///     crash-body erase|resume|work ADDRESS PLAN STATE SUBJECT DIE-AFTER LARGE-FROM
///
/// `work` is a worker's part: what was asked for before is claimed or taken over; the subject's being closed counts as
/// a transition. `DIE-AFTER` 0 lives to the end. Prints the transitions and the outcome.
@main
struct CrashBody {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 8, let dieAfter = Int(words[6]), let large = Int(words[7]) else { exit(64) }
        let database = try openDatabase(words[2])
        let plan = try PlanFile.load(path: words[3])
        let engine = try await ErasureEngine.open(
            database, plan: plan, folder: URL(fileURLWithPath: words[3]).deletingLastPathComponent().path,
            state: words[4],
            environment: .live(log: Logger(label: "crash-body") { _ in SwiftLogNoOpLogHandler() }))
        let countdown = Countdown(dieAfter)
        let options = ErasureOptions(largeAccount: large, deepScan: .complete)
        let observe: ErasureObserver = { progress in
            print(progress.event)
            await countdown.tick()
        }
        if words[1] == "work" {
            try await work(engine, words[5], options, countdown, observe)
            return await database.close()
        }
        let outcomes =
            words[1] == "resume"
            ? try await engine.resume(options: options, observe: observe)
            : try await engine.erase([words[5]], options: options, observe: observe)
        for outcome in outcomes { print(outcome) }
        await database.close()
    }

    /// Works until the subject's erasure has come to stand still.
    private static func work(
        _ engine: ErasureEngine, _ subject: String, _ options: ErasureOptions, _ countdown: Countdown,
        _ observe: @escaping ErasureObserver
    ) async throws {
        let rules = ServiceRules(secondLook: 0, lanes: 1, poll: 1)
        let bells = WorkBells()
        let desk = ErasureDesk(engine, rules: rules, bells: bells)
        let workers = ErasureWorkers(
            engine, rules: rules, options: options, closing: TickingClosing(countdown: countdown), bells: bells)
        guard let asked = try await desk.latest(of: subject) else { exit(65) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await workers.run(observe: observe) }
            let ended = try await desk.wait(for: asked.id, atMost: 600)
            print(ended?.state.rawValue ?? "gone")
            workers.stop()
            try await group.waitForAll()
        }
    }
}

/// Has no sessions to end, and counts that they were.
private struct TickingClosing: SubjectClosing {
    let countdown: Countdown

    func close(_ subjects: [String]) async throws {
        print("closed")
        await countdown.tick()
    }
}

/// Counts transitions, and at the chosen one ends the process as a power cut would.
actor Countdown {
    private var left: Int

    init(_ count: Int) { left = count }

    func tick() {
        left -= 1
        if left == 0 { kill(getpid(), SIGKILL) }
    }
}
