// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import FarewellSQL
import Foundation
import Logging

/// A process that erases one person and kills itself, with the signal nobody can catch, right after the n-th
/// recorded transition. What it leaves is what any crash leaves.
///
///     crash-body erase|resume ADDRESS PLAN STATE SUBJECT DIE-AFTER LARGE-FROM
///
/// `DIE-AFTER` 0 lives to the end. Prints the transitions and the outcome.
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
        let outcomes =
            words[1] == "resume"
            ? try await engine.resume(options: options, observe: observe)
            : try await engine.erase([words[5]], options: options, observe: observe)
        for outcome in outcomes { print(outcome) }
        await database.close()
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
