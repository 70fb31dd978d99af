// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Synchronization
import TestFixtures

/// A world in which a seed decides everything: which process uses the database next, how long it takes until then, which process is killed,
/// stopped, or never receives an answer. Time passes when no process needs a turn, and now and then when one does. After a while nothing
/// fails any more.
final class Simulation: Sendable {
    /// The outcome of one turn.
    enum Fate: Sendable { case fine, lostBefore, lostAfter, killedBefore, killedAfter }

    /// Thrown at everything that a process does which no longer exists.
    struct Killed: Error {}

    /// The faults of a history, and their frequency.
    struct Weather: Sendable {
        var kills: Int
        var losses: Int
        var stops: Int
        /// Whether a process is known to be dead once it is, as on one machine, or only its lease tells.
        var isDeathKnown: Bool
        /// Turns after which nothing goes wrong any more.
        var length: Int

        /// As the seed has it: of each kind none, some, or many.
        init(_ random: inout SplitMix) {
            kills = random.number(in: 0...4)
            losses = random.number(in: 0...2) * random.number(in: 1...4)
            stops = random.number(in: 0...4)
            isDeathKnown = random.number(in: 0...1) == 1
            length = random.number(in: 50...250)
        }
    }

    private enum Want: Sendable {
        case turn
        case time(Double)
    }

    private struct Wait: Sendable {
        let process: Int
        let want: Want
        let continuation: CheckedContinuation<Fate, any Error>

        var isTurn: Bool { time == nil }
        var time: Double? { if case .time(let time) = want { time } else { nil } }
    }

    private struct State: Sendable {
        var random: SplitMix
        var weather: Weather
        var seconds = 0.0
        var turns = 0
        var healedAt: Double?
        var waiting: [Int: Wait] = [:]
        var number = 0
        var isUnderWay = false
        var dead: Set<Int> = []
        /// Until when a process is stopped.
        var stopped: [Int: Double] = [:]
        var history: [String] = []
    }

    /// Processes below that number ask, and are not killed.
    static let firstWorker = 2
    private static let beginning = Date(timeIntervalSince1970: 1_893_456_000)
    private let state: Mutex<State>

    init(seed: UInt64) {
        var random = SplitMix(state: seed)
        let weather = Weather(&random)
        state = Mutex(State(random: random, weather: weather))
        note("seed \(seed): \(weather)")
    }

    // MARK: The view of processes

    var now: Date { Self.beginning.addingTimeInterval(uptime / .seconds(1)) }
    var uptime: Duration { .seconds(state.withLock { $0.seconds }) }

    func isAlive(_ process: Int) -> Bool { state.withLock { !$0.dead.contains(process) } }

    func isKnownDead(_ process: Int) -> Bool {
        state.withLock { $0.weather.isDeathKnown && $0.dead.contains(process) }
    }

    /// Waits for a turn at the database. A killed process gets none.
    func turn(of process: Int) async throws -> Fate {
        let number = nextNumber()
        return try await withCheckedThrowingContinuation { wait(number, process, .turn, $0) }
    }

    /// The turn is over.
    func end() { state.withLock { $0.isUnderWay = false } }

    func pause(_ process: Int, for duration: Duration) async throws {
        try Task.checkCancellation()
        let number = nextNumber()
        _ = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let until = state.withLock { $0.seconds } + duration / .seconds(1)
                wait(number, process, .time(until), continuation)
            }
        } onCancel: {
            let wait = state.withLock { $0.waiting.removeValue(forKey: number) }
            wait?.continuation.resume(throwing: CancellationError())
        }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.number += 1
            return state.number
        }
    }

    private func wait(
        _ number: Int, _ process: Int, _ want: Want, _ continuation: CheckedContinuation<Fate, any Error>
    ) {
        let isAlive = state.withLock { state in
            guard !state.dead.contains(process) else { return false }
            state.waiting[number] = Wait(process: process, want: want, continuation: continuation)
            return true
        }
        if !isAlive { continuation.resume(throwing: Killed()) }
    }

    /// Ends a process: everything it waits for is over, and nothing it does from now on has an effect.
    func kill(_ process: Int) {
        let waits = state.withLock { state in
            state.dead.insert(process)
            let waits = state.waiting.filter { $0.value.process == process }.sorted { $0.key < $1.key }
            for (number, _) in waits { state.waiting[number] = nil }
            return waits.map { $0.value }
        }
        note("\(process) is killed")
        for wait in waits { wait.continuation.resume(throwing: Killed()) }
    }

    // MARK: History

    func note(_ line: String) { state.withLock { $0.history.append(line) } }

    var history: [String] { state.withLock { $0.history } }

    /// Seconds since nothing goes wrong any more.
    var calm: Double { state.withLock { $0.seconds - ($0.healedAt ?? $0.seconds) } }

    // MARK: Going on

    /// Runs these processes, the first ones requesting and the others working, until no process waits for anything, or an hour has passed
    /// since the last fault. Another worker replaces a killed one.
    ///
    /// - Returns: whether it completed.
    func run(_ processes: Int, _ body: @escaping @Sendable (_ process: Int) async -> Void) async -> Bool {
        await withCheckedContinuation { ended in
            Thread.detachNewThread { ended.resume(returning: self.drive(processes, body)) }
        }
    }

    private func drive(_ processes: Int, _ body: @escaping @Sendable (Int) async -> Void) -> Bool {
        let executor = TurnExecutor()
        var started = 0
        while true {
            let wanted = processes + state.withLock { $0.dead.count }
            while started < wanted {
                let process = started
                Task(executorPreference: executor) { await body(process) }
                started += 1
            }
            guard executor.settle(while: { state.withLock { $0.isUnderWay } }) else { return false }
            if state.withLock({ $0.dead.count }) + processes > started { continue }
            guard calm < 3_600, goOn() else { return calm < 3_600 }
        }
    }

    /// Performs one event; false when no process waits for anything.
    private func goOn() -> Bool {
        let waits = state.withLock { $0.waiting.sorted { $0.key < $1.key } }
        guard !waits.isEmpty else { return false }
        let stopped = state.withLock { state in state.stopped.filter { $0.value > state.seconds } }
        let going = waits.filter { stopped[$0.value.process] == nil }
        let turns = going.filter { $0.value.isTurn }.map { $0.key }
        let timers = going.compactMap { number, wait in wait.time.map { (time: $0, number: number) } }
            .sorted { ($0.time, $0.number) < ($1.time, $1.number) }
        let isIdle = turns.isEmpty || (!timers.isEmpty && chance(of: 8))
        guard isIdle else {
            begin(turns[number(below: turns.count)])
            return true
        }
        // When a stopped process is due to continue, no process is woken yet.
        if let goingOn = stopped.values.min(), goingOn <= timers.first?.time ?? .infinity {
            state.withLock { $0.seconds = max($0.seconds, goingOn) }
            return true
        }
        guard let first = timers.first else { return false }
        let wait = state.withLock { state in
            state.seconds = max(state.seconds, first.time)
            return state.waiting.removeValue(forKey: first.number)
        }
        if let wait { note("\(seconds) \(wait.process) wakes") }
        wait?.continuation.resume(returning: .fine)
        return true
    }

    private func begin(_ number: Int) {
        guard let process = state.withLock({ $0.waiting[number]?.process }) else { return }
        let trouble = trouble(for: process)
        if trouble == .stopped {
            let until = state.withLock { $0.seconds } + Double(self.number(below: 40))
            state.withLock { $0.stopped[process] = until }
            return note("\(seconds) \(process) is stopped until \(until)")
        }
        let fate = trouble.fate
        if fate == .killedBefore { return kill(process) }
        let wait = state.withLock { state in
            state.turns += 1
            state.isUnderWay = true
            return state.waiting.removeValue(forKey: number)
        }
        note("\(seconds) \(process) \(fate)")
        wait?.continuation.resume(returning: fate)
    }

    private enum Trouble: Equatable {
        case none, stopped
        case met(Fate)

        var fate: Fate { if case .met(let fate) = self { fate } else { .fine } }
    }

    private func trouble(for process: Int) -> Trouble {
        let isOver = state.withLock { state in
            if state.turns >= state.weather.length, state.healedAt == nil { state.healedAt = state.seconds }
            return state.healedAt != nil
        }
        guard !isOver, chance(of: 12) else { return .none }
        let isWorker = process >= Self.firstWorker
        switch number(below: 3) {
        case 0 where isWorker && spend(\.kills): return .met(chance(of: 2) ? .killedBefore : .killedAfter)
        case 1 where spend(\.losses): return .met(chance(of: 2) ? .lostBefore : .lostAfter)
        case 2 where spend(\.stops): return .stopped
        default: return .none
        }
    }

    private func spend(_ kind: any WritableKeyPath<Weather, Int> & Sendable) -> Bool {
        state.withLock { state in
            guard state.weather[keyPath: kind] > 0 else { return false }
            state.weather[keyPath: kind] -= 1
            return true
        }
    }

    private var seconds: String { state.withLock { "\($0.seconds)" } }
    private func number(below limit: Int) -> Int { state.withLock { $0.random.number(in: 0...limit - 1) } }
    private func chance(of odds: Int) -> Bool { number(below: odds) == 0 }
}
